// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// In which dtype each op answers under autocast, and that its values are those of the same op on
// inputs cast by hand.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace op_list {
namespace {

using amp_test::same_bits;
using Inputs = std::vector<amp::Tensor>;

/// Float32 values between 0.25 and 1.45 that no 16-bit format holds exactly.
amp::Tensor values(const amp::Shape& shape) {
  std::vector<float> numbers(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.25F + 0.1F * static_cast<float>((i * 7) % 13);
  return amp::tensor(numbers, shape);
}

enum class Expected { kScope, kFloat32, kInput, kBool, kInt64 };

/// An op, where PyTorch's CUDA list puts it, and a call of it. `inputs` are what autocast may cast.
struct OpCall {
  std::string_view name;
  amp::OpPolicy policy;
  Expected dtype;
  std::vector<amp::Shape> inputs;
  amp::Tensor (*call)(const Inputs&);
};

constexpr auto kLow = amp::OpPolicy::kLowPrecision;
constexpr auto kFull = amp::OpPolicy::kFloat32;
constexpr auto kAsIs = amp::OpPolicy::kPassthrough;

amp::Tensor indices() { return amp::tensor({1, 0}, {2}); }

const std::vector<OpCall>& op_calls() {
  using enum Expected;
  using In = const Inputs&;
  // clang-format off
  static const std::vector<OpCall> calls = {
      {"matmul", kLow, kScope, {{2, 3}, {3, 4}}, [](In x) { return amp::matmul(x[0], x[1]); }},
      {"bmm", kLow, kScope, {{2, 2, 3}, {2, 3, 2}}, [](In x) { return amp::bmm(x[0], x[1]); }},
      {"linear", kLow, kScope, {{2, 3}, {4, 3}, {4}},
       [](In x) { return amp::linear(x[0], x[1], x[2]); }},
      {"feed_forward", kLow, kScope, {{2, 3}, {4, 3}, {4}, {5, 4}, {5}},
       [](In x) { return amp::feed_forward(x[0], x[1], x[2], x[3], x[4]); }},
      {"conv2d", kLow, kScope, {{1, 2, 4, 4}, {3, 2, 3, 3}, {3}},
       [](In x) { return amp::conv2d(x[0], x[1], x[2]); }},
      {"scaled_dot_product_attention", kLow, kScope, {{2, 3}, {4, 3}, {4, 3}},
       [](In x) { return amp::scaled_dot_product_attention(x[0], x[1], x[2]); }},
      {"exp", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::exp(x[0]); }},
      {"log", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::log(x[0]); }},
      {"log1p", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::log1p(x[0]); }},
      {"pow", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::pow(x[0], 3); }},
      {"softmax", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::softmax(x[0], 1); }},
      {"log_softmax", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::log_softmax(x[0], 1); }},
      {"rsqrt", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::rsqrt(x[0]); }},
      {"reciprocal", kFull, kFloat32, {{2, 3}}, [](In x) { return 3 / x[0]; }},
      {"layer_norm", kFull, kFloat32, {{2, 3}, {3}, {3}},
       [](In x) { return amp::layer_norm(x[0], {3}, x[1], x[2]); }},
      {"rms_norm", kFull, kFloat32, {{2, 3}, {3}},
       [](In x) { return amp::rms_norm(x[0], {3}, x[1]); }},
      {"group_norm", kFull, kFloat32, {{2, 4}, {4}, {4}},
       [](In x) { return amp::group_norm(x[0], 2, x[1], x[2]); }},
      {"nll_loss", kFull, kFloat32, {{2, 3}},
       [](In x) { return amp::nll_loss(x[0], indices()); }},
      {"mse_loss", kFull, kFloat32, {{2, 3}, {2, 3}},
       [](In x) { return amp::mse_loss(x[0] * 2, x[1]); }},
      {"binary_cross_entropy_with_logits", kFull, kFloat32, {{2, 3}, {2, 3}},
       [](In x) { return amp::binary_cross_entropy_with_logits(x[0], x[1]); }},
      {"cross_entropy", kFull, kFloat32, {{2, 3}},
       [](In x) { return amp::cross_entropy(x[0], indices()); }},
      {"sum", kFull, kFloat32, {{2, 3}}, [](In x) { return amp::sum(x[0], 1); }},
      {"add", kAsIs, kInput, {{2, 3}, {3}}, [](In x) { return x[0] + x[1]; }},
      {"sub", kAsIs, kInput, {{2, 3}, {3}}, [](In x) { return x[0] - x[1]; }},
      {"mul", kAsIs, kInput, {{2, 3}, {3}}, [](In x) { return x[0] * x[1]; }},
      {"div", kAsIs, kInput, {{2, 3}, {3}}, [](In x) { return x[0] / x[1]; }},
      {"neg", kAsIs, kInput, {{2, 3}}, [](In x) { return -x[0]; }},
      {"abs", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::abs(x[0]); }},
      {"sqrt", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::sqrt(x[0]); }},
      {"tanh", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::tanh(x[0]); }},
      {"sigmoid", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::sigmoid(x[0]); }},
      {"relu", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::relu(x[0]); }},
      {"gelu", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::gelu(x[0]); }},
      {"silu", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::silu(x[0]); }},
      {"max", kAsIs, kInput, {{2, 3}}, [](In x) { return (amp::max)(x[0]); }},
      {"min", kAsIs, kInput, {{2, 3}, {3}}, [](In x) { return (amp::min)(x[0], x[1]); }},
      {"batch_norm", kAsIs, kInput, {{2, 3}, {3}, {3}},
       [](In x) { return amp::batch_norm(x[0], {}, {}, x[1], x[2], true); }},
      {"avg_pool2d", kAsIs, kInput, {{1, 2, 4, 4}}, [](In x) { return amp::avg_pool2d(x[0], 2); }},
      {"dropout", kAsIs, kInput, {{2, 3}},
       [](In x) {
         amp::manual_seed(1);
         return amp::dropout(x[0], 0.25);
       }},
      {"dropout_add", kAsIs, kInput, {{2, 3}, {2, 3}},
       [](In x) {
         amp::manual_seed(1);
         return amp::dropout_add(x[0], x[1], 0.25);
       }},
      {"embedding", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::embedding(indices(), x[0]); }},
      {"cat", kAsIs, kInput, {{2, 3}, {1, 3}}, [](In x) { return amp::cat({x[0], x[1]}); }},
      {"stack", kAsIs, kInput, {{2, 3}, {2, 3}}, [](In x) { return amp::stack({x[0], x[1]}); }},
      {"where", kAsIs, kInput, {{2, 3}, {3}},
       [](In x) { return amp::where(amp::tensor({true, false, true}, {3}), x[0], x[1]); }},
      {"mean", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::mean(x[0]); }},
      {"var", kAsIs, kInput, {{2, 3}}, [](In x) { return amp::var(x[0], 1); }},
      {"argmax", kAsIs, kInt64, {{2, 3}}, [](In x) { return amp::argmax(x[0], 1); }},
      {"max_pool2d", kAsIs, kInput, {{1, 2, 4, 4}}, [](In x) { return amp::max_pool2d(x[0], 2); }},
      {"index_select", kAsIs, kInput, {{2, 3}},
       [](In x) { return amp::index_select(x[0], 1, indices()); }},
      {"eq", kAsIs, kBool, {{2, 3}, {3}}, [](In x) { return amp::eq(x[0], x[1]); }},
      {"ne", kAsIs, kBool, {{2, 3}, {3}}, [](In x) { return amp::ne(x[0], x[1]); }},
      {"lt", kAsIs, kBool, {{2, 3}, {3}}, [](In x) { return amp::lt(x[0], x[1]); }},
      {"le", kAsIs, kBool, {{2, 3}, {3}}, [](In x) { return amp::le(x[0], x[1]); }},
      {"gt", kAsIs, kBool, {{2, 3}, {3}}, [](In x) { return amp::gt(x[0], x[1]); }},
      {"ge", kAsIs, kBool, {{2, 3}, {3}}, [](In x) { return amp::ge(x[0], x[1]); }},
  };
  // clang-format on
  return calls;
}

