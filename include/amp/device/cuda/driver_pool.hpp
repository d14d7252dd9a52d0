// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA driver's stream-ordered pool of one device's memory: it splits and merges blocks, and
// keeps what is free until it is trimmed.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "amp/device/cuda/context.hpp"

namespace amp::inline v0::cuda::detail {

/// Created at its first use. The device must be current in allocate().
class DriverPool {
 public:
  bool is_made() const { return pool_ != nullptr; }

  /// Returns null if the device has no memory left; throws amp::Error if the call fails otherwise.
  void* allocate(int device, std::int64_t bytes, cudaStream_t stream) {
    if (pool_ == nullptr) make(device);
    void* memory = nullptr;
    const cudaError_t status =
        cudaMallocFromPoolAsync(&memory, static_cast<std::size_t>(bytes), pool_, stream);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return nullptr;
    }
    require(status, "cudaMallocFromPoolAsync");
    return memory;
  }
  /// Gives free memory back to the device. Memory freed on a stream is free once the stream got
  /// there.
  void trim() noexcept {
    if (pool_ != nullptr && cudaMemPoolTrimTo(pool_, 0) != cudaSuccess) (void)cudaGetLastError();
  }
  void destroy() noexcept {
    if (pool_ != nullptr) (void)cudaMemPoolDestroy(std::exchange(pool_, nullptr));
  }

  /// Returns the bytes that the pool holds of the device: cudaMemPoolAttrReservedMemCurrent, or
  /// ...High.
  std::int64_t bytes(cudaMemPoolAttr which) const {
    std::uint64_t value = 0;
    if (pool_ != nullptr) AMP_CUDA_CALL(cudaMemPoolGetAttribute, pool_, which, &value);
    return static_cast<std::int64_t>(value);
  }
  void reset_peak() {
    std::uint64_t none = 0;
    if (pool_ != nullptr)
      AMP_CUDA_CALL(cudaMemPoolSetAttribute, pool_, cudaMemPoolAttrReservedMemHigh, &none);
  }

 private:
  void make(int device) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t pool = nullptr;
    AMP_CUDA_CALL(cudaMemPoolCreate, &pool, &properties);
    std::uint64_t keep = ~std::uint64_t{0};  // keep all free memory in the pool
    if (const cudaError_t status =
            cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
        status != cudaSuccess) {
      (void)cudaMemPoolDestroy(pool);
      raise("cudaMemPoolSetAttribute", status);
    }
    pool_ = pool;
  }

  cudaMemPool_t pool_ = nullptr;
};

}  // namespace amp::inline v0::cuda::detail
