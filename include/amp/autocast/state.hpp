// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The thread's autocast state, policies by name, and the scope guard.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/op_list.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/device/device.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace autocasting {

/// The process' ops: the list, and what users registered behind it.
struct AMP_EXPORT Registry {
  std::string names[kMaxOps];  // of registered ops; [0, kListedOps) stay empty
  std::atomic<OpPolicy> policies[kMaxOps] = {};
  std::atomic<int> count = kListedOps;

  Registry() {
    for (int i = 0; i < kListedOps; ++i) policies[i] = kOpList[i].policy;
  }
  std::string_view name(int index) const {
    return index < kListedOps ? kOpList[index].name : std::string_view(names[index]);
  }
};
inline Registry& registry() { return process_state<Registry>(); }

/// Edit distance (Levenshtein), to suggest the name that was meant.
inline std::size_t distance(std::string_view a, std::string_view b) {
  amp::detail::PoolVector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = (std::min)({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The index of an op by name; throws with the nearest name where there is none.
inline int find_op(std::string_view name) {
  Registry& ops = registry();
  const int count = ops.count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (ops.name(i) == name) return i;
  }
  int nearest = 0;
  for (int i = 1; i < count; ++i) {
    if (distance(ops.name(i), name) < distance(ops.name(nearest), name)) nearest = i;
  }
  amp::detail::fail("autocast: there is no op named \"", name, "\"; did you mean \"",
                    ops.name(nearest), "\"? Ops of your own are added by register_op");
}

}  // namespace autocasting

/// Policies by op name, for one scope.
class OpPolicies {
 public:
  OpPolicies() = default;
  OpPolicies(std::initializer_list<std::pair<std::string_view, OpPolicy>> policies) {
    for (const auto& [name, policy] : policies) set(name, policy);
  }
  /// Throws amp::Error for an unknown name.
  void set(std::string_view name, OpPolicy policy) {
    const int op = autocasting::find_op(name);
    detail::or_out_of_memory([&] { policies_.emplace_back(op, policy); });
  }
  const std::vector<std::pair<int, OpPolicy>>& entries() const { return policies_; }

 private:
  std::vector<std::pair<int, OpPolicy>> policies_;
};

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

/// What the autocast scopes of a thread amount to at one point. Copyable: carry it to another
/// thread, a hook, a recomputation, and enter it there with AutocastGuard.
class AMP_EXPORT AutocastState {
 public:
  constexpr AutocastState() { overrides_.fill(kDefault); }

  bool is_enabled(DeviceType device) const {
    return enabled_[static_cast<std::size_t>(device)] && reaches_here();
  }
  DType dtype(DeviceType device) const { return dtypes_[static_cast<std::size_t>(device)]; }
  bool cache_enabled() const { return cache_enabled_; }
  OpPolicy policy(autocasting::OpId op) const {
    const std::uint8_t own = overrides_[op.index];
    if (own != kDefault && reaches_here()) return static_cast<OpPolicy>(own);
    const OpPolicy listed =
        autocasting::registry().policies[op.index].load(std::memory_order_relaxed);
    const bool stands = !only_low_precision_ || listed == OpPolicy::kLowPrecision;
    return stands || !reaches_here() ? listed : OpPolicy::kPassthrough;
  }
  /// What holds at this point: nothing of the scopes around a backward pass holds inside it.
  AutocastState here() const { return reaches_here() ? *this : AutocastState(); }
  /// Whether any op on this thread is cast at all: what each op asks first.
  bool active() const { return (enabled_[0] || enabled_[1]) && reaches_here(); }

 private:
  friend class AutocastGuard;
  static constexpr std::uint8_t kDefault = 0xff;

  /// A scope ends where a backward pass begins.
  bool reaches_here() const { return depth_ == detail::grad_state().backward_depth; }

  std::array<bool, kDeviceTypeCount> enabled_ = {};
  std::array<DType, kDeviceTypeCount> dtypes_ = {kBFloat16, kFloat16};
  bool cache_enabled_ = true;
  bool only_low_precision_ = false;
  int depth_ = 0;
  std::array<std::uint8_t, autocasting::kMaxOps> overrides_;
};

namespace detail {
inline AutocastState& current_autocast() { return thread_state<AutocastState>(); }
}  // namespace detail

/// The state at this point of this thread.
inline AutocastState autocast_state() { return detail::current_autocast().here(); }
inline bool is_autocast_enabled(DeviceType device) {
  return detail::current_autocast().is_enabled(device);
}
/// The dtype of the enclosing scope, or the device's default outside of any.
inline DType autocast_dtype(DeviceType device) { return detail::current_autocast().dtype(device); }
/// The policy of an op at this point, also outside scopes. Throws for an unknown name.
inline OpPolicy op_policy(std::string_view op) {
  return detail::current_autocast().policy(autocasting::OpId(autocasting::find_op(op)));
}

/// Runs the ops of this thread, on tensors of one device type, in the precision that the op list
/// says, for its lifetime.
///
/// Meaning: matmuls and convolutions see their inputs in `dtype`; norms, softmax and losses
/// see them in float32; the rest as they are (autocast/op_list.hpp). Wrap the forward pass and the
/// loss. A float32 weight is cast once, not at every use: its copy carries the version of the
/// weight and is renewed when that moved (`cache_enabled`).
/// Parameters: the device type, and AutocastOptions; what they leave unset is inherited from the
/// enclosing scope. Scopes nest, for different device types independently of each other;
/// `enabled = false` switches off for the inner scope.
/// Threads: the state is the thread's; a new thread starts with none. autocast_state() carries it.
/// Backward: a backward pass inside a scope runs without it, in the dtypes of forward.
/// Errors: amp::Error where `dtype` is not float16, bfloat16 or float32, the state being unchanged.
/// Leaving the scope, also by an exception, restores what held before.
/// Cost: some 200 bytes copied on entry and exit. Does not allocate, does not synchronise.
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
/// Source: torch.autocast, PyTorch 2.6.
class AutocastGuard {
 public:
  [[nodiscard]] explicit AutocastGuard(DeviceType device, const AutocastOptions& options = {})
      : previous_(detail::current_autocast()) {
    AutocastState next = previous_;
    const auto d = static_cast<std::size_t>(device);
    if (!previous_.reaches_here()) next = AutocastState();
    next.depth_ = detail::grad_state().backward_depth;
    next.enabled_[d] = options.enabled;
    next.dtypes_[d] = options.dtype.value_or(previous_.dtypes_[d]);
    AMP_CHECK(!options.enabled || is_low_precision(next.dtypes_[d]) || next.dtypes_[d] == kFloat32,
              "AutocastGuard: `dtype` must be float16, bfloat16 or float32, but is ",
              next.dtypes_[d]);
    next.cache_enabled_ = options.cache_enabled && next.cache_enabled_;
    next.only_low_precision_ = options.only_low_precision.value_or(next.only_low_precision_);
    for (const auto& [op, policy] : options.policies.entries()) {
      next.overrides_[static_cast<std::size_t>(op)] = static_cast<std::uint8_t>(policy);
    }
    detail::current_autocast() = next;
  }
  /// Re-enters a state taken by autocast_state(), on this thread or another.
  [[nodiscard]] explicit AutocastGuard(const AutocastState& state)
      : previous_(detail::current_autocast()) {
    AutocastState next = state;
    next.depth_ = detail::grad_state().backward_depth;
    detail::current_autocast() = next;
  }
  ~AutocastGuard() { detail::current_autocast() = previous_; }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  AutocastState previous_;
};

/// What autocast returns: calls `callable` in the scope of its options.
template <class Callable>
class AutocastCallable {
 public:
  AutocastCallable(DeviceType device, AutocastOptions options, Callable callable)
      : device_(device), options_(std::move(options)), callable_(std::move(callable)) {}

  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) {
    const AutocastGuard guard(device_, options_);
    return callable_(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    const AutocastGuard guard(device_, options_);
    return callable_(std::forward<Arguments>(arguments)...);
  }

 private:
  DeviceType device_;
  AutocastOptions options_;
  Callable callable_;
};

/// A callable that enters the scope at each call: re-entrant, usable from several threads where
/// `callable` is.
template <class Callable>
[[nodiscard]] auto autocast(DeviceType device, AutocastOptions options, Callable callable) {
  return AutocastCallable<Callable>(device, std::move(options), std::move(callable));
}

}  // namespace amp::inline v0
