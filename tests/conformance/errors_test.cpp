// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every op answers a call that cannot be right with an amp::Error that begins with its name.
// ops/misuse_test.cpp has the other misuses, and what the messages say.
#include <amp/amp.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/calls.hpp"
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

const std::vector<BadCall>& bad_calls() {
  static const Tensor x = ones({2, 3}), cube = ones({2, 4, 3}), image = ones({1, 4, 4, 4}), none,
                      whole = ones({2, 3}, amp::kInt64), mask = ones({2, 3}, amp::kBool),
                      targets = amp::zeros({2}, {.dtype = amp::kInt64});
  static const std::vector<BadCall> calls = {
      {"matmul", "inner sizes", [] { return amp::matmul(x, x); }},
      {"bmm", "ranks", [] { return amp::bmm(x, x); }},
      {"feed_forward", "hidden extents",
       [] {
         return amp::feed_forward(x, ones({4, 3}), none, ones({2, 3}));
       }},
      {"linear", "features",
       [] {
         return amp::linear(x, ones({4, 2}));
       }},
      {"conv2d", "channels",
       [] {
         return amp::conv2d(image, ones({2, 3, 2, 2}));
       }},
      {"max_pool2d", "rank", [] { return amp::max_pool2d(x, 2); }},
      {"avg_pool2d", "rank", [] { return amp::avg_pool2d(x, 2); }},
      {"add", "shapes", [] { return amp::add(x, ones({2})); }},
      {"sub", "shapes", [] { return amp::sub(x, ones({2})); }},
      {"mul", "shapes", [] { return amp::mul(x, ones({2})); }},
      {"div", "shapes", [] { return amp::div(x, ones({2})); }},
      {"eq", "shapes", [] { return amp::eq(x, ones({2})); }},
      {"ne", "shapes", [] { return amp::ne(x, ones({2})); }},
      {"lt", "shapes", [] { return amp::lt(x, ones({2})); }},
      {"le", "shapes", [] { return amp::le(x, ones({2})); }},
      {"gt", "shapes", [] { return amp::gt(x, ones({2})); }},
      {"pow", "shapes", [] { return amp::pow(x, ones({2})); }},
      {"max", "shapes", [] { return amp::max(x, ones({2})); }},
      {"min", "shapes", [] { return amp::min(x, ones({2})); }},
      {"argmax", "dimension", [] { return amp::argmax(x, 2); }},
      {"sum", "dimension", [] { return amp::sum(x, 2); }},
      {"mean", "dimension", [] { return amp::mean(x, -3); }},
      {"var", "dimension", [] { return amp::var(x, 2); }},
      {"gelu", "integers", [] { return amp::gelu(whole); }},
      {"silu", "integers", [] { return amp::silu(whole); }},
      {"softmax", "dimension", [] { return amp::softmax(x, 2); }},
      {"log_softmax", "dimension", [] { return amp::log_softmax(x, 2); }},
      {"layer_norm", "shape", [] { return amp::layer_norm(x, {2}); }},
      {"rms_norm", "shape", [] { return amp::rms_norm(x, {2}); }},
      {"group_norm", "groups", [] { return amp::group_norm(cube, 3); }},
      {"batch_norm", "rank", [] { return amp::batch_norm(ones({4}), none, none, {}, {}, true); }},
      {"cross_entropy", "targets", [] { return amp::cross_entropy(x, ones({3}, amp::kInt64)); }},
      {"cross_entropy", "probabilities",
       [] { return amp::cross_entropy(x, amp::softmax(x, 1), {.ignore_index = 0}); }},
      {"nll_loss", "targets", [] { return amp::nll_loss(x, ones({3}, amp::kInt64)); }},
      {"mse_loss", "shapes", [] { return amp::mse_loss(x, ones({2})); }},
      {"binary_cross_entropy_with_logits", "shapes",
       [] { return amp::binary_cross_entropy_with_logits(x, ones({3})); }},
      {"dropout", "p", [] { return amp::dropout(x, 1.5); }},
      {"dropout_add", "shapes", [] { return amp::dropout_add(x, ones({3})); }},
      {"embedding", "indices", [] { return amp::embedding(x, x); }},
      {"index_select", "dimension", [] { return amp::index_select(x, 2, targets); }},
      {"cat", "nothing", [] { return amp::cat(std::vector<Tensor>()); }},
      {"stack", "nothing", [] { return amp::stack(std::vector<Tensor>()); }},
      {"where", "condition", [] { return amp::where(x, x, x); }},
      {"scaled_dot_product_attention", "widths",
       [] {
         return amp::scaled_dot_product_attention(x, ones({2, 4}), x);
       }},
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

TEST_CASE("bad calls: an undefined first input is refused by every op", "[conformance]") {
  std::set<std::string_view> tried;
  for (const conformance::Binding& binding : conformance::kBindings) {
    const std::string_view op = conformance::op_of(binding.op);
    if (op.starts_with("Tensor::")) continue;
    for (const goldens::OpCase& c : goldens::op_cases()) {
      if (c.op != binding.op || conformance::has_index(c)) continue;
      INFO(c.op << ": " << c.detail);
      conformance::Inputs inputs;
      for (const goldens::Operand& operand : c.inputs)
        inputs.push_back(amp::tensor(operand.values, amp::Shape(operand.shape)));
      inputs[0] = Tensor();
      const std::string error = amp_test::error_of([&] { return binding.call(inputs, c)[0]; });
      CHECK_THAT(error, Catch::Matchers::StartsWith(std::string(op) + ":"));
      CHECK_THAT(error, Catch::Matchers::ContainsSubstring("undefined"));
      tried.insert(op);
      break;
    }
  }
  for (const BadCall& bad : bad_calls()) tried.insert(bad.op);
  for (const auto& listed : amp::autocasting::kOpList) {
    INFO(listed.name);
    CHECK(tried.count(listed.name) == 1);
  }
}
