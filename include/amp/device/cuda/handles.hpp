// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// cuBLAS: its status codes as exceptions, amp's handle for each stream of each device, the user's
// handles.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "amp/device/cuda/blas_handle_guard.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/loaded_libraries.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/device/cuda/stream_handles.hpp"
#include "amp/device/math_precision.hpp"

namespace amp::inline v0::cuda {
namespace detail {

/// A failed call of cuBLAS or cuBLASLt.
struct AMP_EXPORT BlasError final : Error {
  BlasError(const std::string& what, cublasStatus_t why) : Error(what), status(why) {}
  cublasStatus_t status;
};

/// Throws BlasError if `status` is an error, naming the call: AMP_CUDA_CALL(cublasX, ...).
inline void require(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw amp::detail::or_out_of_memory([&] {
    return BlasError(std::string(call) + ": " + cublasGetStatusName(status) + " (" +
                         std::to_string(static_cast<int>(status)) +
                         "): " + cublasGetStatusString(status),
                     status);
  });
}

/// The arguments of a call of cuBLAS or cuBLASLt. The workspace is null for a user's handle, which
/// has its own.
struct BlasCall {
  cublasHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;

  /// "A valid cublasHandle_t can be used in place of cublasLtHandle_t with a simple cast" (cuBLAS
  /// documentation of cublasLtHandle_t).
  cublasLtHandle_t light() const { return reinterpret_cast<cublasLtHandle_t>(handle); }
};

/// Returns cuBLAS's math mode for this thread's MathPrecision.
inline cublasMath_t blas_math_mode() {
  const MathPrecision precision = math_precision();
  return static_cast<cublasMath_t>(
      (precision.allow_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH) |
      (precision.allow_reduced_precision_reduction
           ? 0
           : CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
}

/// Sets the modes of a user's handle for a call of amp's, and restores them afterwards.
class BorrowedModes {
 public:
  BorrowedModes(cublasHandle_t handle, cublasMath_t math) : handle_(handle) {
    AMP_CUDA_CALL(cublasGetMathMode, handle, &math_);
    AMP_CUDA_CALL(cublasGetPointerMode, handle, &pointers_);
    try {
      AMP_CUDA_CALL(cublasSetMathMode, handle, math);
      AMP_CUDA_CALL(cublasSetPointerMode, handle, CUBLAS_POINTER_MODE_HOST);
    } catch (...) {
      restore();
      throw;
    }
  }
  BorrowedModes(const BorrowedModes&) = delete;
  BorrowedModes& operator=(const BorrowedModes&) = delete;
  ~BorrowedModes() { restore(); }

 private:
  void restore() noexcept {
    (void)cublasSetMathMode(handle_, math_);
    (void)cublasSetPointerMode(handle_, pointers_);
  }

  cublasHandle_t handle_;
  cublasMath_t math_ = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointers_ = CUBLAS_POINTER_MODE_HOST;
};

/// A handle of amp's own, with its own workspace. Work on two streams at a time shares nothing, so
/// results have the same bits every time (cuBLAS documentation, "Results Reproducibility").
/// Destroying it waits for the device.
class BlasHandle {
 public:
  BlasHandle(int device, cudaStream_t stream) : device_(device) {
    try {
      // First what may fail for lack of memory: to destroy a handle waits for the device.
      call_.workspace = memory_pool(device).allocate(kWorkspaceBytes, BlockUse::kWorkspace);
      call_.workspace_bytes = static_cast<std::size_t>(kWorkspaceBytes);
      AMP_CUDA_CALL(cublasCreate, &call_.handle);
      call_.stream = stream;
      AMP_CUDA_CALL(cublasSetStream, call_.handle, stream);  // this resets the workspace
      AMP_CUDA_CALL(cublasSetWorkspace, call_.handle, call_.workspace, call_.workspace_bytes);
    } catch (...) {
      dispose();
      throw;
    }
  }
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;
  ~BlasHandle() { dispose(); }
  BlasHandle& get() { return *this; }

  const BlasCall& in_mode(cublasMath_t math) {
    if (math_ != math) {
      AMP_CUDA_CALL(cublasSetMathMode, call_.handle, math);
      math_ = math;
    }
    return call_;
  }

 private:
  /// The stream may have been destroyed already; cublasDestroy() waits for the device. If there is
  /// no handle, the constructor failed: its stream is current, and nothing has waited for it.
  void dispose() noexcept {
    if (call_.workspace == nullptr) return;
    if (call_.handle == nullptr) return memory_pool(device_).deallocate(call_.workspace);
    (void)cublasDestroy(call_.handle);
    memory_pool(device_).deallocate_idle(call_.workspace);
  }

  /// cuBLAS's recommendation for Hopper (documentation of cublasSetWorkspace()); other devices need
  /// less.
  static constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

  int device_;
  BlasCall call_;
  cublasMath_t math_ = CUBLAS_DEFAULT_MATH;
};

class BlasHandles : public StreamHandles<BlasHandle> {};

struct AMP_EXPORT AllBlasHandles {
  BlasHandles of[kMaxDevices];
};
inline BlasHandles& blas_handles(int device) { return process_state<AllBlasHandles>().of[device]; }

/// Calls call(BlasCall) with the handle for this thread's work on the device, which becomes
/// current.
template <class Call>
void with_blas(int device, const Call& call) {
  const cublasMath_t math = blas_math_mode();
  const cudaStream_t stream = current_stream(device);
  const auto& lent = thread_state<LentBlasHandles>().lent[device];
  if (lent.handle != nullptr && lent.stream == stream) {
    const DeviceGuard guard(device);
    const auto handle = static_cast<cublasHandle_t>(lent.handle);
    const BorrowedModes modes(handle, math);
    call(BlasCall{handle, stream, nullptr, 0});
  } else {
    blas_handles(device).with_handle(device,
                                     [&](BlasHandle& handle) { call(handle.in_mode(math)); });
  }
}

inline cudaStream_t stream_of(cublasHandle_t handle) {
  AMP_CHECK(handle != nullptr, "BlasHandleGuard: `handle` must not be null");
  cudaStream_t stream = nullptr;
  AMP_CUDA_CALL(cublasGetStream, handle, &stream);
  return stream;
}

}  // namespace detail

// Weak in either case, as enable_cuda() is: these need cuBLAS, which .cpp files may be built
// without.
__attribute__((weak)) BlasHandleGuard::BlasHandleGuard(cublasHandle_t handle, int device)
    : stream_(Device{kCUDA, device}, detail::stream_of(handle)), device_(device), before_(lent()) {
  lent() = {handle, detail::stream_of(handle)};
}
__attribute__((weak)) BlasHandleGuard::~BlasHandleGuard() { lent() = before_; }

}  // namespace amp::inline v0::cuda
