// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stream on which a communicator works, concurrently with the streams that compute.
#pragma once

#include <cuda_runtime.h>

#include "amp/device/cuda/cache.hpp"
#include "amp/device/cuda/context.hpp"

namespace amp::inline v0::cuda::detail {

/// A stream that is not ordered with the default stream, with the highest priority of the device.
class CommunicationStream {
 public:
  explicit CommunicationStream(int device) : device_(device) {
    const DeviceGuard guard(device);
    int least = 0, greatest = 0;
    AMP_CUDA_CALL(cudaDeviceGetStreamPriorityRange, &least, &greatest);
    AMP_CUDA_CALL(cudaStreamCreateWithPriority, &stream_, cudaStreamNonBlocking, greatest);
  }
  CommunicationStream(const CommunicationStream&) = delete;
  CommunicationStream& operator=(const CommunicationStream&) = delete;
  ~CommunicationStream() {
    if (is_forked()) return;
    try {
      release_stream(stream_, device_);
    } catch (...) {  // empty_cache() frees its memory
    }
    (void)cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace amp::inline v0::cuda::detail