Inputs inputs_of(const OpCall& op, amp::DType dtype) {
  Inputs inputs;
  for (const amp::Shape& shape : op.inputs) inputs.push_back(values(shape).to(dtype));
  return inputs;
}

Inputs converted(const Inputs& inputs, amp::DType dtype) {
  Inputs result;
  for (const amp::Tensor& input : inputs) result.push_back(input.to(dtype));
  return result;
}

/// The result, or nothing where the op refuses its inputs.
std::optional<amp::Tensor> outcome(const OpCall& op, const Inputs& inputs) {
  try {
    return op.call(inputs);
  } catch (const amp::Error&) {
    return std::nullopt;
  }
}

std::optional<amp::Tensor> outcome_in_scope(const OpCall& op, const Inputs& inputs,
                                            amp::DType scope) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = scope});
  return outcome(op, inputs);
}

amp::DType expected_dtype(const OpCall& op, amp::DType input, amp::DType scope) {
  const bool eligible = input != amp::kFloat64;
  switch (op.dtype) {
    case Expected::kScope:
      return eligible ? scope : input;
    case Expected::kFloat32:
      return eligible ? amp::kFloat32 : input;
    case Expected::kBool:
      return amp::kBool;
    case Expected::kInt64:
      return amp::kInt64;
    case Expected::kInput:
      break;
  }
  return input;
}

