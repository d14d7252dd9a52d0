// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "amp/autocast/call.hpp"
#include "amp/autocast/convert.hpp"
#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"

namespace amp::inline v0::autocasting {

AMP_INLINE bool eligible(const State& state, const Tensor& tensor) {
  return tensor.defined() && is_floating_point(tensor.dtype()) && tensor.dtype() != kFloat64 &&
         state.is_enabled(tensor.device().type);
}

AMP_INLINE void Casts::see(const Tensor& tensor) {
  if (!eligible(state_, tensor)) return;
  if (policy_ == OpPolicy::kBanned) [[unlikely]]
    refuse(tensor);
  widest_ = seen_ ? promote_types(widest_, tensor.dtype()) : tensor.dtype();
  seen_ = true;
}

AMP_INLINE DType Casts::target(const Tensor& tensor) const {
  if (!eligible(state_, tensor)) return tensor.dtype();
  switch (policy_) {
    case OpPolicy::kLowPrecision:
      return state_.dtype(tensor.device().type);
    case OpPolicy::kFloat32:
    case OpPolicy::kFloat32Math:
      return kFloat32;
    case OpPolicy::kPromote:
      return widest_;
    case OpPolicy::kPassthrough:
    case OpPolicy::kBanned:
      break;
  }
  return tensor.dtype();
}

AMP_COLD void Casts::refuse(const Tensor& tensor) const {
  const std::string_view instead =
      op_.index < kListedOps ? kOpList[op_.index].instead : std::string_view();
  amp::detail::fail(op_name(op_.index),
                    ": refused under autocast, in which its policy is kBanned, but was given ",
                    describe(tensor), "; ", instead, instead.empty() ? "" : ", or ",
                    "disable autocast around it by AutocastGuard(device, {.enabled = false}) and "
                    "give it float32 inputs");
}

AMP_INLINE Tensor Casts::apply(const Tensor& tensor) const {
  return tensor.defined() ? cast(tensor, target(tensor), state_.cache_enabled()) : tensor;
}

AMP_INLINE bool Casts::rounds(const Tensor& result, const Tensor& first) const {
  return policy_ == OpPolicy::kFloat32Math && eligible(state_, first) && result.defined() &&
         is_floating_point(result.dtype());
}

AMP_INLINE Tensor Casts::rounded(const Tensor& result, const Tensor& first) {
  return convert_dtype(result, first.dtype());
}

AMP_COLD void ObservedOp::begin(OpId op, std::span<const Tensor* const> inputs,
                                std::optional<double> number) {
  const State& state = amp::detail::current_autocast();
  const OpPolicy policy = state.policy(op);
  Casts casts(state, op, policy);
  if (policy != OpPolicy::kBanned) {
    for (const Tensor* const input : inputs) casts.see(*input);
  }
  amp::detail::PoolVector<DType> compute;
  const bool casts_some = state.active() && policy != OpPolicy::kPassthrough;
  int ineligible = 0;
  for (const Tensor* const input : inputs) {
    compute.push_back(input->defined() ? casts.target(*input) : kFloat32);
    if (casts_some && input->defined() && is_floating_point(input->dtype()))
      ineligible += eligible(state, *input) ? 0 : 1;
  }
  autograd::announce_op(
      {op_name(op.index), policy, state.rule(op), inputs, compute, ineligible, number});
}

AMP_COLD ObservedOp::ObservedOp(OpId op, std::span<const Tensor> tensors) {
  amp::detail::PoolVector<const Tensor*> pointers;
  for (const Tensor& tensor : tensors) pointers.push_back(&tensor);
  begin(op, pointers);
}

AMP_COLD ObservedOp::ObservedOp(OpId op, double number, const Tensor& tensor) {
  const Tensor* const inputs[] = {&tensor};
  begin(op, inputs, number);
}

}  // namespace amp::inline v0::autocasting
