// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How every op is called, with inputs to call it with: one binding per form of an op, the golden
// cases (goldens/ops.hpp) as examples, on any device and in any dtype. Checks nothing, so that
// whoever wants to know what runs where can use it: see `support`.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/binding.hpp"
#include "conformance/calls/indexing.hpp"
#include "conformance/calls/losses.hpp"
#include "conformance/calls/moving.hpp"
#include "conformance/calls/order.hpp"
#include "conformance/calls/products.hpp"
#include "conformance/calls/recurrent.hpp"
#include "conformance/calls/resample.hpp"
#include "conformance/calls/windows.hpp"
#include "goldens/ops.hpp"

namespace conformance {

namespace bindings {

template <amp::Activation F>
Outputs feed_forward(In x, Case) {
  return amp::feed_forward(x[0], x[1], optional(x, 3), x[2], optional(x, 4), F);
}

template <bool Relu>
Outputs conv2d(In x, Case c) {
  return amp::conv2d(x[0], x[1], optional(x, 2),
                     {.stride = {integer(c, 0), integer(c, 1)},
                      .padding = {integer(c, 2), integer(c, 3)},
                      .dilation = {integer(c, 4), integer(c, 5)},
                      .groups = integer(c, 6),
                      .relu = Relu});
}

template <class Pool>
Outputs pool2d(const Pool& pool, In x, Case c) {
  return pool(x[0], amp::Size2d{integer(c, 0), integer(c, 1)},
              amp::Size2d{integer(c, 2), integer(c, 3)}, amp::Size2d{integer(c, 4), integer(c, 5)});
}

inline Outputs batch_norm(In x, Case c) {
  const auto affine = static_cast<std::size_t>(integer(c, 3));
  const bool running = flag(c, 4);
  // Running statistics must be contiguous.
  const amp::Tensor none, mean = running ? x[affine + 1].contiguous() : none,
                          var = running ? x[affine + 2].contiguous() : none;
  const amp::Tensor y =
      amp::batch_norm(x[0], mean, var, affine > 0 ? x[1] : none, affine > 1 ? x[2] : none,
                      flag(c, 0), c.attributes[1], c.attributes[2]);
  return running ? Outputs{y, mean, var} : Outputs(y);
}

inline Outputs cross_entropy(In x, Case c) {
  return amp::cross_entropy(x[0], index(c, x),
                            {.ignore_index = integer(c, 1),
                             .label_smoothing = c.attributes[2],
                             .reduction = reduction(c),
                             .weight = optional(x, 1)});
}

inline Outputs cross_entropy_of_probabilities(In x, Case c) {
  return amp::cross_entropy(
      x[0], x[1],
      {.label_smoothing = c.attributes[1], .reduction = reduction(c), .weight = optional(x, 2)});
}

inline Outputs nll_loss(In x, Case c) {
  return amp::nll_loss(
      x[0], index(c, x),
      {.ignore_index = integer(c, 1), .reduction = reduction(c), .weight = optional(x, 1)});
}

inline Outputs binary_cross_entropy_with_options(In x, Case c) {
  const bool weighted = flag(c, 1);
  return amp::binary_cross_entropy_with_logits(
      x[0], x[1],
      {.reduction = reduction(c),
       .weight = weighted ? x[2] : amp::Tensor{},
       .pos_weight = flag(c, 2) ? x[weighted ? 3 : 2] : amp::Tensor{}});
}

inline Outputs attention(In x, Case c) {
  const amp::Tensor mask = has_index(c) ? index(c, x, amp::kBool) : optional(x, 3);
  const double scale = c.attributes[1];
  return amp::scaled_dot_product_attention(
      x[0], x[1], x[2], mask, 0.0, flag(c, 0),
      scale == 0 ? std::optional<double>() : std::optional<double>(scale));
}

inline Outputs attention_with_options(In x, Case c) {
  const double scale = c.attributes[1];
  return amp::scaled_dot_product_attention(
      x[0], x[1], x[2],
      {.attn_mask = has_index(c) ? index(c, x, amp::kBool) : optional(x, 3),
       .is_causal = flag(c, 0),
       .scale = scale == 0 ? std::optional<double>() : std::optional<double>(scale),
       .enable_gqa = flag(c, 2),
       .window = flag(c, 3) ? std::optional<std::int64_t>(integer(c, 3)) : std::nullopt});
}
inline Outputs rotary_embedding(In x, Case c) {
  const amp::Tensor positions =
      x[0].defined() ? amp::arange(x[0].size(-2), {.device = x[0].device()}) : amp::arange(1);
  const amp::RotaryTable table = amp::rotary_table(positions, integer(c, 0));
  return amp::rotary_embedding(x[0], table.cos, table.sin, {.interleaved = flag(c, 1)});
}

inline constexpr Binding kAll[] = {
    // Products.
    {"matmul", binary<amp::matmul>, kTwoRoundings, "a b"},
    {"bmm", binary<amp::bmm>, kOneRounding, "a b"},
    {"linear", [](In x, Case) -> Outputs { return amp::linear(x[0], x[1], optional(x, 2)); },
     kOneRounding, "input weight bias?"},
    {"feed_forward", feed_forward<amp::Activation::kGelu>, kGeluBetween, "input weight1 weight2 bias1? bias2?"},
    {"feed_forward(relu)", feed_forward<amp::Activation::kRelu>, kRoundedBetween, "input weight1 weight2 bias1? bias2?"},
    {"conv2d", conv2d<false>, kOneRounding, "input weight bias?"},
    {"conv2d(relu)", conv2d<true>, kOneRounding, "input weight bias?"},
    // Elementwise.
    {"add", binary<amp::add>, kOneRounding, "a b", kAnything},
    {"sub", binary<amp::sub>, kOneRounding, "a b", kAnything},
    {"mul", binary<amp::mul>, kTwoRoundings, "a b", kAnything},
    {"div", binary<amp::div>, kTwoRoundings, "a b", kAnything},
    {"add(x, number)", [](In x, Case c) -> Outputs { return x[0] + number(c); }, kOneRounding, "a", kAnything},
    {"sub(x, number)", [](In x, Case c) -> Outputs { return x[0] - number(c); }, kOneRounding, "a", kAnything},
    {"mul(x, number)", [](In x, Case c) -> Outputs { return x[0] * number(c); }, kOneRounding, "a", kAnything},
    {"div(x, number)", [](In x, Case c) -> Outputs { return x[0] / number(c); }, kFloat32Math, "a", kAnything},
    {"add(number, x)", [](In x, Case c) -> Outputs { return number(c) + x[0]; }, kOneRounding, "a", kAnything},
    {"sub(number, x)", [](In x, Case c) -> Outputs { return number(c) - x[0]; }, kOneRounding, "b", kAnything},
    {"mul(number, x)", [](In x, Case c) -> Outputs { return number(c) * x[0]; }, kOneRounding, "a", kAnything},
    {"div(number, x)", [](In x, Case c) -> Outputs { return number(c) / x[0]; }, kTwoRoundings, "b", kAnything},
    {"eq", binary<amp::eq>, kOneRounding, "a b", kAnything},
    {"ne", binary<amp::ne>, kOneRounding, "a b", kAnything},
    {"lt", binary<amp::lt>, kOneRounding, "a b", kAnything},
    {"le", binary<amp::le>, kOneRounding, "a b", kAnything},
    {"gt", binary<amp::gt>, kOneRounding, "a b", kAnything},
    {"ge", binary<amp::ge>, kOneRounding, "a b", kAnything},
    {"eq(x, number)", with_number<amp::eq>, kOneRounding, "a", kAnything},
    {"ne(x, number)", with_number<amp::ne>, kOneRounding, "a", kAnything},
    {"lt(x, number)", with_number<amp::lt>, kOneRounding, "a", kAnything},
    {"le(x, number)", with_number<amp::le>, kOneRounding, "a", kAnything},
    {"gt(x, number)", with_number<amp::gt>, kOneRounding, "a", kAnything},
    {"ge(x, number)", with_number<amp::ge>, kOneRounding, "a", kAnything},
    {"neg", unary<amp::neg>, kOneRounding, "input", kNumbers},
    {"abs", unary<amp::abs>, kOneRounding, "input", kNumbers},
    {"relu", unary<amp::relu>, kOneRounding, "input", kNumbers},
    {"gelu", [](In x, Case) -> Outputs { return amp::gelu(x[0]); }, kFloat32Math},
    {"gelu(x, tanh)", [](In x, Case) -> Outputs { return amp::gelu(x[0], amp::GeluForm::kTanh); },
     kFloat32Math},
    {"silu", unary<amp::silu>, kFloat32Math},
    {"exp", unary<amp::exp>, kTwoRoundings, "input", kAnything},
    {"tanh", unary<amp::tanh>, kTwoRoundings, "input", kAnything},
    {"sigmoid", unary<amp::sigmoid>, kTwoRoundings, "input", kAnything},
    {"log", unary<amp::log>, kFloat32Math, "input", kAnything},
    {"log1p", unary<amp::log1p>, kFloat32Math, "input", kAnything},
    {"sqrt", unary<amp::sqrt>, kTwoRoundings, "input", kAnything},
    {"reciprocal", unary<amp::reciprocal>, kTwoRoundings, "input", kAnything},
    {"rsqrt", unary<amp::rsqrt>, kCubeOfRounded, "input", kAnything},
    {"pow", binary<amp::pow>, kFloat32Math, "input exponent", kAnything},
    {"pow(x, fixed)", binary<amp::pow>, kFloat32Math, "input exponent", kAnything},
    {"pow(x, number)", [](In x, Case c) -> Outputs { return amp::pow(x[0], number(c)); },
     kFloat32Math, "input", kAnything},
    {"pow(number, x)", [](In x, Case c) -> Outputs { return amp::pow(number(c), x[0]); },
     kFloat32Math, "exponent", kAnything},
    {"max(a, b)", binary<amp::max>, kOneRounding, "a b", kAnything},
    {"min(a, b)", binary<amp::min>, kOneRounding, "a b", kAnything},
    {"sign", unary<amp::sign>, kOneRounding, "input", kNumbers},
    {"square", unary<amp::square>, kFloat32Math, "input", kNumbers},
    {"expm1", unary<amp::expm1>, kTwoRoundings, "input", kAnything},
    {"log2", unary<amp::log2>, kFloat32Math, "input", kAnything},
    {"log10", unary<amp::log10>, kFloat32Math, "input", kAnything},
    {"sin", unary<amp::sin>, kFloat32Math, "input", kAnything},
    {"cos", unary<amp::cos>, kFloat32Math, "input", kAnything},
    {"tan", unary<amp::tan>, kCubeOfRounded, "input", kAnything},
    {"asin", unary<amp::asin>, kFloat32Math, "input", kAnything},
    {"acos", unary<amp::acos>, kFloat32Math, "input", kAnything},
    {"atan", unary<amp::atan>, kFloat32Math, "input", kAnything},
    {"sinh", unary<amp::sinh>, kFloat32Math, "input", kAnything},
    {"cosh", unary<amp::cosh>, kFloat32Math, "input", kAnything},
    {"erf", unary<amp::erf>, kFloat32Math, "input", kAnything},
    {"erfinv", unary<amp::erfinv>, kCubeOfRounded, "input", kAnything},
    {"floor", unary<amp::floor>, kOneRounding, "input", kNumbers},
    {"ceil", unary<amp::ceil>, kOneRounding, "input", kNumbers},
    {"trunc", unary<amp::trunc>, kOneRounding, "input", kNumbers},
    {"round", unary<amp::round>, kOneRounding, "input", kNumbers},
    {"isnan", unary<amp::isnan>, kOneRounding, "input", kAnything},
    {"isinf", unary<amp::isinf>, kOneRounding, "input", kAnything},
    {"isfinite", unary<amp::isfinite>, kOneRounding, "input", kAnything},
    {"logical_not", unary<amp::logical_not>, kOneRounding, "input", kAnything},
    {"selu", unary<amp::selu>, kFloat32Math},
    {"hardsigmoid", unary<amp::hardsigmoid>, kFloat32Math},
    {"hardswish", unary<amp::hardswish>, kFloat32Math},
    {"logsigmoid", unary<amp::logsigmoid>, kFloat32Math},
    {"mish", unary<amp::mish>, kFloat32Math},
    {"softsign", unary<amp::softsign>, kFloat32Math, "input", kAnything},
    {"relu6", unary<amp::relu6>, kOneRounding, "input", kNumbers},
    {"round(x, decimals)", [](In x, Case c) -> Outputs { return amp::round(x[0], integer(c, 0)); },
     kRoundedBetween},
    {"leaky_relu(x, numbers)", with_number<amp::leaky_relu>, kFloat32Math},
    {"elu(x, numbers)", with_number<amp::elu>, kFloat32Math},
    {"celu(x, numbers)", with_number<amp::celu>, kFloat32Math},
    {"hardtanh(x, numbers)", with_numbers<amp::hardtanh>, kOneRounding, "input", kNumbers},
    {"softplus(x, numbers)", with_numbers<amp::softplus>, kFloat32Math},
    {"softshrink(x, numbers)", with_number<amp::softshrink>, kOneRounding},
    {"leaky_relu(x, default)", [](In x, Case) -> Outputs { return amp::leaky_relu(x[0]); }, kFloat32Math},
    {"elu(x, default)", [](In x, Case) -> Outputs { return amp::elu(x[0]); }, kFloat32Math},
    {"celu(x, default)", [](In x, Case) -> Outputs { return amp::celu(x[0]); }, kFloat32Math},
    {"hardtanh(x, default)", [](In x, Case) -> Outputs { return amp::hardtanh(x[0]); }, kOneRounding, "input", kNumbers},
    {"softplus(x, default)", [](In x, Case) -> Outputs { return amp::softplus(x[0]); }, kFloat32Math},
    {"softshrink(x, default)", [](In x, Case) -> Outputs { return amp::softshrink(x[0]); }, kOneRounding},
    {"atan2", binary<amp::atan2>, kFloat32Math, "input other", kAnything},
    {"fmod", binary<amp::fmod>, kFloat32Math, "input other", kAnything},
    {"remainder", binary<amp::remainder>, kFloat32Math, "input other", kAnything},
    {"maximum", binary<amp::maximum>, kOneRounding, "input other", kAnything},
    {"minimum", binary<amp::minimum>, kOneRounding, "input other", kAnything},
    {"logical_and", binary<amp::logical_and>, kOneRounding, "input other", kAnything},
    {"logical_or", binary<amp::logical_or>, kOneRounding, "input other", kAnything},
    {"logical_xor", binary<amp::logical_xor>, kOneRounding, "input other", kAnything},
    {"fmod(x, number)", with_number<amp::fmod>, kFloat32Math, "input", kAnything},
    {"remainder(x, number)", with_number<amp::remainder>, kFloat32Math, "input", kAnything},
    {"dropout", [](In x, Case c) -> Outputs { return amp::dropout(x[0], number(c), flag(c, 1)); },
     kOneRounding},
    {"dropout_add",
     [](In x, Case c) -> Outputs { return amp::dropout_add(x[0], x[1], number(c), flag(c, 1)); },
     kOneRounding, "input residual"},
    {"where",
     [](In x, Case c) -> Outputs { return amp::where(index(c, x, amp::kBool), x[0], x[1]); },
     kOneRounding, "a b condition", kAnything},
    {"where(condition, a, number)",
     [](In x, Case c) -> Outputs { return amp::where(index(c, x, amp::kBool), x[0], number(c)); },
     kOneRounding, "a condition", kAnything},
    {"where(condition, number, b)",
     [](In x, Case c) -> Outputs { return amp::where(index(c, x, amp::kBool), number(c), x[0]); },
     kOneRounding, "b condition", kAnything},
    // Reductions.
    {"sum", unary<amp::sum>, kOneRounding, "input", kAnything},
    {"sum(x, dim)",
     [](In x, Case c) -> Outputs { return amp::sum(x[0], integer(c, 0), flag(c, 1)); },
     kOneRounding, "input", kAnything},
    {"mean", unary<amp::mean>, kFloat32Math},
    {"mean(x, dim)",
     [](In x, Case c) -> Outputs { return amp::mean(x[0], integer(c, 0), flag(c, 1)); },
     kFloat32Math},
    {"var",
     [](In x, Case c) -> Outputs {
       return amp::var(x[0], integer(c, 0), c.attributes[1], flag(c, 2));
     },
     kFloat32Math},
    {"max", unary<amp::max>, kFloat32Math, "input", kAnything},
    {"min", unary<amp::min>, kFloat32Math, "input", kAnything},
    {"max(x, dim)",
     [](In x, Case c) -> Outputs {
       return values_and_indices(amp::max(x[0], integer(c, 0), flag(c, 1)));
     },
     kOneRounding, "input", kAnything},
    {"min(x, dim)",
     [](In x, Case c) -> Outputs {
       return values_and_indices(amp::min(x[0], integer(c, 0), flag(c, 1)));
     },
     kOneRounding, "input", kAnything},
    {"argmax", unary<amp::argmax>, kOneRounding, "input", kNumbers},
    {"argmax(x, dim)",
     [](In x, Case c) -> Outputs { return amp::argmax(x[0], integer(c, 0), flag(c, 1)); },
     kOneRounding, "input", kNumbers},
    {"sum(x, dims)",
     [](In x, Case c) -> Outputs { return amp::sum(x[0], integers_from(c, 1), flag(c, 0)); },
     kOneRounding, "input", kAnything},
    {"mean(x, dims)",
     [](In x, Case c) -> Outputs { return amp::mean(x[0], integers_from(c, 1), flag(c, 0)); },
     kFloat32Math},
    {"var(x)", [](In x, Case) -> Outputs { return amp::var(x[0]); }, kFloat32Math},
    {"var(x, dims)",
     [](In x, Case c) -> Outputs {
       return amp::var(x[0], integers_from(c, 2), number(c), flag(c, 1));
     },
     kFloat32Math},
    {"std", [](In x, Case) -> Outputs { return amp::std(x[0]); }, kFloat32Math},
    {"std(x, dims)",
     [](In x, Case c) -> Outputs {
       return amp::std(x[0], integers_from(c, 2), number(c), flag(c, 1));
     },
     kFloat32Math},
    {"amax", [](In x, Case) -> Outputs { return amp::amax(x[0]); }, kOneRounding, "input", kAnything},
    {"amax(x, dims)",
     [](In x, Case c) -> Outputs { return amp::amax(x[0], integers_from(c, 1), flag(c, 0)); },
     kOneRounding, "input", kAnything},
    {"amin", [](In x, Case) -> Outputs { return amp::amin(x[0]); }, kOneRounding, "input", kAnything},
    {"amin(x, dims)",
     [](In x, Case c) -> Outputs { return amp::amin(x[0], integers_from(c, 1), flag(c, 0)); },
     kOneRounding, "input", kAnything},
    {"prod", [](In x, Case) -> Outputs { return amp::prod(x[0]); }, kFloat32Math, "input", kAnything},
    {"prod(x, dim)",
     [](In x, Case c) -> Outputs { return amp::prod(x[0], integer(c, 0), flag(c, 1)); },
     kFloat32Math, "input", kAnything},
    {"logsumexp(x, dims)",
     [](In x, Case c) -> Outputs { return amp::logsumexp(x[0], integers_from(c, 1), flag(c, 0)); },
     kExponentialOfResult, "input", kAnything},
    {"norm", [](In x, Case) -> Outputs { return amp::norm(x[0]); }, kFloat32Math},
    {"norm(x, p, dims)",
     [](In x, Case c) -> Outputs {
       return amp::norm(x[0], number(c), integers_from(c, 2), flag(c, 1));
     },
     kFloat32Math},
    {"normalize",
     [](In x, Case c) -> Outputs {
       return amp::normalize(x[0], number(c), integers_from(c, 2), c.attributes[1]);
     },
     kFloat32Math},
    {"max_pool2d",
     [](In x, Case c) {
       return pool2d([](const auto&... a) { return amp::max_pool2d(a...); }, x, c);
     },
     kOneRounding},
    {"avg_pool2d",
     [](In x, Case c) {
       return pool2d([](const auto&... a) { return amp::avg_pool2d(a...); }, x, c);
     },
     kFloat32Math},
    // Softmax, norms and losses.
    {"softmax", [](In x, Case c) -> Outputs { return amp::softmax(x[0], integer(c, 0)); },
     kTwoRoundings},
    {"log_softmax", [](In x, Case c) -> Outputs { return amp::log_softmax(x[0], integer(c, 0)); },
     kTwoRoundings},
    {"layer_norm",
     [](In x, Case c) -> Outputs {
       return amp::layer_norm(x[0], integers_from(c, 1), optional(x, 1), optional(x, 2), number(c));
     },
     kFloat32Math, "input weight? bias?"},
    {"rms_norm",
     [](In x, Case c) -> Outputs {
       return amp::rms_norm(x[0], integers_from(c, 1), optional(x, 1), number(c));
     },
     kFloat32Math, "input weight?"},
    {"rms_norm(x, shape, weight)",
     [](In x, Case c) -> Outputs {
       return amp::rms_norm(x[0], integers_from(c, 1), optional(x, 1));
     },
     kFloat32Math, "input weight?"},
    {"group_norm",
     [](In x, Case c) -> Outputs {
       return amp::group_norm(x[0], integer(c, 0), optional(x, 1), optional(x, 2), c.attributes[1]);
     },
     kFloat32Math, "input* weight? bias?"},
    {"batch_norm", batch_norm, kFloat32Math, "input* weight? bias? running_mean? running_var?"},
    {"cross_entropy", cross_entropy, kFloat32Math, "logits weight? targets"},
    {"cross_entropy(probabilities)", cross_entropy_of_probabilities, kFloat32Math, "logits targets weight?"},
    {"nll_loss", nll_loss, kFloat32Math, "input weight? targets"},
    {"mse_loss", [](In x, Case c) -> Outputs { return amp::mse_loss(x[0], x[1], reduction(c)); },
     kFloat32Math, "input target"},
    {"binary_cross_entropy_with_logits",
     [](In x, Case c) -> Outputs {
       return amp::binary_cross_entropy_with_logits(x[0], x[1], reduction(c));
     },
     kFloat32Math, "input target"},
    {"binary_cross_entropy_with_logits(input, target, options)", binary_cross_entropy_with_options,
     kFloat32Math, "input target weight? pos_weight?"},
    {"scaled_dot_product_attention", attention, kAttention, "query key value attn_mask?"},
    {"scaled_dot_product_attention(options)", attention_with_options, kAttention, "query key value attn_mask?"},
    {"rotary_embedding", rotary_embedding, kFloat32Math, "input"},
    // Indexing and shapes.
    {"embedding", [](In x, Case c) -> Outputs { return amp::embedding(index(c, x), x[0]); },
     kOneRounding, "weight* input*", kAnything},
    {"index_select",
     [](In x, Case c) -> Outputs { return amp::index_select(x[0], integer(c, 0), index(c, x)); },
     kOneRounding, "input* index*", kAnything},
    {"cat", [](In x, Case c) -> Outputs { return amp::cat(x, integer(c, 0)); }, kOneRounding, "tensors", kAnything},
    {"stack", [](In x, Case c) -> Outputs { return amp::stack(x, integer(c, 0)); }, kOneRounding, "tensors", kAnything},
    {"Tensor::transpose",
     [](In x, Case c) -> Outputs { return x[0].transpose(integer(c, 0), integer(c, 1)); },
     kOneRounding},
    {"Tensor::permute", [](In x, Case c) -> Outputs { return x[0].permute(integers_from(c, 0)); },
     kOneRounding},
    {"Tensor::narrow",
     [](In x,
        Case c) -> Outputs { return x[0].narrow(integer(c, 0), integer(c, 1), integer(c, 2)); },
     kOneRounding},
    {"Tensor::select",
     [](In x, Case c) -> Outputs { return x[0].select(integer(c, 0), integer(c, 1)); },
     kOneRounding},
    {"Tensor::reshape", [](In x, Case c) -> Outputs { return x[0].reshape(integers_from(c, 0)); },
     kOneRounding},
    {"Tensor::flatten",
     [](In x, Case c) -> Outputs { return x[0].flatten(integer(c, 0), integer(c, 1)); },
     kOneRounding},
    {"Tensor::squeeze", [](In x, Case c) -> Outputs { return x[0].squeeze(integer(c, 0)); },
     kOneRounding},
    {"Tensor::unsqueeze", [](In x, Case c) -> Outputs { return x[0].unsqueeze(integer(c, 0)); },
     kOneRounding},
    {"Tensor::expand", [](In x, Case c) -> Outputs { return x[0].expand(integers_from(c, 0)); },
     kOneRounding},
};

}  // namespace bindings

namespace detail {

template <std::size_t... N>
constexpr auto joined(const Binding (&... families)[N]) {
  std::array<Binding, (N + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& family) {
    for (const Binding& binding : family) all[next++] = binding;
  };
  (append(families), ...);
  return all;
}
inline constexpr auto kBindings = joined(
    bindings::kAll, bindings::kOrder, bindings::kProducts, bindings::kLosses, bindings::kMoving,
    bindings::kIndexing, bindings::kWindows, bindings::kResample, bindings::kRecurrent);

}  // namespace detail

inline constexpr std::span<const Binding> kBindings = detail::kBindings;

/// The binding of a case; null where there is none.
inline const Binding* binding_of(std::string_view form) {
  const auto found = std::find_if(kBindings.begin(), kBindings.end(),
                                  [&](const Binding& b) { return b.op == form; });
  return found == kBindings.end() ? nullptr : &*found;
}

// --- calls --------------------------------------------------------------------------------------

/// How the elements of inputs lie in memory.
enum class Layout {
  kContiguous,
  kStrided,  // the first dimension innermost, and a NaN beside every element
};

/// Numbers as a tensor: a leaf, and the view of it that is the input.
struct Source {
  amp::Tensor leaf, input;
  bool is_view = false;