/// What autocast casts the inputs to.
amp::DType cast_dtype(const OpCall& op, amp::DType input, amp::DType scope) {
  if (input == amp::kFloat64 || op.policy == kAsIs) return input;
  return op.policy == kLow ? scope : amp::kFloat32;
}

amp::Tensor in_half_scope(amp::Tensor (*call)(const amp::Tensor&), const amp::Tensor& input) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  return call(input.to(amp::kFloat16));
}

}  // namespace

TEST_CASE("op list: every op has a call here, and PyTorch's policy") {
  for (const auto& listed : amp::autocasting::kOpList) {
    INFO(listed.name);
    const auto& calls = op_calls();
    const auto found = std::find_if(calls.begin(), calls.end(),
                                    [&](const OpCall& op) { return op.name == listed.name; });
    REQUIRE(found != calls.end());
    CHECK(found->policy == listed.policy);
  }
  CHECK(op_calls().size() == std::size(amp::autocasting::kOpList));
}

TEST_CASE("op list: the dtype of each op for each input dtype and scope") {
  for (const amp::DType scope : {amp::kFloat16, amp::kBFloat16}) {
    for (const OpCall& op : op_calls()) {
      for (const amp::DType input : {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64}) {
        INFO(op.name << " of " << amp::name(input) << " in a scope of " << amp::name(scope));
        const auto result = outcome_in_scope(op, inputs_of(op, input), scope);
        REQUIRE(result.has_value());
        CHECK(amp::name(result->dtype()) == amp::name(expected_dtype(op, input, scope)));
      }
    }
  }
}

TEST_CASE("op list: values are bit for bit those of inputs cast by hand") {
  for (const amp::DType scope : {amp::kFloat16, amp::kBFloat16}) {
    for (const OpCall& op : op_calls()) {
      for (const amp::DType input : {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64}) {
        INFO(op.name << " of " << amp::name(input) << " in a scope of " << amp::name(scope));
        const Inputs inputs = inputs_of(op, input);
        const auto result = outcome_in_scope(op, inputs, scope);
        const amp::Tensor by_hand = op.call(converted(inputs, cast_dtype(op, input, scope)));
        REQUIRE(result.has_value());
        CHECK(same_bits(*result, by_hand));
      }
    }
  }
}

TEST_CASE("op list: integers are left alone") {
  for (const OpCall& op : op_calls()) {
    for (const amp::DType input : {amp::kInt64, amp::kInt32}) {
      INFO(op.name << " of " << amp::name(input));
      const Inputs inputs = inputs_of(op, input);
      const auto outside = outcome(op, inputs);
      const auto inside = outcome_in_scope(op, inputs, amp::kFloat16);
      REQUIRE(inside.has_value() == outside.has_value());
      if (inside) CHECK(same_bits(*inside, *outside));
    }
  }
}

TEST_CASE("op list: a product of mixed dtypes runs in the scope's") {
  const amp::Tensor a = values({2, 3}), b = values({3, 2});
  CHECK_THROWS_AS(amp::matmul(a, b.to(amp::kFloat16)), amp::Error);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK(amp::matmul(a, b.to(amp::kFloat16)).dtype() == amp::kBFloat16);
  CHECK(amp::matmul(a.to(amp::kBFloat16), b).dtype() == amp::kBFloat16);
}

TEST_CASE("op list: float64 beside float32 in a product is refused, not rounded") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK_THROWS_AS(amp::matmul(values({2, 3}).to(amp::kFloat64), values({3, 2})), amp::Error);
}

