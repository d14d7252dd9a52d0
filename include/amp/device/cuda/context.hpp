// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The devices of the process and their streams.
#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/device/cuda/error.hpp"
#include "amp/device/cuda/process.hpp"
#include "amp/device/stream.hpp"

namespace amp::inline v0::cuda {
namespace detail {

/// How many devices this process can use; 0 where there is no driver or none. Asked once. Throws in
/// a forked child that cannot use any.
inline int device_count() {
  require_own_process();
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
    require_own_process();
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

/// Streams of graphs, kept for the next graph: with them stay the handles and workspaces that
/// libraries have for each stream.
class AMP_EXPORT IdleStreams {
 public:
  static IdleStreams& instance() { return process_state<IdleStreams>(); }
  /// The device is current.
  cudaStream_t take(int device) {
    const std::lock_guard lock(mutex_);
    Of& of = all_[device];
    cudaStream_t stream = nullptr;
    if (!of.idle.empty()) {
      stream = of.idle.back();
      of.idle.pop_back();
      return stream;
    }
    of.idle.reserve(of.count + 1);  // so that giving it back cannot fail
    AMP_CUDA_CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    ++of.count;
    return stream;
  }
  void give_back(int device, cudaStream_t stream) noexcept {
    const std::lock_guard lock(mutex_);
    all_[device].idle.push_back(stream);
  }
  void release() noexcept {
    const std::lock_guard lock(mutex_);
    for (Of& of : all_) {
      for (const cudaStream_t stream : of.idle) (void)cudaStreamDestroy(stream);
      of.count -= of.idle.size();
      of.idle.clear();
    }
  }

 private:
  struct Of {
    std::vector<cudaStream_t> idle = {};
    std::size_t count = 0;  // of streams made, whoever has them
  };

  std::mutex mutex_;
  Of all_[kMaxDevices];
};

/// What `waiting` is told from now on comes after what `stream` was told until now. The host does
/// not wait.
inline void wait_for(int device, cudaStream_t waiting, cudaStream_t stream) {
  const DeviceGuard guard(device);
  cudaEvent_t event = nullptr;
  AMP_CUDA_CALL(cudaEventCreateWithFlags, &event, cudaEventDisableTiming);
  const cudaError_t recorded = cudaEventRecord(event, stream);
  const cudaError_t waits =
      recorded == cudaSuccess ? cudaStreamWaitEvent(waiting, event, 0) : cudaSuccess;
  (void)cudaEventDestroy(event);  // takes effect when the event has happened
  require(recorded, "cudaEventRecord");
  require(waits, "cudaStreamWaitEvent");
}

/// Throws where this thread records a graph, but this work would not be part of it.
inline void require_recorded(int device, cudaStream_t stream) {
  amp::detail::Capture* const recording = amp::detail::current_recording();
  if (recording == nullptr ||
      (recording->device().index == device && recording->stream() == stream)) [[likely]]
    return;
  amp::detail::refuse(*recording, "Graph: the callable works on cuda:", device,
                      recording->device().index == device ? ", on a stream of its choice" : "",
                      "; a graph records the one stream of ", recording->device(),
                      " that it chose");
}

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
