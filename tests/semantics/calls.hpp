// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of ops as PyTorch's op-list tests make them, and their common check: under autocast an op
// answers in the listed dtype, with the very bits that inputs cast by hand give without.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <amp/amp.hpp>

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
  amp::Tensor (*call)(const Inputs&);
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

/// The products and convolutions: they run in the dtype of the scope.
inline const std::vector<Call>& low_precision_calls() {
  static const std::vector<Call> calls = {
      {"matmul",
       {values({8, 8}), values({8, 8})},
       [](const Inputs& x) { return amp::matmul(x[0], x[1]); }},
      {"matmul of a matrix and a vector",
       {values({8, 8}), values({8})},
       [](const Inputs& x) { return amp::matmul(x[0], x[1]); }},
      {"bmm",
       {values({4, 8, 8}), values({4, 8, 8})},
       [](const Inputs& x) { return amp::bmm(x[0], x[1]); }},
      {"conv2d",
       {values({4, 4, 8, 8}), values({3, 4, 3, 3}), values({3})},
       [](const Inputs& x) { return amp::conv2d(x[0], x[1], x[2]); }},
      {"scaled_dot_product_attention",
       {values({2, 3, 8}), values({2, 4, 8}), values({2, 4, 8})},
       [](const Inputs& x) { return amp::scaled_dot_product_attention(x[0], x[1], x[2]); }},
  };
  return calls;
}

inline const std::vector<Call>& linear_calls() {
  static const std::vector<Call> calls = {
      {"linear",
       {values({8, 8}), values({8, 8})},
       [](const Inputs& x) { return amp::linear(x[0], x[1]); }},
      {"linear with bias",
       {values({8, 8}), values({8, 8}), values({8})},
       [](const Inputs& x) { return amp::linear(x[0], x[1], x[2]); }},
      {"feed_forward",
       {values({8, 8}), values({16, 8}), values({16}), values({4, 16}), values({4})},
       [](const Inputs& x) { return amp::feed_forward(x[0], x[1], x[2], x[3], x[4]); }},
  };
  return calls;
}

/// The functions, norms and sums that run in float32.
inline const std::vector<Call>& float32_calls() {
  static const std::vector<Call> calls = {
      {"exp", {values({8})}, [](const Inputs& x) { return amp::exp(x[0]); }},
      {"log", {positive({8})}, [](const Inputs& x) { return amp::log(x[0]); }},
      {"log1p", {positive({8})}, [](const Inputs& x) { return amp::log1p(x[0]); }},
      {"pow", {positive({8})}, [](const Inputs& x) { return amp::pow(x[0], 1.7); }},
      {"reciprocal", {positive({8})}, [](const Inputs& x) { return amp::reciprocal(x[0]); }},
      {"a number over a tensor", {positive({8})}, [](const Inputs& x) { return 3 / x[0]; }},
      {"rsqrt", {positive({8})}, [](const Inputs& x) { return amp::rsqrt(x[0]); }},
      {"softmax", {values({8, 8})}, [](const Inputs& x) { return amp::softmax(x[0], 0); }},
      {"log_softmax", {values({8, 8})}, [](const Inputs& x) { return amp::log_softmax(x[0], 0); }},
      {"layer_norm",
       {values({4, 8}), values({8}), values({8})},
       [](const Inputs& x) { return amp::layer_norm(x[0], {8}, x[1], x[2]); }},
      {"rms_norm",
       {values({4, 8}), values({8})},
       [](const Inputs& x) { return amp::rms_norm(x[0], {8}, x[1]); }},
      {"group_norm",
       {values({4, 4, 2}), values({4}), values({4})},
       [](const Inputs& x) { return amp::group_norm(x[0], 2, x[1], x[2]); }},
      {"sum", {values({8, 8})}, [](const Inputs& x) { return amp::sum(x[0]); }},
      {"sum over a dimension", {values({8, 8})}, [](const Inputs& x) { return amp::sum(x[0], 1); }},
  };
  return calls;
}

/// The losses: float32 too.
inline const std::vector<Call>& loss_calls() {
  static const std::vector<Call> calls = {
      {"mse_loss",
       {values({8, 8}), positive({8, 8})},
       [](const Inputs& x) { return amp::mse_loss(x[0], x[1]); }},
      {"binary_cross_entropy_with_logits",
       {values({8, 8}), positive({8, 8})},
       [](const Inputs& x) { return amp::binary_cross_entropy_with_logits(x[0], x[1]); }},
      {"nll_loss",
       {values({4, 8})},
       [](const Inputs& x) {
         return amp::nll_loss(x[0], amp::tensor({1, 7, 0, 3}, {4}));
       }},
      {"cross_entropy",
       {values({4, 8})},
       [](const Inputs& x) {
         return amp::cross_entropy(x[0], amp::tensor({1, 7, 0, 3}, {4}));
       }},
  };
  return calls;
}

/// The others: they run in the dtype of their inputs.
inline const std::vector<Call>& unlisted_calls() {
  static const std::vector<Call> calls = {
      {"add", {values({8}), positive({8})}, [](const Inputs& x) { return amp::add(x[0], x[1]); }},
      {"sqrt", {positive({8})}, [](const Inputs& x) { return amp::sqrt(x[0]); }},
      {"relu", {values({8})}, [](const Inputs& x) { return amp::relu(x[0]); }},
      {"gelu", {values({8})}, [](const Inputs& x) { return amp::gelu(x[0]); }},
      {"tanh", {values({8})}, [](const Inputs& x) { return amp::tanh(x[0]); }},
      {"mean", {values({8})}, [](const Inputs& x) { return amp::mean(x[0]); }},
      {"var", {values({8, 8})}, [](const Inputs& x) { return amp::var(x[0], 1); }},
      {"batch_norm",
       {values({4, 3}), values({3}), values({3})},
       [](const Inputs& x) { return amp::batch_norm(x[0], {}, {}, x[1], x[2], true); }},
      {"max_pool2d",
       {values({1, 2, 4, 4})},
       [](const Inputs& x) { return amp::max_pool2d(x[0], 2); }},
  };
  return calls;
}

}  // namespace semantics_test
