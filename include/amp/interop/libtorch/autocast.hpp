// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scopes of torch's autocast that restore the previous state at their end, also after exceptions.
#pragma once

#include <ATen/autocast_mode.h>

#include <array>
#include <cstddef>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/core/not_options.hpp"
#include "amp/interop/libtorch/convert.hpp"

namespace amp::inline v0::libtorch {

/// Whether torch caches the low-precision copy of a weight until the outermost scope ends.
enum class WeightCache {
  kOff,  ///< each use of a weight in a scope casts it
  kOn,   ///< torch's own cache, as in Python: a weight that is written inside the scope, other than
         ///< by GradScaler::step, keeps its old copy until clear_cache()
};

/// The state of torch's autocast at one point of a thread.
struct AutocastState {
  struct OfDevice {
    bool enabled = false;
    c10::ScalarType dtype = c10::ScalarType::Half;
  };
  std::array<OfDevice, kDeviceTypeCount> devices = {};  // by DeviceType
  bool cache_enabled = true;
};

namespace detail {

inline AutocastState::OfDevice state_of(DeviceType device) {
#if AMP_TORCH_NAMES_DEVICES
  const c10::DeviceType type = torch_device(device).type();
  return {at::autocast::is_autocast_enabled(type), at::autocast::get_autocast_dtype(type)};
#else
  if (device == kCPU)
    return {at::autocast::is_cpu_enabled(), at::autocast::get_autocast_cpu_dtype()};
  return {at::autocast::is_enabled(), at::autocast::get_autocast_gpu_dtype()};
#endif
}

inline void set_state(DeviceType device, const AutocastState::OfDevice& state) {
#if AMP_TORCH_NAMES_DEVICES
  const c10::DeviceType type = torch_device(device).type();
  at::autocast::set_autocast_enabled(type, state.enabled);
  at::autocast::set_autocast_dtype(type, state.dtype);
#else
  if (device == kCPU) {
    at::autocast::set_cpu_enabled(state.enabled);
    at::autocast::set_autocast_cpu_dtype(state.dtype);
  } else {
    at::autocast::set_enabled(state.enabled);
    at::autocast::set_autocast_gpu_dtype(state.dtype);
  }
#endif
}

inline void set_state(const AutocastState& state) {
  for (std::size_t d = 0; d < kDeviceTypeCount; ++d)
    set_state(static_cast<DeviceType>(d), state.devices[d]);
  at::autocast::set_autocast_cache_enabled(state.cache_enabled);
}

}  // namespace detail

/// Returns the state of this thread. An AutocastGuard can enter it on another thread.
inline AutocastState autocast_state() {
  AutocastState state;
  for (std::size_t d = 0; d < kDeviceTypeCount; ++d)
    state.devices[d] = detail::state_of(static_cast<DeviceType>(d));
  state.cache_enabled = at::autocast::is_autocast_cache_enabled();
  return state;
}

/// Returns whether autocast is enabled for tensors of this device type on this thread.
inline bool is_autocast_enabled(DeviceType device) { return detail::state_of(device).enabled; }
/// Returns the dtype of the enclosing scope, or torch's default for the device if there is none.
inline DType autocast_dtype(DeviceType device) { return *dtype_of(detail::state_of(device).dtype); }

/// Drops the copies of WeightCache::kOn, on all threads.
inline void clear_cache() { at::autocast::clear_cache(); }

/// As long as the guard exists, torch's ops of this thread on tensors of one device type run in the
/// precision of torch's own op list for that device: at::autocast as a scope.
///
/// Meaning: as amp::AutocastGuard, and torch.autocast. Unset options are inherited from the
/// enclosing scope. Scopes can be nested; the end of a scope, also by an exception, restores the
/// previous state, and the end of the outermost scope clears torch's cache.
/// Weights: torch's cache does not see that a weight was written, so that a scope around several
/// steps would train with the weights of the first. The cache is off unless `cache` is kOn. For a
/// network that uses each weight once in a scope this costs nothing.
/// Threads: the state belongs to the thread; autocast_state() copies it to other threads.
/// Errors: throws amp::Error, without changing the state, if `dtype` is not float16, bfloat16 or
/// float32, if this version of torch does not compute it on the device, or if `policies` or
/// `only_low_precision` is set: torch's op lists cannot be changed. Does not synchronise.
///
/// Source: torch/amp/autocast_mode.py, PyTorch 2.15.
class AutocastGuard {
 public:
  /// Enters a scope for devices of this type.
  [[nodiscard]] explicit AutocastGuard(DeviceType device, const AutocastOptions& options = {},
                                       WeightCache cache = WeightCache::kOff) {
    check(device, options);
    at::autocast::increment_nesting();
    AutocastState::OfDevice state = before_.devices[static_cast<std::size_t>(device)];
    state.enabled = options.enabled;
    if (options.dtype) state.dtype = torch_dtype(*options.dtype);
    detail::set_state(device, state);
    at::autocast::set_autocast_cache_enabled(options.cache_enabled && cache == WeightCache::kOn);
  }
  template <amp::detail::NotOptions<AutocastOptions> ByPlace, class... More>
  AutocastGuard(DeviceType, ByPlace, More...) = delete;  // write {.dtype = amp::kFloat16}
  /// The same for a pair of them.
  [[nodiscard]] explicit AutocastGuard(const std::pair<DeviceType, AutocastOptions>& scope)
      : AutocastGuard(scope.first, scope.second) {}
  /// Enters a state that autocast_state() returned, on this thread or another.
  [[nodiscard]] explicit AutocastGuard(const AutocastState& state) {
    at::autocast::increment_nesting();
    detail::set_state(state);
  }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;
  ~AutocastGuard() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    detail::set_state(before_);
  }

 private:
  static void check(DeviceType device, const AutocastOptions& options) {
    if (device != kCPU && device != kCUDA)
      detail::fail("libtorch::AutocastGuard: `device` must be kCPU or kCUDA");
    if (options.dtype && *options.dtype != kFloat16 && *options.dtype != kBFloat16 &&
        *options.dtype != kFloat32)
      detail::fail("libtorch::AutocastGuard: `dtype` must be float16, bfloat16 or float32, but is ",
                   *options.dtype);
#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 3)
    if (device == kCPU && options.enabled && options.dtype == kFloat16)
      detail::fail("libtorch::AutocastGuard: `dtype` must be bfloat16 on the CPU: torch ",
                   TORCH_VERSION_MAJOR, ".", TORCH_VERSION_MINOR,
                   " does not compute float16 there (2.3 does)");
#endif
    if (!options.policies.entries().empty() || options.only_low_precision)
      detail::fail(
          "libtorch::AutocastGuard: `policies` and `only_low_precision` cannot be given: "
          "torch's op lists are compiled into it");
  }

  AutocastState before_ = autocast_state();
};

/// Returns a callable that enters the scope at each call, as amp::autocast does.
template <class Callable>
[[nodiscard]] auto autocast(DeviceType device, AutocastOptions options, Callable callable) {
  return AutocastCallable<AutocastGuard, std::pair<DeviceType, AutocastOptions>, Callable>(
      std::pair(device, std::move(options)), std::move(callable));
}
template <class Callable>
[[nodiscard]] auto autocast(const AutocastState& state, Callable callable) {
  return AutocastCallable<AutocastGuard, AutocastState, Callable>(state, std::move(callable));
}

}  // namespace amp::inline v0::libtorch
