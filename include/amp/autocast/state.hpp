// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The thread's autocast state, and the scope guard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "amp/autocast/op_list.hpp"
#include "amp/autocast/policies.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/not_options.hpp"
#include "amp/core/refcount.hpp"
#include "amp/device/device.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

class AutocastGuard;
class AutocastState;
namespace detail {
class AutocastRestore;
}

/// Adds an op of the program to the policies, or changes the process' default for a listed one.
void register_op(std::string_view name, OpPolicy policy);

/// Options of an autocast scope.
struct AutocastOptions {
  std::optional<DType> dtype =
      {};  // unset: the enclosing scope's, else kFloat16 on CUDA, kBFloat16 on the CPU
  bool enabled = true;
  bool cache_enabled = true;
  OpPolicies policies = {};
  std::optional<bool> only_low_precision = {};  // true: ops of the other policies run on their
                                                // inputs as they are, unless `policies` names them;
                                                // unset: the enclosing scope's, else false
};

namespace autocasting {

/// The thread's state. Its list of policies by module is counted by hand, in set_current(), since
/// the state of a thread has no destructor. AutocastState is one that can be kept.
class AMP_EXPORT State {
 public:
  /// The state outside of any scope.
  constexpr State() { overrides_.fill(kDefault); }

  /// Whether ops on devices of this type are cast.
  bool is_enabled(DeviceType device) const {
    return enabled_[static_cast<std::size_t>(device)] && reaches_here();
  }
  /// The dtype of the scope, for devices of this type.
  DType dtype(DeviceType device) const { return dtypes_[static_cast<std::size_t>(device)]; }
  /// Whether casts of weights are kept and used again.
  bool cache_enabled() const { return cache_enabled_; }
  /// The policy under which the op runs.
  OpPolicy policy(OpId op) const;
  /// The rule that decides policy(op).
  PolicyRule rule(OpId op) const;
  /// The state in force at this point: inside a backward pass, scopes that were entered before it
  /// do not apply.
  AutocastState here() const;
  /// Whether autocast is enabled for any device type here: each op tests this first.
  bool active() const { return (enabled_[0] || enabled_[1]) && reaches_here(); }
  /// Whether policies depend on the module that is called.
  bool has_module_policies() const { return modules_ != nullptr; }
  /// Applies the policies of the module, and of those around it, that are not in force yet.
  void enter_module(std::string_view path);

 private:
  friend class amp::AutocastGuard;
  friend class amp::AutocastState;
  static constexpr std::uint8_t kDefault = 0xff;
  static constexpr std::uint8_t kOfModule = 0x40;  // beside a policy

  /// A scope ends where a backward pass begins.
  bool reaches_here() const { return depth_ == detail::grad_state().backward_depth; }

  std::array<bool, kDeviceTypeCount> enabled_ = {};
  std::array<DType, kDeviceTypeCount> dtypes_ = {kBFloat16, kFloat16};
  bool cache_enabled_ = true;
  bool only_low_precision_ = false;
  int depth_ = 0;
  ModulePolicies* modules_ = nullptr;
  std::uint64_t entered_ = 0;  // a bit for each of these in force
  std::array<std::uint8_t, kMaxOps> overrides_;
};

}  // namespace autocasting

/// The combined state of a thread's autocast scopes at one point. It can be copied to another
/// thread, a hook or a recomputation, and entered there with AutocastGuard.
class AMP_EXPORT AutocastState : public autocasting::State {
 public:
  /// The state outside of any scope.
  AutocastState() = default;
  AutocastState(const AutocastState&) = default;
  AutocastState& operator=(const AutocastState&) = default;
  explicit AutocastState(const autocasting::State& state) : State(state), owned_(modules_) {}

 private:
  friend class AutocastGuard;
  friend class detail::AutocastRestore;

  void apply(const OpPolicies& policies);
  /// Makes this the state of the thread.
  void set_current() const {
    State& current = thread_state<State>();
    const auto old = Ref<autocasting::ModulePolicies>::adopt(current.modules_);
    current = *this;
    (void)Ref(owned_).detach();
  }

  Ref<autocasting::ModulePolicies> owned_;  // modules_
};

inline AutocastState autocasting::State::here() const {
  return reaches_here() ? AutocastState(*this) : AutocastState();
}

namespace detail {
inline autocasting::State& current_autocast() { return thread_state<autocasting::State>(); }
/// Restores the thread's state when it is destroyed.
class AutocastRestore {
 public:
  AutocastRestore() : previous_(current_autocast()) {}
  ~AutocastRestore() { previous_.set_current(); }
  AutocastRestore(const AutocastRestore&) = delete;
  AutocastRestore& operator=(const AutocastRestore&) = delete;