  Source(std::span<const double> values, std::span<const std::int64_t> shape,
         const amp::TensorOptions& options, Layout layout)
      : is_view(layout == Layout::kStrided) {
    if (!is_view) {
      leaf = input = amp::tensor(values, amp::Shape(shape), options);
      return;
    }
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    if (!extents.empty()) std::swap(extents.front(), extents.back());
    extents.push_back(2);
    const bool real = amp::is_floating_point(options.dtype.value_or(amp::kFloat32));
    std::vector<double> padded;
    for (const double value : transposed(values, shape)) {
      padded.push_back(real ? std::numeric_limits<double>::quiet_NaN() : 1);
      padded.push_back(value);
    }
    leaf = amp::tensor(padded, extents, options);
    input = view(leaf);
  }

  /// The input's gradient, in its shape; undefined where there is none.
  amp::Tensor gradient() const {
    const amp::Tensor grad = leaf.grad();
    return is_view && grad.defined() ? view(grad) : grad;
  }
  /// The largest gradient that went to the padding of a view: 0.
  double gradient_beside() const {
    double largest = 0;
    if (!is_view || !leaf.grad().defined()) return largest;
    for (const double g : leaf.grad().select(-1, 0).to_vector<double>())
      largest =
          std::isnan(g) ? std::numeric_limits<double>::infinity() : std::max(largest, std::abs(g));
    return largest;
  }

