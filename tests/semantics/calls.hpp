// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of ops as PyTorch's op-list tests make them, and their common check: under autocast an op
// answers in the listed dtype, with the very bits that inputs cast by hand give without.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "conformance/calls.hpp"
#include "support/catch.hpp"

namespace semantics_test {

using Inputs = std::vector<amp::Tensor>;

/// Float32 numbers of either sign, near 1 in size, that no 16-bit format holds exactly.
inline amp::Tensor values(const amp::Shape& shape) {
  std::vector<float> numbers(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float size = 0.3F + 0.1F * static_cast<float>(i * 5 % 11);
    numbers[i] = i % 3 == 1 ? -size : size;
  }
  return amp::tensor(numbers, shape);
}
/// The same without the signs, for logarithms and roots.
inline amp::Tensor positive(const amp::Shape& shape) { return amp::abs(values(shape)); }

struct Call {
  std::string_view name;
  Inputs inputs;  // float32; what autocast may cast
  std::function<amp::Tensor(const Inputs&)> call;
};

inline Inputs converted(const Inputs& inputs, amp::DType dtype) {
  Inputs result;
  for (const amp::Tensor& input : inputs) result.push_back(input.to(dtype));
  return result;
}

/// One dtype and one list of values.
inline bool same(const amp::Tensor& a, const amp::Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.to_vector<double>() == b.to_vector<double>();
}

/// With inputs of dtype `given`, the call answers in `expected` in a scope of `scope`, as it does
/// without autocast for inputs in `by_hand`.
inline void check_out_of_place(const Call& op, amp::DType given, amp::DType scope,
                               amp::DType expected, amp::DType by_hand) {
  INFO(op.name << " of " << amp::name(given) << " in a scope of " << amp::name(scope));
  const Inputs inputs = converted(op.inputs, given);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  {
    const amp::AutocastGuard on(amp::kCPU, {.dtype = scope});
    const amp::Tensor result = op.call(inputs);
    CHECK(amp::name(result.dtype()) == amp::name(expected));
    {
      const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
      CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
      CHECK(same(result, op.call(converted(inputs, by_hand))));
    }
    CHECK(amp::is_autocast_enabled(amp::kCPU));
  }
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
}

/// A call of each form of the ops that `chosen` accepts; of those whose results are real, if `real`.
template <class Chosen>
std::vector<Call> calls_of(const Chosen& chosen, bool real = false) {
  std::vector<Call> calls;
  for (const conformance::Binding& binding : conformance::kBindings) {
    if (!conformance::is_listed(binding) || !chosen(conformance::listed_name(binding))) continue;
    const conformance::OpCase& c = conformance::example(binding);
    if (real && c.outputs[0].kind != goldens::kReal && c.outputs[0].kind != goldens::kRandom)
      continue;
    const Inputs inputs = conformance::inexact_inputs(c, amp::kFloat32);
    calls.push_back({binding.op, inputs, [&binding, &c](const Inputs& x) {
                       amp::manual_seed(1);
                       conformance::Inputs given;
                       given.assign(x.begin(), x.end());
                       return binding.call(given, c)[0];
                     }});
  }
  return calls;
}
inline bool is_linear(std::string_view op) { return op == "linear" || op == "feed_forward"; }
inline bool is_loss(std::string_view op) {
  return amp::op_policy(op) == amp::OpPolicy::kFloat32 &&
         (op.ends_with("_loss") || op.find("cross_entropy") != op.npos);
}

/// The products and convolutions: they run in the dtype of the scope.
inline std::vector<Call> low_precision_calls() {
  return calls_of([](std::string_view op) {
    return amp::op_policy(op) == amp::OpPolicy::kLowPrecision && !is_linear(op);
  });
}
inline std::vector<Call> linear_calls() { return calls_of(is_linear); }
/// The functions, norms and sums that run in float32.
inline std::vector<Call> float32_calls() {
  return calls_of([](std::string_view op) {
    return amp::op_policy(op) == amp::OpPolicy::kFloat32 && !is_loss(op);
  });
}
/// The losses: float32 too.
inline std::vector<Call> loss_calls() { return calls_of(is_loss); }
/// The others whose result is real: they run in the dtype of their inputs.
inline std::vector<Call> unlisted_calls() {
  return calls_of(
      [](std::string_view op) { return amp::op_policy(op) == amp::OpPolicy::kPassthrough; }, true);
}

}  // namespace semantics_test
