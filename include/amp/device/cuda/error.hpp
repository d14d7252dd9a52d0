// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Status codes of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime.h>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"

namespace amp::inline v0::cuda::detail {

/// Errors after which no call of this process succeeds any more (CUDA Runtime API, cudaError).
inline bool is_sticky(cudaError_t status) {
  switch (static_cast<int>(status)) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

/// Errors of a call that cannot be captured, or that comes after such a call.
inline bool is_of_capture(cudaError_t status) {
  return status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread;
}

[[noreturn]] inline void raise(const char* call, cudaError_t status) {
  (void)cudaGetLastError();  // else the next call would report it again
  if (is_of_capture(status) && amp::detail::in_recording())
    amp::detail::refuse(call, ": ", cudaGetErrorName(status), " (", static_cast<int>(status),
                        "): this cannot be part of a Graph");
  amp::detail::fail(
      call, ": ", cudaGetErrorName(status), " (", static_cast<int>(status),
      "): ", cudaGetErrorString(status),
      is_sticky(status) ? "; the device cannot be used by this process any more" : "");
}

/// Throws amp::Error if `status` is an error, naming the call.
inline void require(cudaError_t status, const char* call) {
  if (status != cudaSuccess) raise(call, status);
}

}  // namespace amp::inline v0::cuda::detail

/// Calls a function of the CUDA runtime; throws amp::Error if it fails.
#define AMP_CUDA_CALL(function, ...) ::amp::cuda::detail::require(function(__VA_ARGS__), #function)