 private:
  static amp::Tensor view(const amp::Tensor& base) {
    const amp::Tensor elements = base.select(-1, 1);
    return elements.dim() < 2 ? elements : elements.transpose(0, -1);
  }
  /// In the order that swapping the first and last dimension gives.
  static std::vector<double> transposed(std::span<const double> values,
                                        std::span<const std::int64_t> shape) {
    if (shape.size() < 2 || values.empty()) return {values.begin(), values.end()};
    const auto rows = static_cast<std::size_t>(shape.front());
    const auto columns = static_cast<std::size_t>(shape.back());
    const std::size_t between = values.size() / (rows * columns);
    std::vector<double> result;
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t middle = 0; middle < between; ++middle) {
        for (std::size_t row = 0; row < rows; ++row) {
          result.push_back(values[(row * between + middle) * columns + column]);
        }
      }
    }
    return result;
  }
};

/// A case's op applied to its inputs.
struct Call {
  std::vector<Source> sources;
  Outputs outputs;

  Call(const OpCase& c, const amp::Device& device, amp::DType dtype,
       Layout layout = Layout::kContiguous) {
    Inputs inputs;
    for (const goldens::Operand& operand : c.inputs) {
      const bool differentiated = operand.differentiated && amp::is_floating_point(dtype);
      sources.emplace_back(
          operand.values, operand.shape,
          amp::TensorOptions{.dtype = dtype, .device = device, .requires_grad = differentiated},
          layout);
      inputs.push_back(sources.back().input);
    }
    const Binding* const binding = binding_of(c.op);
    AMP_CHECK(binding != nullptr, "no binding for ", c.op);
    outputs = binding->call(inputs, c);
  }

