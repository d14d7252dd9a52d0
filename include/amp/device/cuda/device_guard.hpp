// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The current device of a thread, changed without a context on a device that nothing uses. A
// context takes memory of its device, and the runtime makes one on the current device in almost
// every call, cudaSetDevice() included (CUDA 12 and newer). A thread begins with device 0, so each
// process of a machine would take memory of device 0, although it works on another one.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>

#include "amp/core/globals.hpp"
#include "amp/device/cuda/error.hpp"
#include "amp/device/cuda/process.hpp"
#include "amp/device/stream.hpp"

namespace amp::inline v0::cuda::detail {

/// The devices on which this process was seen to have a context. It keeps one until it ends, or
/// until it calls cudaDeviceReset(), after which amp cannot be used.
struct AMP_EXPORT KnownContexts {
  std::atomic<bool> active[kMaxDevices] = {};
};

/// Whether the process has a context on the device; also if the driver cannot be asked.
inline bool ask_for_context(int device) {
  using Question = decltype(&cuDevicePrimaryCtxGetState);  // programs do not link the driver
  static const auto question = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    constexpr unsigned kSince = 7000;  // the function is as it was in CUDA 7
    const cudaError_t status = cudaGetDriverEntryPointByVersion(
        "cuDevicePrimaryCtxGetState", &found, kSince, cudaEnableDefault, &result);
#else
    const cudaError_t status =
        cudaGetDriverEntryPoint("cuDevicePrimaryCtxGetState", &found, cudaEnableDefault, &result);
#endif
    if (status != cudaSuccess) (void)cudaGetLastError();
    return status == cudaSuccess && result == cudaDriverEntryPointSuccess
               ? reinterpret_cast<Question>(found)
               : nullptr;
  }();
  unsigned flags = 0;
  int active = 0;
  return question == nullptr || question(device, &flags, &active) != CUDA_SUCCESS || active != 0;
}
inline bool has_context(int device) {
  if (device < 0 || device >= kMaxDevices) return ask_for_context(device);
  std::atomic<bool>& known = process_state<KnownContexts>().active[device];
  if (known.load(std::memory_order_relaxed)) [[likely]]
    return true;
  const bool active = ask_for_context(device);
  if (active) known.store(true, std::memory_order_relaxed);
  return active;
}

/// Makes a device current for its lifetime. At its end the device before is current again if the
/// process has a context there; otherwise this one stays current, as with PyTorch's guard.
class DeviceGuard {
 public:
  [[nodiscard]] explicit DeviceGuard(int device) {
    require_own_process();
    AMP_CUDA_CALL(cudaGetDevice, &before_);
    if (device == before_) return;
    AMP_CUDA_CALL(cudaSetDevice, device);
    changed_ = true;
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {
    if (changed_ && has_context(before_)) (void)cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

struct AMP_EXPORT ThreadDevice {
  bool has_context = false;  // whether it was seen that the current device has one
};

/// Precedes calls of this thread that need no current device, on objects of `device`: makes that
/// one current if the current one has no context. Does nothing from the second time on, because
/// the current device can only change to one with a context: cudaSetDevice() makes one (CUDA 12 and
/// newer).
inline void avoid_new_context(int device) noexcept {
  bool& has = thread_state<ThreadDevice>().has_context;
  if (has) [[likely]]
    return;
  int now = 0;
  has = cudaGetDevice(&now) == cudaSuccess &&
        (now == device || has_context(now) || cudaSetDevice(device) == cudaSuccess);
  if (!has) (void)cudaGetLastError();
}

}  // namespace amp::inline v0::cuda::detail
