// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Page-locked host memory through which the host hands data to a device without waiting for it.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "amp/device/cuda/context.hpp"

namespace amp::inline v0::cuda::detail {

/// Buffers of one device. A copy takes one that the device has read, or a new one: whoever copies
/// may change the source when the call returns.
class AMP_EXPORT Staging {
 public:
  /// Enqueues a copy of host memory to the device. Called with the device current.
  void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    Buffer& buffer = take(bytes);
    std::memcpy(buffer.memory, from, bytes);
    AMP_CUDA_CALL(cudaMemcpyAsync, to, buffer.memory, bytes, cudaMemcpyDefault, stream);
    buffer.read_known = false;  // unless the record below succeeds
    AMP_CUDA_CALL(cudaEventRecord, buffer.read, stream);
    buffer.read_known = true;
  }

  void release() noexcept {
    const std::lock_guard lock(mutex_);
    for (const Buffer& buffer : buffers_) {
      (void)cudaEventSynchronize(buffer.read);
      (void)cudaEventDestroy(buffer.read);
      (void)cudaFreeHost(buffer.memory);
    }
    buffers_.clear();
  }

 private:
  struct Buffer {
    void* memory = nullptr;
    std::size_t size = 0;
    cudaEvent_t read = nullptr;  // happens when the device has read it
    bool read_known = true;      // else it may be read at any time
  };

  Buffer& take(std::size_t bytes) {
    for (Buffer& buffer : buffers_) {
      if (!buffer.read_known || buffer.size < bytes || buffer.size > 4 * bytes + kSmallest)
        continue;
      const cudaError_t status = cudaEventQuery(buffer.read);
      if (status == cudaSuccess) return buffer;
      if (status != cudaErrorNotReady) raise("cudaEventQuery", status);
      (void)cudaGetLastError();
    }
    buffers_.reserve(buffers_.size() + 1);
    Buffer buffer;
    buffer.size = std::bit_ceil(bytes < kSmallest ? kSmallest : bytes);
    AMP_CUDA_CALL(cudaEventCreateWithFlags, &buffer.read, cudaEventDisableTiming);
    if (const cudaError_t status = cudaMallocHost(&buffer.memory, buffer.size);
        status != cudaSuccess) {
      (void)cudaEventDestroy(buffer.read);
      raise("cudaMallocHost", status);
    }
    buffers_.push_back(buffer);
    return buffers_.back();
  }

  static constexpr std::size_t kSmallest = 4096;

  std::mutex mutex_;
  std::vector<Buffer> buffers_;
};

struct AMP_EXPORT StagingBuffers {
  Staging of[kMaxDevices];
};
inline Staging& staging(int device) { return process_state<StagingBuffers>().of[device]; }

}  // namespace amp::inline v0::cuda::detail