  void backward(const OpCase& c, Layout layout = Layout::kContiguous) const {
    const amp::TensorOptions options{.dtype = outputs[0].dtype(), .device = outputs[0].device()};
    outputs[0].backward(Source(c.grad_output, c.outputs[0].shape, options, layout).input);
  }
};

/// Whether the outputs of a case are differentiated.
inline bool has_gradient(const OpCase& c) {
  return c.outputs[0].kind == goldens::kReal || c.outputs[0].kind == goldens::kRandom;
}

// --- one call of each form ----------------------------------------------------------------------

/// The first of a form's golden cases with the most operands, all of which have dimensions and
/// elements.
inline const OpCase& example(const Binding& binding) {
  const auto has_elements = [](const goldens::Operand& operand) {
    return !operand.values.empty() && !operand.shape.empty();
  };
  const OpCase* found = nullptr;
  for (const OpCase& c : goldens::op_cases()) {
    if (c.op != binding.op || (found != nullptr && c.inputs.size() <= found->inputs.size()) ||
        !std::all_of(c.inputs.begin(), c.inputs.end(), has_elements))
      continue;
    found = &c;
  }
  AMP_CHECK(found != nullptr, "no golden case with elements of ", binding.op);
  return *found;
}

/// The operands of a case; what is differentiated a little smaller, so that no 16-bit format holds
/// it.
inline Inputs inexact_inputs(const OpCase& c, amp::DType dtype) {
  Inputs inputs;
  for (const goldens::Operand& operand : c.inputs) {
    const amp::Tensor x = amp::tensor(operand.values, operand.shape, {.dtype = amp::kFloat64});
    inputs.push_back((operand.differentiated ? x * 0.97 : x).to(amp::kFloat32).to(dtype));
  }
  return inputs;
}

