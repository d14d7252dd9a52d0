// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Variants of call() for implementations of ops: for ops that read inputs of any dtype, and for ops
// of a list. Includes what they all use to record, lay out and dispatch.
#pragma once

#include <span>
#include <tuple>

#include "amp/autocast/call.hpp"
#include "amp/autocast/convert.hpp"
#include "amp/autocast/state.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::autocasting {

/// The dtype of the result that an op makes of a tensor: its own, or float32 if the policy is
/// kFloat32 and autocast may cast the tensor.
class ResultDType {
 public:
  ResultDType() = default;
  /// float32 for each tensor that the scope casts.
  explicit ResultDType(const State& state) : state_(&state) {}
  DType operator()(const Tensor& tensor) const {
    return state_ != nullptr && eligible(*state_, tensor) ? kFloat32 : tensor.dtype();
  }

 private:
  const State* state_ = nullptr;
};

/// call_reading() without observers.
template <class Function, class... Tensors>
auto call_reading_unobserved(OpId op, Function&& function, const Tensors&... tensors) {
  const State& state = amp::detail::current_autocast();
  if (!state.active()) return function(ResultDType(), tensors...);
  switch (state.policy(op)) {
    case OpPolicy::kFloat32:
      return function(ResultDType(state), tensors...);
    case OpPolicy::kFloat32Math: {
      const auto& first = std::get<0>(std::tie(tensors...));
      return Casts(state, op, OpPolicy::kFloat32Math)
          .finish(function(ResultDType(), tensors...), first);
    }
    default:
      return call_in_scope(
          op, [&](const auto&... inputs) { return function(ResultDType(), inputs...); },
          tensors...);
  }
}

/// As call(), for an op that reads inputs of any dtype as float32 itself and takes the dtype of its
/// result as an argument, function(ResultDType, tensors...). Under kFloat32 its inputs are not
/// cast, so that 16-bit inputs are saved for backward as they are.
template <class Function, class... Tensors>
auto call_reading(OpId op, Function&& function, const Tensors&... tensors) {
  if (autograd::is_observed()) [[unlikely]] {
    ObservedOp observed(op, tensors...);
    return observed.end(call_reading_unobserved(op, function, tensors...));
  }
  return call_reading_unobserved(op, function, tensors...);
}

/// call_list() without observers.
template <class Function>
Tensor call_list_unobserved(OpId op, Function&& function, std::span<const Tensor> tensors) {
  const State& state = amp::detail::current_autocast();
  if (!state.active()) return function(tensors);
  Casts casts(state, op, state.policy(op));
  for (const Tensor& tensor : tensors) casts.see(tensor);
  amp::detail::PoolVector<Tensor> cast_tensors;
  for (const Tensor& tensor : tensors) cast_tensors.push_back(casts.apply(tensor));
  return casts.finish(function(std::span<const Tensor>(cast_tensors)), tensors[0]);
}

/// As call(), for an op of a list of tensors.
template <class Function>
Tensor call_list(OpId op, Function&& function, std::span<const Tensor> tensors) {
  if (autograd::is_observed()) [[unlikely]] {
    ObservedOp observed(op, tensors);
    return observed.end(call_list_unobserved(op, function, tensors));
  }
  return call_list_unobserved(op, function, tensors);
}

}  // namespace amp::inline v0::autocasting
