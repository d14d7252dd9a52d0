// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// cuBLAS: its status codes as exceptions, and a handle for each stream of each device.
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/memory.hpp"

namespace amp::inline v0::cuda::detail {

/// Throws amp::Error where `status` is one, naming the call: AMP_CUDA_CALL(cublasX, ...).
inline void require(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  amp::detail::fail(call, ": ", cublasGetStatusName(status), " (", static_cast<int>(status),
                    "): ", cublasGetStatusString(status));
}

/// The handles of one device, made at first use. One per stream, each with a workspace of its own:
/// what runs on two streams at a time shares nothing, so that results have the same bits every time
/// (cuBLAS documentation, "Results Reproducibility").
class AMP_EXPORT BlasHandles {
 public:
  /// Calls call(handle) with the handle of the current stream, the device being current. Alone: a
  /// handle is not to be used by two threads at a time.
  template <class Call>
  void with_handle(int device, const Call& call) {
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(device);
    call(of(device, current_stream(device)));
  }

  /// Waits for the device, where there is a handle.
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      const DeviceGuard guard(device);
      for (const auto& [stream, entry] : entries_) dispose(device, stream, entry);
    } catch (...) {  // a device that cannot be made current has lost its handles already
    }
    entries_.clear();
  }

 private:
  struct Entry {
    cublasHandle_t handle = nullptr;
    void* workspace = nullptr;
  };

  cublasHandle_t of(int device, cudaStream_t stream) {
    Entry& entry = entries_[stream];
    if (entry.handle != nullptr) return entry.handle;
    try {
      AMP_CUDA_CALL(cublasCreate, &entry.handle);
      entry.workspace = memory_pool(device).allocate(device, kWorkspaceBytes);
      AMP_CUDA_CALL(cublasSetStream, entry.handle, stream);  // resets the workspace: before it
      AMP_CUDA_CALL(cublasSetWorkspace, entry.handle, entry.workspace,
                    static_cast<std::size_t>(kWorkspaceBytes));
      // No TF32, and partial sums of 16-bit products are added in float32.
      AMP_CUDA_CALL(cublasSetMathMode, entry.handle,
                    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    } catch (...) {
      dispose(device, stream, entry);
      entries_.erase(stream);
      throw;
    }
    return entry.handle;
  }
  /// Gives the workspace back under the stream that it belongs to: nothing has to wait for it.
  static void dispose(int device, cudaStream_t stream, const Entry& entry) noexcept {
    if (entry.handle != nullptr) (void)cublasDestroy(entry.handle);
    if (entry.workspace == nullptr) return;
    const StreamGuard guard(Device{kCUDA, device}, stream);
    memory_pool(device).deallocate(device, entry.workspace);
  }

  /// What cuBLAS recommends for Hopper (documentation of cublasSetWorkspace()); others need less.
  static constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

  std::mutex mutex_;
  std::unordered_map<cudaStream_t, Entry> entries_;
};

inline AMP_EXPORT BlasHandles& blas_handles(int device) {
  static auto* const all = new BlasHandles[kMaxDevices];
  return all[device];
}

}  // namespace amp::inline v0::cuda::detail