TEST_CASE("op list: where elementwise dtypes mix, ordinary promotion holds") {
  const amp::Tensor a = values({8});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK((a * a.to(amp::kFloat16)).dtype() == amp::kFloat32);
  CHECK((a.to(amp::kBFloat16) + a).dtype() == amp::kFloat32);
  CHECK(same_bits(a + a.to(amp::kBFloat16), a + a.to(amp::kBFloat16).to(amp::kFloat32)));
  CHECK(amp::lt(a, a.to(amp::kFloat16)).dtype() == amp::kBool);
}

TEST_CASE("op list: linear rounds a float32 bias to the scope's dtype") {
  const amp::Tensor x = amp::zeros({1, 1}), w = amp::zeros({1, 1});
  const amp::Tensor bias = amp::tensor({1 + 0x1p-9F}, {1});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  const amp::Tensor y = amp::linear(x, w, bias);
  CHECK(y.dtype() == amp::kBFloat16);
  CHECK(y.item<float>() == 1.0F);
}

TEST_CASE("op list: linear's rounding shows the scope's dtype") {
  const amp::Tensor one = amp::ones({1, 1}), w = amp::tensor({1 + 0x1p-8F}, {1, 1});
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    CHECK(amp::linear(one, w).item<float>() == 1.0F);
  }
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(amp::linear(one, w).item<float>() == 1.00390625F);
}

TEST_CASE("op list: results beyond the range of float16 stay finite") {
  const auto value = [](amp::Tensor (*call)(const amp::Tensor&), std::vector<float> x) {
    return in_half_scope(call, amp::tensor(x, {static_cast<std::int64_t>(x.size())}))
        .to(amp::kFloat32)
        .to_vector<float>()[0];
  };
  using T = amp::Tensor;
  CHECK(value([](const T& x) { return amp::exp(x); }, {12}) == Approx(162754.797).epsilon(1e-6));
  CHECK(value([](const T& x) { return amp::pow(x, 2); }, {300}) == 90000);
  CHECK(value([](const T& x) { return amp::sum(x); }, {60000, 60000}) == 120000);
  CHECK(value([](const T& x) { return 1 / x; }, {0x1p-17F}) == 131072);
  CHECK(value([](const T& x) { return 3.0 / x; }, {0x1p-17F}) == 393216);
  CHECK(value([](const T& x) { return amp::reciprocal(x); }, {0x1p-17F}) == 131072);
  CHECK(value([](const T& x) { return amp::log(x); }, {0x1p-24F}) ==
        Approx(-16.6355324).epsilon(1e-7));
}

TEST_CASE("op list: softmax and cross_entropy answer with float32's digits") {
  using T = amp::Tensor;
  const T zeros = amp::zeros({3});
  CHECK(in_half_scope([](const T& x) { return amp::softmax(x, 0); }, zeros).to_vector<float>() ==
        std::vector<float>(3, 1.0F / 3));
  const T loss = in_half_scope(
      [](const T& x) { return amp::cross_entropy(x, amp::tensor({0}, {1})); }, amp::zeros({1, 2}));
  CHECK(loss.item<float>() == Approx(0.693147182).epsilon(1e-7));
}

TEST_CASE("op list: mean stays in float16 and does not overflow on the way") {
  const amp::Tensor mean =
      in_half_scope([](const amp::Tensor& x) { return amp::mean(x); }, amp::full({2}, 60000));
  CHECK(mean.dtype() == amp::kFloat16);
  CHECK(mean.item<float>() == 60000);
}

TEST_CASE("op list: an infinite and a NaN input pass through casts") {
  const amp::Tensor x = amp::tensor({INFINITY, NAN, 1e30F, 1.0F}, {4, 1});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const std::vector<float> y = amp::matmul(x, amp::ones({1, 1})).to_vector<float>();
  CHECK(y[0] == INFINITY);
  CHECK(y[1] != y[1]);
  CHECK(y[2] == INFINITY);
  CHECK(y[3] == 1);
}

TEST_CASE("op list: empty tensors are cast like others") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const amp::Tensor y = amp::matmul(amp::empty({0, 3}), amp::empty({3, 2}));
  CHECK(y.dtype() == amp::kFloat16);
  CHECK(y.shape() == amp::Shape(0, 2));
  CHECK(amp::sum(amp::empty({0}, {.dtype = amp::kFloat16})).dtype() == amp::kFloat32);
}

}  // namespace op_list
