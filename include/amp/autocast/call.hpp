// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calling a function under the policy of an op, which says how its inputs are cast.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autocasting {

/// Whether autocast may cast the tensor: it is floating point, but not float64, and on a device
/// type with an enabled scope.
bool eligible(const State& state, const Tensor& tensor);

/// The casts that a policy makes of the tensors of one call; they may depend on the widest dtype
/// among them.
class Casts {
 public:
  /// For one call of this op with this policy, in this state.
  Casts(const State& state, OpId op, OpPolicy policy) : state_(state), op_(op), policy_(policy) {}

  /// Counts the tensor among those that decide; call it for every tensor before target() and
  /// apply(). Throws if the policy is kBanned and autocast may cast the tensor.
  void see(const Tensor& tensor);
  /// The dtype to which the tensor is cast; its own if it is not cast.
  DType target(const Tensor& tensor) const;
  /// The tensor, cast to target(tensor).
  Tensor apply(const Tensor& tensor) const;
  /// The result of the op, whose first input was `first`, rounded if the policy says so. A result
  /// that is no tensor stays as it is.
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
  [[noreturn]] void refuse(const Tensor& tensor) const;

  const State& state_;
  OpId op_;
  OpPolicy policy_;
  DType widest_ = kFloat32;  // of the eligible tensors seen
  bool seen_ = false;
};

/// Announces an op to the thread's observers.
class ObservedOp {
 public:
  /// Announces that the op begins, with these inputs.
  template <class... Tensors>
  ObservedOp(OpId op, const Tensors&... tensors) {
    const Tensor* const inputs[] = {&tensors...};
    begin(op, inputs);
  }
  ObservedOp(OpId op, std::span<const Tensor> tensors);
  /// The same of an op of a tensor and a C++ number.
  ObservedOp(OpId op, double number, const Tensor& tensor);
  ~ObservedOp() {
    if (!ended_) autograd::announce_op_failure();
  }
  ObservedOp(const ObservedOp&) = delete;
  ObservedOp& operator=(const ObservedOp&) = delete;

  /// Announces that the op has ended, and returns its result.
  template <class Result>
  Result end(Result result) {
    ended_ = true;
    if constexpr (std::is_same_v<Result, Tensor>) {
      autograd::announce_op_end(result);
    } else {
      autograd::announce_op_end(Tensor());
    }
    return result;
  }

 private:
  static void begin(OpId op, std::span<const Tensor* const> inputs,
                    std::optional<double> number = {});

  bool ended_ = false;
};

/// function(tensors...) as the policy of the op says, in an enabled scope.
template <class Function, class... Tensors>
[[gnu::noinline]] auto call_in_scope(OpId op, Function&& function, const Tensors&... tensors) {
  const State& state = amp::detail::current_autocast();
  Casts casts(state, op, state.policy(op));
  (casts.see(tensors), ...);
  const auto& first = std::get<0>(std::tie(tensors...));
  return casts.finish(function(casts.apply(tensors)...), first);
}

/// Disables autocast for its lifetime: for the ops that an op is composed of.
struct NoCasts {
  AutocastGuard cpu{kCPU, {.enabled = false}};
  AutocastGuard cuda{kCUDA, {.enabled = false}};
};

/// call() without observers.
template <class Function, class... Tensors>
auto call_unobserved(OpId op, Function&& function, const Tensors&... tensors) {
  if (!amp::detail::current_autocast().active()) return function(tensors...);
  return call_in_scope(op, function, tensors...);
}

/// As call(), announced to the observers of this thread.
template <class Function, class... Tensors>
[[gnu::noinline, gnu::cold]] auto call_observed(OpId op, Function&& function,
                                                const Tensors&... tensors) {
  ObservedOp observed(op, tensors...);
  return observed.end(call_unobserved(op, function, tensors...));
}

/// Runs an op under its policy. Outside of scopes it only calls the function.
template <class Function, class... Tensors>
auto call(OpId op, Function&& function, const Tensors&... tensors) {
  if (autograd::is_observed()) [[unlikely]]
    return call_observed(op, function, tensors...);
  return call_unobserved(op, function, tensors...);
}

/// As call(), for an op of a tensor and a C++ number, which the function has and observers get.
template <class Function>
auto call_beside(OpId op, double number, Function&& function, const Tensor& tensor) {
  if (autograd::is_observed()) [[unlikely]] {
    ObservedOp observed(op, number, tensor);
    return observed.end(call_unobserved(op, function, tensor));
  }
  return call_unobserved(op, function, tensor);
}

/// Runs an op of the program under its policy; the inputs of ops inside it are not cast again.
template <class Callable, class... Tensors>
auto call_custom(OpId op, Callable&& callable, const Tensors&... tensors) {
  const auto uncast = [&](const auto&... inputs) {
    if (amp::detail::current_autocast().policy(op) == OpPolicy::kPassthrough)
      return callable(inputs...);
    const autocasting::NoCasts no_casts;
    return callable(inputs...);
  };
  return call(op, uncast, tensors...);
}

}  // namespace amp::inline v0::autocasting

namespace amp::inline v0 {

/// An op of the program, with the policy that it has unless register_op or a scope says otherwise.
/// A name that is in the op list does not compile.
///
/// ```cpp
/// static constexpr amp::CustomOp kScores("scores", amp::OpPolicy::kLowPrecision);
/// const amp::Tensor x = amp::randn({4, 8});
/// const amp::AutocastGuard autocast(amp::kCPU);
/// const amp::Tensor y = amp::autocast_call(
///     kScores, [](const amp::Tensor& a) { return amp::matmul(a, a.t()); }, x);
/// assert(y.dtype() == amp::kBFloat16);
/// ```
class CustomOp {
 public:
  /// Does not compile if the name is empty, has a slash, or is that of a listed op.
  consteval CustomOp(const char* name, OpPolicy policy) : name_(name), policy_(policy) {
    if (name_.empty() || name_.find('/') != name_.npos) throw "the name is empty, or has a slash";
    if (autocasting::is_listed(name_)) throw "the op list has an op of this name";
  }
  /// The name under which policies find the op.
  constexpr std::string_view name() const { return name_; }
  /// The policy of the op, unless a scope names another for it.
  constexpr OpPolicy policy() const { return policy_; }

 private:
  std::string_view name_;
  OpPolicy policy_;
};

/// Returns callable(tensors...), called under the policy of a listed or registered op: the tensors
/// are cast as it says, and the inputs of ops inside are not cast again. Outside of scopes it only
/// calls. Throws if there is no op of that name.
template <class Callable, class... Tensors>
auto autocast_call(std::string_view name, Callable&& callable, const Tensors&... tensors) {
  return autocasting::call_custom(autocasting::OpId(autocasting::find_op(name)), callable,
                                  tensors...);
}
template <class Callable, class... Tensors>
auto autocast_call(const CustomOp& op, Callable&& callable, const Tensors&... tensors) {
  return autocasting::call_custom(autocasting::find_or_register(op.name(), op.policy()), callable,
                                  tensors...);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autocast/call.ipp"
#endif
