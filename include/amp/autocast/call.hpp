// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calling something under the policy of an op: its inputs are cast as that says.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autocasting {

/// Whether autocast may touch the tensor: float64, integers and bool are the user's choice, and a
/// scope is for one device type.
bool eligible(const AutocastState& state, const Tensor& tensor);

/// What a policy does to the tensors of one call: it depends on the widest dtype among them.
class Casts {
 public:
  Casts(const AutocastState& state, OpPolicy policy) : state_(state), policy_(policy) {}

  void see(const Tensor& tensor);
  /// The dtype to which the tensor is cast; its own where it is left alone.
  DType target(const Tensor& tensor) const;
  Tensor apply(const Tensor& tensor) const;
  /// The result of the op, whose first input was `first`. One that is no tensor stays as it is.
  template <class Result>
  Result finish(Result result, const Tensor& first) const {
    if constexpr (std::is_same_v<Result, Tensor>) {
      return rounds(result, first) ? rounded(result, first) : result;
    } else {
      return result;
    }
  }

 private:
  bool rounds(const Tensor& result, const Tensor& first) const;
  static Tensor rounded(const Tensor& result, const Tensor& first);

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

}  // namespace amp::inline v0::autocasting

namespace amp::inline v0 {

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

#if AMP_HEADER_ONLY
#include "amp/autocast/call.ipp"
#endif