 protected:
  AutocastState previous_;
};
}  // namespace detail

/// The state at this point of this thread.
AutocastState autocast_state();
bool is_autocast_enabled(DeviceType device);
/// The dtype of the enclosing scope, or the device's default outside of any.
DType autocast_dtype(DeviceType device);
/// The policy of an op at this point, also outside scopes. Throws for an unknown name.
OpPolicy op_policy(std::string_view op);

/// Runs the ops of this thread, on tensors of one device type, in the precision that the op list
/// says, for its lifetime.
///
/// Meaning: matmuls and convolutions get their inputs in `dtype`, norms, softmax and losses compute
/// in float32, and other ops take inputs as they are (autocast/op_list.hpp). Wrap the forward pass
/// and the loss. A float32 weight is cast once, not at every use: its copy carries the version of
/// the weight and is refreshed when that version changes (`cache_enabled`).
/// Parameters: the device type, and AutocastOptions; what they leave unset is inherited from the
/// enclosing scope. Scopes nest, for different device types independently of each other;
/// `enabled = false` switches autocast off inside the scope.
/// Threads: the state is the thread's; a new thread starts with none. autocast_state() carries it.
/// Backward: a backward pass inside a scope runs without it, in the dtypes of forward.
/// Errors: amp::Error if `dtype` is not float16, bfloat16 or float32; the state is then unchanged.
/// Leaving the scope, also by an exception, restores what held before.
/// Cost: some 600 bytes copied on entry and exit. Does not allocate, unless there are policies by
/// module; does not synchronise.
///
/// ```cpp
/// const amp::Tensor x = amp::randn({8, 4}), w = amp::randn({2, 4}, {.requires_grad = true});
/// amp::Tensor loss;
/// {
///   const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
///   const amp::Tensor y = amp::linear(x, w);
///   assert(y.dtype() == amp::kFloat16);
///   loss = amp::cross_entropy(y, amp::zeros({8}, {.dtype = amp::kInt64}));
/// }
/// assert(loss.dtype() == amp::kFloat32);
/// loss.backward();
/// assert(w.grad().dtype() == amp::kFloat32);
/// ```
///
/// Source: torch.autocast, PyTorch 2.15.
class AutocastGuard : private detail::AutocastRestore {
 public:
  /// Enters a scope for devices of this type.
  [[nodiscard]] explicit AutocastGuard(DeviceType device, const AutocastOptions& options = {});
  [[nodiscard]] explicit AutocastGuard(const std::pair<DeviceType, AutocastOptions>& scope)
      : AutocastGuard(scope.first, scope.second) {}
  template <detail::NotOptions<AutocastOptions> ByPlace, class... More>
  AutocastGuard(DeviceType, ByPlace, More...) = delete;  // write {.dtype = amp::kFloat16}
  /// Re-enters a state taken by autocast_state(), on this thread or another.
  [[nodiscard]] explicit AutocastGuard(const AutocastState& state);
};

/// The callable that autocast() returns: it calls `callable` under Guard(scope), of options or a
/// state.
template <class Guard, class Scope, class Callable>
class AutocastCallable {
 public:
  /// Keeps the callable, and the scope that each call enters.
  AutocastCallable(Scope scope, Callable callable)
      : scope_(std::move(scope)), callable_(std::move(callable)) {}

  /// Calls it within the scope.
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) {
    const Guard guard(scope_);
    return callable_(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    const Guard guard(scope_);
    return callable_(std::forward<Arguments>(arguments)...);
  }

 private:
  Scope scope_;
  Callable callable_;
};

/// A callable that enters the scope at each call: re-entrant, usable from several threads if
/// `callable` is.
template <class Callable>
[[nodiscard]] auto autocast(DeviceType device, AutocastOptions options, Callable callable) {
  return AutocastCallable<AutocastGuard, std::pair<DeviceType, AutocastOptions>, Callable>(
      std::pair(device, std::move(options)), std::move(callable));
}
template <detail::NotOptions<AutocastOptions> ByPlace, class Callable>
auto autocast(DeviceType, ByPlace, Callable) = delete;  // write {.dtype = amp::kFloat16}
/// The same with a state, for a task of a thread pool, a data loader or a hook, which other threads
/// call: pool.submit(amp::autocast(amp::autocast_state(), task)).
template <class Callable>
[[nodiscard]] auto autocast(const AutocastState& state, Callable callable) {
  return AutocastCallable<AutocastGuard, AutocastState, Callable>(state, std::move(callable));
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autocast/state.ipp"
#endif
