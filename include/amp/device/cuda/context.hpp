// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The devices of the process and their streams.
#pragma once

#include <cuda_runtime.h>

#include <mutex>

#include "amp/device/cuda/error.hpp"
#include "amp/device/stream.hpp"

namespace amp::inline v0::cuda {
namespace detail {

/// How many devices this process can use; 0 where there is no driver or none. Asked once.
inline int device_count() {
  static const int count = [] {
    int found = 0;
    if (cudaGetDeviceCount(&found) != cudaSuccess) {
      (void)cudaGetLastError();
      return 0;
    }
    return found < kMaxDevices ? found : kMaxDevices;
  }();
  return count;
}

/// Makes a device current for the calls that follow.
class DeviceGuard {
 public:
  [[nodiscard]] explicit DeviceGuard(int device) {
    AMP_CUDA_CALL(cudaGetDevice, &before_);
    if (device == before_) return;
    AMP_CUDA_CALL(cudaSetDevice, device);
    changed_ = true;
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {
    if (changed_) (void)cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// amp's own stream of each device, made at its first use. Not ordered with the legacy default
/// stream.
class AMP_EXPORT OwnStreams {
 public:
  static OwnStreams& instance() { return process_state<OwnStreams>(); }
  cudaStream_t of(int device) {
    const std::lock_guard lock(mutex_);
    cudaStream_t& stream = streams_[device];
    if (stream == nullptr) {
      const DeviceGuard guard(device);
      AMP_CUDA_CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    }
    return stream;
  }
  void release() noexcept {
    const std::lock_guard lock(mutex_);
    for (cudaStream_t& stream : streams_) {
      if (stream != nullptr) (void)cudaStreamDestroy(stream);
      stream = nullptr;
    }
  }

 private:
  std::mutex mutex_;
  cudaStream_t streams_[kMaxDevices] = {};
};

}  // namespace detail

/// The stream that takes this thread's work on a device: for one's own kernels.
inline cudaStream_t current_stream(int device = 0) {
  AMP_CHECK(device >= 0 && device < detail::device_count(), "current_stream: `device` must be ",
            "one of the ", detail::device_count(), " of this machine, but is ", device);
  const auto& choice = thread_state<amp::detail::CurrentStreams>().choices[device];
  return choice.made ? static_cast<cudaStream_t>(choice.stream)
                     : detail::OwnStreams::instance().of(device);
}

}  // namespace amp::inline v0::cuda
