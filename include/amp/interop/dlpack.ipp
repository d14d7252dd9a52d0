// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"
#include "amp/device/stream.hpp"
#include "amp/device/stream_mark.hpp"
#include "amp/interop/dlpack.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/shape.hpp"

namespace amp::inline v0::detail {

/// Values of DLDeviceType.
struct DLPackDevices {
  static constexpr std::int64_t kCPU = 1, kCUDA = 2, kCUDAHost = 3, kCUDAManaged = 13;
};

/// DLDataTypeCode and bits of each DType.
struct DLPackType {
  std::int64_t code, bits;
};
inline constexpr DLPackType kDLPackTypes[kDTypeCount] = {
    {2, 64}, {2, 32}, {2, 16}, {4, 16},  // float64, float32, float16, bfloat16
    {10, 8}, {12, 8},                    // float8_e4m3fn, float8_e5m2
    {0, 64}, {0, 32}, {1, 8},  {6, 8},   // int64, int32, uint8, bool
};

/// Returns the name of a dtype that amp does not have, for an error message.
AMP_COLD std::string dlpack_type_name(const DLPackFields& fields) {
  constexpr std::string_view kNames[] = {"int",    "uint",    "float", "handle",
                                         "bfloat", "complex", "bool"};
  const bool named = fields.code >= 0 && fields.code < static_cast<std::int64_t>(std::size(kNames));
  std::string name = named ? std::string(kNames[static_cast<std::size_t>(fields.code)])
                           : "of type code " + std::to_string(fields.code) + " with bits ";
  name += std::to_string(fields.bits);
  if (fields.lanes != 1) name += " with lanes " + std::to_string(fields.lanes);
  return name;
}

AMP_COLD DType dtype_of_dlpack(const DLPackFields& fields) {
  for (int d = 0; d < kDTypeCount; ++d) {
    if (fields.code == kDLPackTypes[d].code && fields.bits == kDLPackTypes[d].bits &&
        fields.lanes == 1)
      return static_cast<DType>(d);
  }
  fail("from_dlpack: the tensor is ", or_out_of_memory([&] { return dlpack_type_name(fields); }),
       ", a dtype that amp does not have; convert it before it is exported");
}

AMP_COLD Device device_of_dlpack(const DLPackFields& fields) {
  switch (fields.device_type) {
    case DLPackDevices::kCPU:
    case DLPackDevices::kCUDAHost:
      return amp::kCPU;
    case DLPackDevices::kCUDA:
    case DLPackDevices::kCUDAManaged:
      break;
    default:
      fail(
          "from_dlpack: the tensor must be on the CPU (`device_type` 1), on CUDA (2), or in pinned "
          "(3) or managed memory (13), but its `device_type` is ",
          fields.device_type);
  }
  AMP_CHECK(fields.device_id >= 0 && fields.device_id < kMaxDevices,
            "from_dlpack: `device_id` must lie in [0, ", kMaxDevices, "), but is ",
            fields.device_id);
  const Device device(amp::kCUDA, static_cast<int>(fields.device_id));
  (void)device_memory(device);  // throws if there is none
  return device;
}

AMP_COLD DLPackBlob blob_of(const DLPackFields& fields, const FromDLPackOptions& options) {
  AMP_CHECK(
      !fields.read_only || options.allow_read_only,
      "from_dlpack: the tensor is read-only, but tensors of amp can be written; copy it before "
      "it is exported, or say {.allow_read_only = true} if nothing will write to it");
  AMP_CHECK(fields.ndim >= 0 && fields.ndim <= kMaxDims, "from_dlpack: `ndim` must lie in [0, ",
            kMaxDims, "], but is ", fields.ndim);
  AMP_CHECK(fields.shape != nullptr || fields.ndim == 0,
            "from_dlpack: `shape` is null, but `ndim` is ", fields.ndim);
  const auto dims = static_cast<std::size_t>(fields.ndim);
  for (std::size_t d = 0; d < dims; ++d)
    AMP_CHECK(fields.shape[d] >= 0, "from_dlpack: `shape[", d, "]` must not be negative, but is ",
              fields.shape[d]);
  DLPackBlob blob{
      .data = nullptr,
      .shape = std::span(fields.shape, dims),
      .strides = {},
      .options = {.dtype = dtype_of_dlpack(fields), .device = device_of_dlpack(fields)}};
  blob.strides = fields.strides == nullptr ? contiguous_strides(blob.shape)
                                           : Strides(std::span(fields.strides, dims));
  if (fields.data == nullptr || blob.shape.numel() == 0) return blob;
  const auto begin = reinterpret_cast<std::uintptr_t>(fields.data);
  std::uintptr_t first = 0;
  AMP_CHECK(!__builtin_add_overflow(begin, fields.byte_offset, &first),
            "from_dlpack: `byte_offset` ", fields.byte_offset, " lies beyond the address space");
  blob.data = static_cast<char*>(fields.data) + fields.byte_offset;
  return blob;
}

AMP_COLD void refuse_dlpack_version(std::uint32_t major, std::uint32_t minor) {
  fail("from_dlpack: `managed` must be of DLPack 1, but is of version ", major, ".", minor,
       "; the caller may only call its deleter");
}

/// Orders later work on `waiting` after earlier work on `stream`. An unset stream is this thread's
/// current stream.
AMP_COLD void order_streams(Device device, const std::optional<void*>& stream,
                            const std::optional<void*>& waiting) {
  const auto on = [&](const std::optional<void*>& chosen, auto&& call) {
    std::optional<StreamGuard> guard;
    if (chosen) guard.emplace(device, *chosen);
    call();
  };
  StreamMark mark;
  on(stream, [&] { mark.record(device); });
  on(waiting, [&] { (void)mark.wait(device); });
}

/// Throws if streams are to be ordered while a graph is recorded, which the graph would not repeat.
AMP_COLD void check_not_recording(std::string_view call) {
  AMP_CHECK(
      !in_graph_call(), call,
      ": `stream` cannot be given within the function that a Graph records; exchange the tensor "
      "before");
}

AMP_COLD void take_from_stream(Device device, const std::optional<void*>& stream) {
  if (!stream || device.type == amp::kCPU) return;
  check_not_recording("from_dlpack");
  order_streams(device, stream, {});
}

AMP_COLD void give_back_to_stream(Device device, const std::optional<void*>& stream) noexcept {
  if (!stream || device.type == amp::kCPU) return;
  try {
    order_streams(device, {}, stream);
  } catch (const Error&) {
    // The memory is returned in any case: its owner's next CUDA call reports the same error.
  }
}

AMP_COLD DLPackExport::DLPackExport(const Tensor& tensor, const ToDLPackOptions& options,
                                    bool versioned) {
  AMP_CHECK(tensor.defined(), "to_dlpack: `tensor` is undefined");
  AMP_CHECK(!tensor.requires_grad(), "to_dlpack: `tensor`, ", describe(tensor),
            ", requires gradients, which DLPack does not carry; export tensor.detach()");
  AMP_CHECK(versioned || !options.read_only,
            "to_dlpack: a DLManagedTensor cannot say that it must not be written; make a "
            "DLManagedTensorVersioned");
  const DLPackType type = kDLPackTypes[static_cast<std::size_t>(tensor.dtype())];
  const Device device = tensor.device();
  for (int d = 0; d < tensor.dim(); ++d) {
    shape[d] = tensor.size(d);
    strides[d] = tensor.strides()[d];
  }
  storage = tensor.impl().storage;
  fields = {.data = tensor.numel() == 0 ? nullptr : tensor.raw_data(),
            .device_type = device.type == amp::kCPU ? DLPackDevices::kCPU : DLPackDevices::kCUDA,
            .device_id = device.index,
            .ndim = tensor.dim(),
            .code = type.code,
            .bits = type.bits,
            .lanes = 1,
            .shape = shape,
            .strides = strides,
            .byte_offset = 0,
            .read_only = options.read_only};
  if (!options.read_only) storage->give_away_to_write();
  if (!options.stream || device.type == amp::kCPU || fields.data == nullptr) return;
  check_not_recording("to_dlpack");
  order_streams(device, {}, options.stream);
  stream = options.stream;
}

AMP_COLD DLPackExport::~DLPackExport() {
  if (!stream) return;
  const Device device = storage->device();
  device_memory(device).note_use(device, storage->data(), *stream);
}

}  // namespace amp::inline v0::detail
