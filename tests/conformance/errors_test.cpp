// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls that cannot be right: every op answers with an amp::Error that begins with its name.
#include <amp/amp.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace {

using amp::Tensor;

struct BadCall {
  std::string_view op;
  std::string_view what;
  std::function<Tensor()> call;
};

Tensor ones(const amp::Shape& shape, amp::DType dtype = amp::kFloat32) {
  return amp::ones(shape, {.dtype = dtype});
}
Tensor first(const std::tuple<Tensor, Tensor>& both) { return std::get<0>(both); }

const std::vector<BadCall>& bad_calls() {
  static const Tensor x = ones({2, 3}), cube = ones({2, 4, 3}), image = ones({1, 4, 4, 4}), none,
                      whole = ones({2, 3}, amp::kInt64), mask = ones({2, 3}, amp::kBool),
                      targets = amp::zeros({2}, {.dtype = amp::kInt64});
  static const std::vector<BadCall> calls = {
      {"matmul", "inner sizes", [] { return amp::matmul(x, x); }},
      {"matmul", "undefined", [] { return amp::matmul(x, none); }},
      {"bmm", "ranks", [] { return amp::bmm(x, x); }},
      {"feed_forward", "hidden extents",
       [] {
         return amp::feed_forward(x, ones({4, 3}), none, ones({2, 3}));
       }},
      {"linear", "features",
       [] {
         return amp::linear(x, ones({4, 2}));
       }},
      {"linear", "bias",
       [] {
         return amp::linear(x, ones({4, 3}), ones({3}));
       }},
      {"conv2d", "channels",
       [] {
         return amp::conv2d(image, ones({2, 3, 2, 2}));
       }},
      {"conv2d", "kernel",
       [] {
         return amp::conv2d(image, ones({2, 4, 5, 5}));
       }},
      {"max_pool2d", "rank", [] { return amp::max_pool2d(x, 2); }},
      {"max_pool2d", "kernel", [] { return amp::max_pool2d(image, 5); }},
      {"avg_pool2d", "rank", [] { return amp::avg_pool2d(x, 2); }},
      {"avg_pool2d", "kernel", [] { return amp::avg_pool2d(image, 5); }},
      {"avg_pool2d", "padding", [] { return amp::avg_pool2d(image, 2, 2, 2); }},
      {"avg_pool2d", "stride", [] { return amp::avg_pool2d(image, 2, 0); }},
      {"add", "shapes", [] { return amp::add(x, ones({2})); }},
      {"add", "undefined", [] { return amp::add(none, x); }},
      {"sub", "shapes", [] { return amp::sub(x, ones({2})); }},
      {"mul", "shapes", [] { return amp::mul(x, ones({2})); }},
      {"div", "shapes", [] { return amp::div(x, ones({2})); }},
      {"eq", "shapes", [] { return amp::eq(x, ones({2})); }},
      {"ne", "shapes", [] { return amp::ne(x, ones({2})); }},
      {"lt", "shapes", [] { return amp::lt(x, ones({2})); }},
      {"le", "shapes", [] { return amp::le(x, ones({2})); }},
      {"gt", "shapes", [] { return amp::gt(x, ones({2})); }},
      {"ge", "undefined", [] { return amp::ge(x, none); }},
      {"pow", "shapes", [] { return amp::pow(x, ones({2})); }},
      {"pow", "a negative power of integers", [] { return amp::pow(whole, -2); }},
      {"pow", "undefined", [] { return amp::pow(2, none); }},
      {"max", "shapes", [] { return amp::max(x, ones({2})); }},
      {"max", "nothing",
       [] {
         return amp::max(ones({0, 3}));
       }},
      {"max", "nothing along the dimension",
       [] {
         return first(amp::max(ones({0, 3}), 0));
       }},
      {"max", "dimension", [] { return first(amp::max(x, 2)); }},
      {"min", "shapes", [] { return amp::min(x, ones({2})); }},
      {"min", "nothing", [] { return amp::min(ones({0})); }},
      {"min", "dimension", [] { return first(amp::min(x, -3)); }},
      {"argmax", "dimension", [] { return amp::argmax(x, 2); }},
      {"argmax", "nothing", [] { return amp::argmax(ones({0})); }},
      {"sum", "dimension", [] { return amp::sum(x, 2); }},
      {"mean", "dimension", [] { return amp::mean(x, -3); }},
      {"var", "dimension", [] { return amp::var(x, 2); }},
      {"var", "integers", [] { return amp::var(whole, 0); }},
      {"neg", "undefined", [] { return amp::neg(none); }},
      {"abs", "undefined", [] { return amp::abs(none); }},
      {"relu", "undefined", [] { return amp::relu(none); }},
      {"gelu", "integers", [] { return amp::gelu(whole); }},
      {"gelu", "undefined", [] { return amp::gelu(none); }},
      {"silu", "integers", [] { return amp::silu(whole); }},
      {"exp", "undefined", [] { return amp::exp(none); }},
      {"log", "undefined", [] { return amp::log(none); }},
      {"log1p", "undefined", [] { return amp::log1p(none); }},
      {"sqrt", "undefined", [] { return amp::sqrt(none); }},
      {"rsqrt", "undefined", [] { return amp::rsqrt(none); }},
      {"reciprocal", "undefined", [] { return amp::reciprocal(none); }},
      {"div", "a number over nothing", [] { return 1 / none; }},
      {"tanh", "undefined", [] { return amp::tanh(none); }},
      {"sigmoid", "undefined", [] { return amp::sigmoid(none); }},
      {"softmax", "dimension", [] { return amp::softmax(x, 2); }},
      {"softmax", "integers", [] { return amp::softmax(whole, 0); }},
      {"log_softmax", "dimension", [] { return amp::log_softmax(x, 2); }},
      {"layer_norm", "shape", [] { return amp::layer_norm(x, {2}); }},
      {"layer_norm", "more dimensions",
       [] {
         return amp::layer_norm(x, {1, 2, 3});
       }},
      {"layer_norm", "no dimensions", [] { return amp::layer_norm(x, amp::Shape()); }},
      {"layer_norm", "weight", [] { return amp::layer_norm(x, {3}, ones({2})); }},
      {"layer_norm", "bias", [] { return amp::layer_norm(x, {3}, ones({3}), ones({1})); }},
      {"layer_norm", "integers", [] { return amp::layer_norm(whole, {3}); }},
      {"layer_norm", "undefined", [] { return amp::layer_norm(none, {3}); }},
      {"rms_norm", "shape", [] { return amp::rms_norm(x, {2}); }},
      {"rms_norm", "weight",
       [] {
         return amp::rms_norm(x, {3}, ones({3, 1}));
       }},
      {"group_norm", "groups", [] { return amp::group_norm(cube, 3); }},
      {"group_norm", "no groups", [] { return amp::group_norm(cube, 0); }},
      {"group_norm", "rank", [] { return amp::group_norm(ones({4}), 2); }},
      {"group_norm", "weight", [] { return amp::group_norm(cube, 2, ones({3})); }},
      {"batch_norm", "rank", [] { return amp::batch_norm(ones({4}), none, none, {}, {}, true); }},
      {"batch_norm", "no statistics", [] { return amp::batch_norm(cube, none, none); }},
      {"batch_norm", "statistics", [] { return amp::batch_norm(cube, ones({3}), ones({4})); }},
      {"batch_norm", "weight",
       [] { return amp::batch_norm(cube, ones({4}), ones({4}), ones({3})); }},
      {"batch_norm", "one value per channel",
       [] {
         return amp::batch_norm(ones({1, 3}), none, none, {}, {}, true);
       }},
      {"cross_entropy", "targets", [] { return amp::cross_entropy(x, ones({3}, amp::kInt64)); }},
      {"cross_entropy", "real targets", [] { return amp::cross_entropy(x, ones({2})); }},
      {"cross_entropy", "smoothing",
       [] { return amp::cross_entropy(x, targets, {.label_smoothing = 1.5}); }},
      {"cross_entropy", "weight",
       [] { return amp::cross_entropy(x, targets, {.weight = ones({2})}); }},
      {"cross_entropy", "a class that is none",
       [] {
         return amp::cross_entropy(x, amp::tensor({0, 3}, {2}));
       }},
      {"nll_loss", "targets", [] { return amp::nll_loss(x, ones({3}, amp::kInt64)); }},
      {"nll_loss", "weight", [] { return amp::nll_loss(x, targets, {.weight = ones({2})}); }},
      {"nll_loss", "a class that is none",
       [] {
         return amp::nll_loss(x, amp::tensor({-1, 0}, {2}));
       }},
      {"mse_loss", "shapes", [] { return amp::mse_loss(x, ones({2})); }},
      {"mse_loss", "integers", [] { return amp::mse_loss(x, whole); }},
      {"binary_cross_entropy_with_logits", "shapes",
       [] { return amp::binary_cross_entropy_with_logits(x, ones({3})); }},
      {"binary_cross_entropy_with_logits", "weight",
       [] { return amp::binary_cross_entropy_with_logits(x, x, {.weight = ones({2})}); }},
      {"binary_cross_entropy_with_logits", "pos_weight",
       [] {
         return amp::binary_cross_entropy_with_logits(x, x, {.pos_weight = ones({2, 2, 3})});
       }},
      {"dropout", "p", [] { return amp::dropout(x, 1.5); }},
      {"dropout", "integers", [] { return amp::dropout(whole); }},
      {"dropout_add", "shapes", [] { return amp::dropout_add(x, ones({3})); }},
      {"dropout_add", "integers", [] { return amp::dropout_add(x, whole); }},
      {"embedding", "indices", [] { return amp::embedding(x, x); }},
      {"embedding", "rank", [] { return amp::embedding(targets, cube); }},
      {"embedding", "a row that is none", [] { return amp::embedding(amp::tensor({2}, {1}), x); }},
      {"index_select", "dimension", [] { return amp::index_select(x, 2, targets); }},
      {"index_select", "indices", [] { return amp::index_select(x, 0, x); }},
      {"index_select", "an index that is none",
       [] { return amp::index_select(x, 0, amp::tensor({2}, {1})); }},
      {"cat", "nothing", [] { return amp::cat(std::vector<Tensor>()); }},
      {"cat", "shapes",
       [] {
         return amp::cat({x, ones({2, 4})});
       }},
      {"cat", "ranks",
       [] {
         return amp::cat({x, ones({3})});
       }},
      {"cat", "scalars",
       [] {
         return amp::cat({ones({}), ones({})});
       }},
      {"cat", "dimension",
       [] {
         return amp::cat({x, x}, 2);
       }},
      {"cat", "undefined",
       [] {
         return amp::cat({x, none});
       }},
      {"stack", "nothing", [] { return amp::stack(std::vector<Tensor>()); }},
      {"stack", "shapes",
       [] {
         return amp::stack({x, ones({3, 2})});
       }},
      {"stack", "dimension",
       [] {
         return amp::stack({x, x}, 3);
       }},
      {"where", "condition", [] { return amp::where(x, x, x); }},
      {"where", "shapes", [] { return amp::where(mask, x, ones({2})); }},
      {"where", "undefined", [] { return amp::where(none, x, x); }},
      {"scaled_dot_product_attention", "widths",
       [] {
         return amp::scaled_dot_product_attention(x, ones({2, 4}), x);
       }},
      {"scaled_dot_product_attention", "keys and values",
       [] {
         return amp::scaled_dot_product_attention(x, x, ones({3, 3}));
       }},
      {"scaled_dot_product_attention", "rank",
       [] { return amp::scaled_dot_product_attention(ones({3}), x, x); }},
      {"scaled_dot_product_attention", "a mask and causal",
       [] {
         return amp::scaled_dot_product_attention(x, x, x, ones({2, 2}), 0, true);
       }},
      {"scaled_dot_product_attention", "mask",
       [] {
         return amp::scaled_dot_product_attention(x, x, x, ones({3, 3}));
       }},
      {"scaled_dot_product_attention", "p",
       [] { return amp::scaled_dot_product_attention(x, x, x, {}, -1); }},
  };
  return calls;
}

}  // namespace

TEST_CASE("bad calls: the error begins with the op's name", "[conformance]") {
  for (const BadCall& bad : bad_calls()) {
    INFO(bad.op << ": " << bad.what);
    const std::string error = amp_test::error_of(bad.call);
    CHECK(error != "");
    CHECK_THAT(error, Catch::Matchers::StartsWith(std::string(bad.op) + ":"));
  }
}

TEST_CASE("bad calls: there is one for every op", "[conformance]") {
  std::set<std::string_view> tried;
  for (const BadCall& bad : bad_calls()) tried.insert(bad.op);
  for (const auto& listed : amp::autocasting::kOpList) {
    INFO(listed.name);
    CHECK(tried.count(listed.name) == 1);
  }
}
