// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Applying a policy to an op: inputs are cast as it says, then the op runs.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/autograd/function.hpp"
#include "amp/tensor/shadow.hpp"

namespace amp::inline v0::autocasting {

/// `result` is `tensor` in another dtype: its gradient returns in the tensor's own.
inline Tensor with_cast_history(const Tensor& result, const Tensor& tensor) {
  if (is_floating_point(result.dtype()) && autograd::recording(tensor)) {
    autograd::record(
        "to", result,
        [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {grad};  // converted by the engine
        },
        tensor);
  }
  return result;
}

/// The tensor in another dtype; differentiable.
inline Tensor convert_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const Tensor result = empty(tensor.shape(), {.dtype = dtype, .device = tensor.device()});
  amp::detail::copy_elements(tensor, result);
  return with_cast_history(result, tensor);
}

/// As convert_dtype. The low-precision copy of a weight, a float32 leaf that requires gradients, is
/// kept for the next use.
inline Tensor cast(const Tensor& tensor, DType dtype, bool cache) {
  if (tensor.dtype() == dtype) return tensor;
  const bool weight = cache && tensor.dtype() == kFloat32 && autograd::requires_grad(tensor) &&
                      autograd::leaf_of(tensor) != nullptr;
  if (!weight || !amp::detail::can_shadow(tensor, dtype)) return convert_dtype(tensor, dtype);
  return with_cast_history(amp::detail::low_precision_copy(tensor, dtype), tensor);
}

/// Whether autocast may touch the tensor: float64, integers and bool are the user's choice, and a
/// scope is for one device type.
inline bool eligible(const AutocastState& state, const Tensor& tensor) {
  return tensor.defined() && is_floating_point(tensor.dtype()) && tensor.dtype() != kFloat64 &&
         state.is_enabled(tensor.device().type);
}

/// The dtype to which a policy casts an eligible tensor; nothing where it leaves it alone.
template <std::size_t N>
std::array<std::optional<DType>, N> cast_targets(const AutocastState& state, OpPolicy policy,
                                                 const std::array<const Tensor*, N>& tensors) {
  std::array<std::optional<DType>, N> targets;
  std::optional<DType> widest;
  for (const Tensor* tensor : tensors) {
    if (eligible(state, *tensor))
      widest = widest ? promote_types(*widest, tensor->dtype()) : tensor->dtype();
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (!eligible(state, *tensors[i])) continue;
    switch (policy) {
      case OpPolicy::kLowPrecision:
        targets[i] = state.dtype(tensors[i]->device().type);
        break;
      case OpPolicy::kFloat32:
      case OpPolicy::kFloat32Math:
        targets[i] = kFloat32;
        break;
      case OpPolicy::kPromote:
        targets[i] = widest;
        break;
      case OpPolicy::kPassthrough:
        break;
    }
  }
  return targets;
}

template <class Function, class... Tensors>
[[gnu::noinline]] Tensor call_in_scope(OpId op, Function&& function, const Tensors&... tensors) {
  const AutocastState& state = amp::detail::current_autocast();
  const OpPolicy policy = state.policy(op);
  const std::array<const Tensor*, sizeof...(Tensors)> all{&tensors...};
  const auto targets = cast_targets(state, policy, all);
  const bool cache = state.cache_enabled();
  const Tensor result = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return function((targets[I] ? cast(*all[I], *targets[I], cache) : *all[I])...);
  }
  (std::index_sequence_for<Tensors...>{});
  if (policy == OpPolicy::kFloat32Math && targets[0] && is_floating_point(result.dtype()))
    return convert_dtype(result, all[0]->dtype());
  return result;
}

/// Runs an op under its policy. Outside of scopes this is the call itself.
template <class Function, class... Tensors>
Tensor call(OpId op, Function&& function, const Tensors&... tensors) {
  if (!amp::detail::current_autocast().active()) return function(tensors...);
  return call_in_scope(op, function, tensors...);
}

}  // namespace amp::inline v0::autocasting

namespace amp::inline v0 {

/// Adds an op of the user's to the policies, or changes the process' default for a listed one.
inline void register_op(std::string_view name, OpPolicy policy) {
  auto& ops = autocasting::registry();
  const std::lock_guard lock(ops.mutex);
  const int count = ops.count.load();
  for (int i = 0; i < count; ++i) {
    if (ops.name(i) == name) {
      ops.policies[i] = policy;
      return;
    }
  }
  AMP_CHECK(count < autocasting::kMaxOps, "register_op: there is room for ",
            autocasting::kMaxOps - autocasting::kListedOps, " ops");
  AMP_CHECK(!name.empty(), "register_op: `name` must not be empty");
  ops.names[count] = std::string(name);
  ops.policies[count] = policy;
  ops.count.store(count + 1, std::memory_order_release);
}

/// callable(tensors...) under the policy of a listed or registered op, the ops inside it not being
/// cast again. Does nothing outside of scopes. Throws for an unknown name.
template <class Callable, class... Tensors>
auto autocast_call(std::string_view name, Callable&& callable, const Tensors&... tensors) {
  const autocasting::OpId op(autocasting::find_op(name));
  const auto uncast = [&](const auto&... inputs) {
    if (amp::detail::current_autocast().policy(op) == OpPolicy::kPassthrough)
      return callable(inputs...);
    const AutocastGuard cpu(kCPU, {.enabled = false});
    const AutocastGuard cuda(kCUDA, {.enabled = false});
    return callable(inputs...);
  };
  return autocasting::call(op, uncast, tensors...);
}

}  // namespace amp::inline v0
