// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Conversion of devices, dtypes, streams and tensors between torch and amp. Nothing is copied.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/version.h>

#include <optional>
#include <string_view>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/device/device.hpp"
#include "amp/device/stream.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/tensor.hpp"
#include "amp/types/dtype.hpp"

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
#define AMP_TORCH_NAMES_DEVICES 1  // its autocast and its streams take any device
#else
#define AMP_TORCH_NAMES_DEVICES 0
#endif

namespace amp::inline v0::libtorch {
namespace detail {

using amp::detail::fail;

#if AMP_TORCH_NAMES_DEVICES
/// Returns torch's current stream of this thread.
inline void* current_stream(int device) {
  const c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
  return guard.getStream(c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)))
      .native_handle();
}
#endif

/// Makes amp use torch's current stream. Called for the first CUDA tensor.
inline void follow_streams() {
#if AMP_TORCH_NAMES_DEVICES
  [[maybe_unused]] static const bool once = [] {
    set_stream_source(&current_stream);
    return true;
  }();
#endif
}

}  // namespace detail

/// Returns amp's device. Throws, naming `call`, if it is neither the CPU nor CUDA.
inline Device device_of(std::string_view call, const c10::Device& device) {
  if (device.is_cpu()) return kCPU;
  if (!device.is_cuda())
    detail::fail(call, ": the tensor must be on the CPU or on CUDA, but is on ", device.str());
  detail::follow_streams();
  return Device(kCUDA, device.has_index() ? device.index() : 0);
}

/// The same device as torch names it.
inline c10::Device torch_device(Device device) {
  if (device.type == kCPU) return c10::DeviceType::CPU;
  return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device.index)};
}

/// Returns amp's dtype, or nothing if amp does not have it.
inline std::optional<DType> dtype_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Double:
      return kFloat64;
    case c10::ScalarType::Float:
      return kFloat32;
    case c10::ScalarType::Half:
      return kFloat16;
    case c10::ScalarType::BFloat16:
      return kBFloat16;
#if AMP_TORCH_NAMES_DEVICES
    case c10::ScalarType::Float8_e4m3fn:
      return kFloat8E4M3;
    case c10::ScalarType::Float8_e5m2:
      return kFloat8E5M2;
#endif
    case c10::ScalarType::Long:
      return kInt64;
    case c10::ScalarType::Int:
      return kInt32;
    case c10::ScalarType::Byte:
      return kUInt8;
    case c10::ScalarType::Bool:
      return kBool;
    default:
      return std::nullopt;
  }
}

/// Returns torch's dtype. Throws for float8 if torch is older than 2.4.
inline c10::ScalarType torch_dtype(DType dtype) {
  switch (dtype) {
    case kFloat64:
      return c10::ScalarType::Double;
    case kFloat32:
      return c10::ScalarType::Float;
    case kFloat16:
      return c10::ScalarType::Half;
    case kBFloat16:
      return c10::ScalarType::BFloat16;
#if AMP_TORCH_NAMES_DEVICES
    case kFloat8E4M3:
      return c10::ScalarType::Float8_e4m3fn;
    case kFloat8E5M2:
      return c10::ScalarType::Float8_e5m2;
#endif
    case kInt64:
      return c10::ScalarType::Long;
    case kInt32:
      return c10::ScalarType::Int;
    case kUInt8:
      return c10::ScalarType::Byte;
    case kBool:
      return c10::ScalarType::Bool;
    default:
      detail::fail("libtorch: this version of torch has no ", dtype);
  }
}

/// Returns an amp tensor over the memory of a torch tensor, which it keeps alive: the same
/// elements, shape and strides, without history. amp cannot see writes by torch: call
/// mark_modified() of the result after them, or make a new result. Throws amp::Error if `tensor` is
/// undefined, sparse, a conjugate or negative view, has a device or a dtype that amp does not have,
/// or has more than 8 dimensions. Does not synchronise.
inline Tensor from_torch(const at::Tensor& tensor) {
  if (!tensor.defined()) detail::fail("from_torch: `tensor` is undefined");
  if (tensor.layout() != at::kStrided)
    detail::fail("from_torch: `tensor` must be dense, but is sparse; call to_dense() first");
  if (tensor.is_conj() || tensor.is_neg())
    detail::fail(
        "from_torch: `tensor` must not be a conjugate or negative view; call resolve_conj() or "
        "resolve_neg() first");
  const std::optional<DType> dtype = dtype_of(tensor.scalar_type());
  if (!dtype)
    detail::fail("from_torch: `tensor` is ", std::string_view(c10::toString(tensor.scalar_type())),
                 ", a dtype that amp does not have; convert it with to(dtype)");
  if (tensor.dim() > kMaxDims)
    detail::fail("from_torch: `tensor` must have at most ", kMaxDims, " dimensions, but has ",
                 tensor.dim());
  return amp::detail::tensor_over(
      "from_torch", tensor.data_ptr(), tensor.sizes(), tensor.strides(),
      [kept = tensor.storage()](void*) {},  // a module's to(dtype) replaces its tensors' storage
      {.dtype = *dtype, .device = device_of("from_torch", tensor.device())});
}

/// Returns a torch tensor over the memory of an amp tensor, which it keeps alive: the same
/// elements, shape and strides, without history. amp cannot see writes through it: call
/// `tensor.mark_modified()` after them. Throws if `tensor` is undefined, or if torch does not have
/// its dtype. Does not synchronise.
inline at::Tensor to_torch(const Tensor& tensor) {
  if (!tensor.defined()) detail::fail("to_torch: `tensor` is undefined");
  tensor.impl().storage->give_away_to_write();
  std::vector<std::int64_t> sizes, strides;
  for (int d = 0; d < tensor.dim(); ++d) {
    sizes.push_back(tensor.size(d));
    strides.push_back(tensor.strides()[d]);
  }
  const c10::Device device = torch_device(tensor.device());
  return at::from_blob(
      tensor.raw_data(), sizes, strides, [kept = tensor.impl().storage](void*) {},
      at::TensorOptions().dtype(torch_dtype(tensor.dtype())).device(device), device);
}

}  // namespace amp::inline v0::libtorch