/// The forms of amp's ops. A number over a tensor has the policy of reciprocal.
inline std::string_view listed_name(const Binding& binding) {
  return binding.op == "div(number, x)" ? "reciprocal" : op_of(binding.op);
}
inline bool is_listed(const Binding& binding) { return !binding.op.starts_with("Tensor::"); }

// --- what runs where ----------------------------------------------------------------------------

/// Whether an op runs on a device in a dtype, forward and backward (true where it has none), and if
/// not, what it says.
struct Support {
  bool forward = true, backward = true;
  std::string reason;
};

/// Tries all golden cases of the op. `op` is a name of autocasting::kOpList, or "Tensor::...". A case
/// with a number that the dtype does not hold tells nothing about the op: its refusal does not count.
inline Support support(std::string_view op, const amp::Device& device, amp::DType dtype) {
  Support result;
  for (const OpCase& c : goldens::op_cases()) {
    if (op_of(c.op) != op || !result.forward) continue;
    try {
      result.forward = false;
      const Call call(c, device, dtype);
      result.forward = true;
      if (!has_gradient(c) || !amp::is_floating_point(dtype) || !result.backward) continue;
      result.backward = false;
      call.backward(c);
      result.backward = true;
    } catch (const amp::Error& error) {
      if (std::string_view(error.what()).find("`value` must be a value of") !=
          std::string_view::npos) {
        result.forward = true;
        continue;
      }
      result.reason = error.what();
    }
  }
  result.backward = result.backward && result.forward;
  return result;
}

}  // namespace conformance
