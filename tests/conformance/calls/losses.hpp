// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How losses of elements, margins and sequences are called, and activations with two operands.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/binding.hpp"

namespace conformance {
namespace bindings {

/// A loss of two tensors whose options have at most three numbers.
template <auto Call>
Outputs pair_loss(In x, Case c) {
  const auto number_at = [&](std::size_t i) {
    return i < c.attributes.size() ? c.attributes[i] : 0;
  };
  return Call(x[0], x[1], reduction(c), number_at(1), number_at(2), number_at(3));
}

inline Outputs gaussian_nll_loss(In x, Case c) {
  return amp::gaussian_nll_loss(
      x[0], x[1], x[2], {.reduction = reduction(c), .full = flag(c, 1), .eps = c.attributes[2]});
}
inline Outputs multi_margin_loss(In x, Case c) {
  return amp::multi_margin_loss(x[0], index(c, x),
                                {.reduction = reduction(c),
                                 .p = integer(c, 1),
                                 .margin = c.attributes[2],
                                 .weight = optional(x, 1)});
}
inline Outputs triplet_margin_loss(In x, Case c) {
  return amp::triplet_margin_loss(x[0], x[1], x[2],
                                  {.reduction = reduction(c),
                                   .margin = c.attributes[1],
                                   .p = c.attributes[2],
                                   .eps = c.attributes[3],
                                   .swap = flag(c, 4)});
}
/// The loss of scores, of which log_softmax is taken without rounding it to 16 bits. What cannot be
/// right goes to ctc_loss as it is.
inline Outputs ctc_loss_of_scores(In x, Case c) {
  const amp::autocasting::NoCasts no_casts;
  const amp::Tensor targets = index(c, x);
  const bool right = x[0].defined() && amp::is_floating_point(x[0].dtype()) && targets.defined() &&
                     x[0].device() == targets.device();
  const std::vector<std::int64_t> all = integers_from(c, 3);
  const auto n = static_cast<std::ptrdiff_t>(all.size() / 2);
  const auto lengths = [&](std::ptrdiff_t first) {
    const std::vector<std::int64_t> some(all.begin() + first, all.begin() + first + n);
    return targets.defined() && targets.dim() == 1 && n == 1 ? amp::tensor(some, {})
                                                             : amp::tensor(some, {n});
  };
  const amp::DType dtype = right ? x[0].dtype() : amp::kFloat32;
  const amp::Tensor scores = right ? x[0].to(amp::promote_types(dtype, amp::kFloat32)) : x[0];
  const amp::Tensor loss = amp::ctc_loss(
      right ? amp::log_softmax(scores, -1) : scores, targets, lengths(0), lengths(n),
      {.blank = integer(c, 1), .reduction = reduction(c), .zero_infinity = flag(c, 2)});
  return loss.to(dtype);
}

using amp::Reduction;
using X = const amp::Tensor&;

// The gradient has a difference from a rounded logarithm.
inline constexpr Limits kThroughLogSoftmax{0.51, 0.51, 16};
// Terms cancel, and two gradients of one tensor are rounded before they are added.
inline constexpr Limits kCancels{0.51, 1.01, 128};

// clang-format off
inline constexpr Binding kLosses[] = {
    {"l1_loss", pair_loss<[](X x, X y, Reduction r, double, double, double) { return amp::l1_loss(x, y, {.reduction = r}); }>,
     kFloat32Math, "input target"},
    {"smooth_l1_loss", pair_loss<[](X x, X y, Reduction r, double beta, double, double) { return amp::smooth_l1_loss(x, y, {.reduction = r, .beta = beta}); }>,
     kFloat32Math, "input target"},
    {"huber_loss", pair_loss<[](X x, X y, Reduction r, double delta, double, double) { return amp::huber_loss(x, y, {.reduction = r, .delta = delta}); }>,
     kFloat32Math, "input target"},
    {"kl_div", pair_loss<[](X x, X y, Reduction r, double log_target, double, double) { return amp::kl_div(x, y, {.reduction = r, .log_target = log_target != 0}); }>,
     kCancels, "input target"},
    {"poisson_nll_loss", pair_loss<[](X x, X y, Reduction r, double log_input, double full, double eps) { return amp::poisson_nll_loss(x, y, {.reduction = r, .log_input = log_input != 0, .full = full != 0, .eps = eps}); }>,
     kCancels, "input target"},
    {"gaussian_nll_loss", gaussian_nll_loss, kFloat32Math, "input target var*"},
    {"binary_cross_entropy", [](In x, Case c) -> Outputs { return amp::binary_cross_entropy(x[0], x[1], {.reduction = reduction(c), .weight = flag(c, 1) ? x[2] : amp::Tensor()}); },
     kFloat32Math, "input target weight?"},
    {"multilabel_soft_margin_loss", [](In x, Case c) -> Outputs { return amp::multilabel_soft_margin_loss(x[0], x[1], {.reduction = reduction(c), .weight = flag(c, 1) ? x[2] : amp::Tensor()}); },
     kFloat32Math, "input target weight?"},
    {"soft_margin_loss", pair_loss<[](X x, X y, Reduction r, double, double, double) { return amp::soft_margin_loss(x, y, {.reduction = r}); }>,
     kFloat32Math, "input target#"},
    {"hinge_embedding_loss", pair_loss<[](X x, X y, Reduction r, double margin, double, double) { return amp::hinge_embedding_loss(x, y, {.reduction = r, .margin = margin}); }>,
     kFloat32Math, "input target#"},
    {"margin_ranking_loss", [](In x, Case c) -> Outputs { return amp::margin_ranking_loss(x[0], x[1], x[2], {.reduction = reduction(c), .margin = c.attributes[1]}); },
     kFloat32Math, "input1 input2 target#"},
    {"multi_margin_loss", multi_margin_loss, kFloat32Math, "input weight? targets"},
    {"multilabel_margin_loss", [](In x, Case c) -> Outputs { return amp::multilabel_margin_loss(x[0], index(c, x), {.reduction = reduction(c)}); },
     kFloat32Math, "input targets"},
    {"cosine_embedding_loss", [](In x, Case c) -> Outputs { return amp::cosine_embedding_loss(x[0], x[1], x[2], {.reduction = reduction(c), .margin = c.attributes[1]}); },
     kCancels, "input1 input2 target*#"},
    {"triplet_margin_loss", triplet_margin_loss, kCancels, "anchor positive negative"},
    {"ctc_loss(scores)", ctc_loss_of_scores, kThroughLogSoftmax, "log_probs* targets*"},
    {"hardshrink(x, numbers)", with_number<amp::hardshrink>, kOneRounding},
    {"hardshrink(x, default)", [](In x, Case) -> Outputs { return amp::hardshrink(x[0]); }, kOneRounding},
    {"threshold(x, numbers)", with_numbers<amp::threshold>, kOneRounding, "input", kNumbers},
    {"tanhshrink", unary<amp::tanhshrink>, kCancels, "input", kNumbers},
    {"rrelu(x, numbers)", [](In x, Case c) -> Outputs { return amp::rrelu(x[0], c.attributes[0], c.attributes[1], flag(c, 2)); }, kFloat32Math},
    {"rrelu(x, default)", [](In x, Case) -> Outputs { return amp::rrelu(x[0]); }, kFloat32Math},
    {"prelu", binary<amp::prelu>, kFloat32Math, "input* weight*"},
    {"glu", [](In x, Case c) -> Outputs { return amp::glu(x[0], integer(c, 0)); }, kFloat32Math},
    {"softmin", [](In x, Case c) -> Outputs { return amp::softmin(x[0], integer(c, 0)); }, kTwoRoundings},
    {"gumbel_softmax", [](In x, Case c) -> Outputs { return amp::gumbel_softmax(x[0], {.tau = c.attributes[0], .hard = flag(c, 1), .dim = integer(c, 2)}); },
     kTwoRoundings, "logits"},
};
// clang-format on

}  // namespace bindings
}  // namespace conformance
