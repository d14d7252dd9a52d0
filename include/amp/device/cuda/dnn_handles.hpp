// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// cuDNN 8.9 or newer: its status codes as exceptions, a handle for each stream of each device, and
// descriptors that destroy themselves. Empty if the program does not use cuDNN.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_CUDNN

#include <cudnn.h>

#include <string>

#include "amp/core/error.hpp"
#include "amp/device/cuda/error.hpp"
#include "amp/device/cuda/loaded_libraries.hpp"
#include "amp/device/cuda/stream_handles.hpp"

namespace amp::inline v0::cuda::detail {

/// cuDNN's text about the last error in this thread, beside the status; may be empty. Reading
/// clears it, later calls do not.
struct DnnMessage {
  char text[512] = {};
#if CUDNN_MAJOR >= 9
  DnnMessage() { cudnnGetLastErrorString(text, sizeof text); }
#endif
};

/// Returns the text of a status other than success, with the call.
inline std::string describe(cudnnStatus_t status, const char* call) {
  const DnnMessage message;
  std::string text = std::string(call) + ": " + cudnnGetErrorString(status) + " (" +
                     std::to_string(static_cast<int>(status)) + ")";
  if (*message.text != '\0') text += std::string(": ") + message.text;
  return text;
}

/// Throws amp::Error if `status` is an error, naming the call: AMP_CUDA_CALL(cudnnX, ...).
inline void require(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) amp::detail::fail(describe(status, call));
}

/// A cuDNN handle with its stream. Destroying it waits for the device.
class DnnHandle {
 public:
  DnnHandle(int, cudaStream_t stream) {
    AMP_CUDA_CALL(cudnnCreate, &handle_);
    try {
      AMP_CUDA_CALL(cudnnSetStream, handle_, stream);
    } catch (...) {
      (void)cudnnDestroy(handle_);
      throw;
    }
  }
  DnnHandle(const DnnHandle&) = delete;
  DnnHandle& operator=(const DnnHandle&) = delete;
  ~DnnHandle() { (void)cudnnDestroy(handle_); }
  cudnnHandle_t get() const { return handle_; }

 private:
  cudnnHandle_t handle_ = nullptr;
};

class DnnHandles : public StreamHandles<DnnHandle> {};

struct AMP_EXPORT AllDnnHandles {
  DnnHandles of[kMaxDevices];
};
inline DnnHandles& dnn_handles(int device) { return process_state<AllDnnHandles>().of[device]; }

inline void create(cudnnTensorDescriptor_t& it) { AMP_CUDA_CALL(cudnnCreateTensorDescriptor, &it); }
inline void create(cudnnFilterDescriptor_t& it) { AMP_CUDA_CALL(cudnnCreateFilterDescriptor, &it); }
inline void create(cudnnConvolutionDescriptor_t& it) {
  AMP_CUDA_CALL(cudnnCreateConvolutionDescriptor, &it);
}
inline void create(cudnnActivationDescriptor_t& it) {
  AMP_CUDA_CALL(cudnnCreateActivationDescriptor, &it);
}
inline void destroy(cudnnTensorDescriptor_t it) { (void)cudnnDestroyTensorDescriptor(it); }
inline void destroy(cudnnFilterDescriptor_t it) { (void)cudnnDestroyFilterDescriptor(it); }
inline void destroy(cudnnConvolutionDescriptor_t it) {
  (void)cudnnDestroyConvolutionDescriptor(it);
}
inline void destroy(cudnnActivationDescriptor_t it) { (void)cudnnDestroyActivationDescriptor(it); }

/// Host memory that describes an operand or an operation: cudnnTensorDescriptor_t and the like.
template <class T>
class DnnDescriptor {
 public:
  DnnDescriptor() { create(value_); }
  DnnDescriptor(const DnnDescriptor&) = delete;
  DnnDescriptor& operator=(const DnnDescriptor&) = delete;
  ~DnnDescriptor() { destroy(value_); }
  operator T() const { return value_; }

 private:
  T value_ = nullptr;
};

}  // namespace amp::inline v0::cuda::detail

#endif
