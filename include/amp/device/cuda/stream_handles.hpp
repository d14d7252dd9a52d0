// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A library's handle for each stream of a device.
#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <unordered_map>

#include "amp/device/cuda/context.hpp"

namespace amp::inline v0::cuda::detail {

/// The handles of one device, each made at the first use of its stream: what runs on two streams at
/// a time shares none. `Handle` is constructed from (device, stream), the device being current, and
/// gives itself back when it is destroyed; get() is what the library's calls take.
template <class Handle>
class StreamHandles {
 public:
  /// Calls call(handle) with the handle of the current stream, the device being current. Alone: a
  /// handle is not to be used by two threads at a time.
  template <class Call>
  void with_handle(int device, const Call& call) {
    require_own_process();  // a forked child might wait for ever for the mutex
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(device);
    const cudaStream_t stream = current_stream(device);
    call(handles_.try_emplace(stream, device, stream).first->second.get());
  }

  /// Waits for the device, where there is a handle.
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      const DeviceGuard guard(device);
      handles_.clear();
    } catch (...) {  // a device that cannot be made current has lost its handles already
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<cudaStream_t, Handle> handles_;
};

}  // namespace amp::inline v0::cuda::detail
