// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Applying a policy to an op: inputs are cast as it says, then the op runs.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/tensor/layout.hpp"
#include "amp/tensor/shadow.hpp"

namespace amp::inline v0::autocasting {

/// `result` is `tensor` in another dtype: its gradient returns in the tensor's own. That of a
/// float32 tensor cast to 16 bits is asked for in float32, so that no op rounds it to 16 bits on
/// the way, as torch does: it overflows later, and a loss scale may stay where torch's backs off.
inline Tensor with_cast_history(const Tensor& result, const Tensor& tensor) {
  if (is_floating_point(result.dtype()) && autograd::recording(tensor)) {
    autograd::record(
        "to", result,
        [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {grad};  // converted by the engine, where it is not in the tensor's dtype yet
        },
        tensor);
    if (tensor.dtype() == kFloat32 && is_low_precision(result.dtype()))
      autograd::node_of(result)->want_gradient_in(kFloat32);
  }
  return result;
}

/// The tensor in another dtype; differentiable.
inline Tensor convert_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  return with_cast_history(amp::detail::copy_as_laid_out(tensor, dtype), tensor);
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

/// What a policy does to the tensors of one call: it depends on the widest dtype among them.
class Casts {
 public:
  Casts(const AutocastState& state, OpPolicy policy) : state_(state), policy_(policy) {}

  void see(const Tensor& tensor) {
    if (!eligible(state_, tensor)) return;
    widest_ = seen_ ? promote_types(widest_, tensor.dtype()) : tensor.dtype();
    seen_ = true;
  }
  /// The dtype to which the tensor is cast; its own where it is left alone.
  DType target(const Tensor& tensor) const {
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
        break;
    }
    return tensor.dtype();
  }
  Tensor apply(const Tensor& tensor) const {
    return tensor.defined() ? cast(tensor, target(tensor), state_.cache_enabled()) : tensor;
  }
  /// The result of the op, whose first input was `first`. One that is no tensor stays as it is.
  template <class Result>
  Result finish(Result result, const Tensor& first) const {
    if constexpr (std::is_same_v<Result, Tensor>) {
      const bool rounds = policy_ == OpPolicy::kFloat32Math && eligible(state_, first) &&
                          result.defined() && is_floating_point(result.dtype());
      return rounds ? convert_dtype(result, first.dtype()) : result;
    } else {
      return result;
    }
  }

 private:
  const AutocastState& state_;
  OpPolicy policy_;
  DType widest_ = kFloat32;  // of the eligible tensors seen
  bool seen_ = false;
};

template <class Function, class... Tensors>
[[gnu::noinline]] auto call_in_scope(OpId op, Function&& function, const Tensors&... tensors) {
  const AutocastState& state = amp::detail::current_autocast();
  Casts casts(state, state.policy(op));
  (casts.see(tensors), ...);
  const auto& first = std::get<0>(std::tie(tensors...));
  return casts.finish(function(casts.apply(tensors)...), first);
}

/// No casts for its lifetime: for the ops that an op is composed of.
struct NoCasts {
  AutocastGuard cpu{kCPU, {.enabled = false}};
  AutocastGuard cuda{kCUDA, {.enabled = false}};
};

/// Runs an op under its policy. Outside of scopes this is the call itself.
template <class Function, class... Tensors>
auto call(OpId op, Function&& function, const Tensors&... tensors) {
  if (!amp::detail::current_autocast().active()) return function(tensors...);
  return call_in_scope(op, function, tensors...);
}

/// The dtype of the result that an op makes of a tensor: its own, or float32 where the policy wants
/// that of tensors which autocast may touch.
class ResultDType {
 public:
  ResultDType() = default;
  explicit ResultDType(const AutocastState& state) : state_(&state) {}
  DType operator()(const Tensor& tensor) const {
    return state_ != nullptr && eligible(*state_, tensor) ? kFloat32 : tensor.dtype();
  }

 private:
  const AutocastState* state_ = nullptr;
};

/// As call(), for an op that reads inputs of any dtype as float32 itself and is told what dtype to
/// give, function(ResultDType, tensors...): no input is cast for it, and none saved in float32 that
/// has 16 bits.
template <class Function, class... Tensors>
auto call_reading(OpId op, Function&& function, const Tensors&... tensors) {
  const AutocastState& state = amp::detail::current_autocast();
  if (!state.active()) return function(ResultDType(), tensors...);
  switch (state.policy(op)) {
    case OpPolicy::kFloat32:
      return function(ResultDType(state), tensors...);
    case OpPolicy::kFloat32Math: {
      const auto& first = std::get<0>(std::tie(tensors...));
      return Casts(state, OpPolicy::kFloat32Math)
          .finish(function(ResultDType(), tensors...), first);
    }
    default:
      return call_in_scope(
          op, [&](const auto&... inputs) { return function(ResultDType(), inputs...); },
          tensors...);
  }
}

/// The same for an op of a list of tensors.
template <class Function>
Tensor call_list(OpId op, Function&& function, std::span<const Tensor> tensors) {
  const AutocastState& state = amp::detail::current_autocast();
  if (!state.active()) return function(tensors);
  Casts casts(state, state.policy(op));
  for (const Tensor& tensor : tensors) casts.see(tensor);
  amp::detail::PoolVector<Tensor> cast_tensors;
  for (const Tensor& tensor : tensors) cast_tensors.push_back(casts.apply(tensor));
  return casts.finish(function(std::span<const Tensor>(cast_tensors)), tensors[0]);
}

}  // namespace amp::inline v0::autocasting

namespace amp::inline v0 {

/// Adds an op of the user's to the policies, or changes the process' default for a listed one.
inline void register_op(std::string_view name, OpPolicy policy) {
  auto& ops = autocasting::registry();
  const detail::ProcessLock lock(detail::LockOf::kOps);
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
  detail::or_out_of_memory([&] { ops.names[count] = std::string(name); });
  ops.policies[count] = policy;
  ops.count.store(count + 1, std::memory_order_release);
}

/// callable(tensors...) under the policy of a listed or registered op, the ops inside it not being
/// cast again; returns what it returns. Does nothing outside of scopes. Throws for an unknown name.
template <class Callable, class... Tensors>
auto autocast_call(std::string_view name, Callable&& callable, const Tensors&... tensors) {
  const autocasting::OpId op(autocasting::find_op(name));
  const auto uncast = [&](const auto&... inputs) {
    if (amp::detail::current_autocast().policy(op) == OpPolicy::kPassthrough)
      return callable(inputs...);
    const autocasting::NoCasts no_casts;
    return callable(inputs...);
  };
  return autocasting::call(op, uncast, tensors...);
}

}  // namespace amp::inline v0
