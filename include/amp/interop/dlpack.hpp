// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Exchange of tensors with other libraries by DLPack, the interface through which PyTorch, JAX,
// CuPy, NumPy, TVM and others share memory: https://dmlc.github.io/dlpack/latest. Nothing is
// copied.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/interop/dlpack_abi.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/tensor.hpp"

struct DLManagedTensor;  // of DLPack's own header, dlpack.h

namespace amp::inline v0 {

/// Options of from_dlpack.
struct FromDLPackOptions {
  /// The stream, a cudaStream_t, on which the producer works with a CUDA tensor. If it is given,
  /// later work on this thread's current stream is ordered after earlier work on `stream`. When the
  /// last tensor over the memory is destroyed, later work on `stream` is ordered after earlier work
  /// on the current stream of the destroying thread. If it is not given, the caller must order the
  /// streams. Of the numbers that Python's protocol has for streams, 1 and 2 are the handles of the
  /// default streams; leave `stream` unset for -1. Throws while a graph is recorded. Ignored for
  /// host memory.
  std::optional<void*> stream = {};
  /// Accepts read-only tensors as well. The caller must make sure that nothing writes to them.
  bool allow_read_only = false;
};

/// Options of to_dlpack.
struct ToDLPackOptions {
  /// The stream, a cudaStream_t, on which the consumer works with a CUDA tensor. If it is given,
  /// later work on `stream` is ordered after earlier work on this thread's current stream. After
  /// the consumer has called the deleter, the memory is reused only once the work is done that was
  /// enqueued on `stream` until then; the stream must exist until then. (If it is captured at that
  /// time, or is cudaStreamPerThread, the memory is set aside until the device is waited for, as
  /// memory_stats() tells.) If it is not given, the caller must order the streams; leave it unset
  /// for -1 of Python's protocol. Throws while a graph is recorded. Ignored for host memory.
  std::optional<void*> stream = {};
  /// Marks the tensor as read-only. Throws for a DLManagedTensor, which has no such flag.
  bool read_only = false;
};

namespace detail {

/// The fields of a DLManagedTensor, independent of the header that declares it.
struct DLPackFields {
  void* data;
  std::int64_t device_type, device_id, ndim, code, bits, lanes;
  const std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
  bool read_only;
};

/// The same tensor in amp's terms.
struct DLPackBlob {
  void* data;
  Shape shape;
  Strides strides;
  TensorOptions options;
};

/// Converts the fields. Throws if amp cannot represent the tensor.
DLPackBlob blob_of(const DLPackFields& fields, const FromDLPackOptions& options);
[[noreturn]] void refuse_dlpack_version(std::uint32_t major, std::uint32_t minor);

/// Orders later work on this thread's current stream after earlier work on `stream`. Does nothing
/// on the host, or without a stream.
void take_from_stream(Device device, const std::optional<void*>& stream);
/// Orders later work on `stream` after earlier work on this thread's current stream. A CUDA error
/// is not reported here; the next CUDA call reports it.
void give_back_to_stream(Device device, const std::optional<void*>& stream) noexcept;

/// An exported tensor. It owns the memory, and the arrays to which the fields point.
struct DLPackExport {
  DLPackExport(const Tensor& tensor, const ToDLPackOptions& options, bool versioned);
  DLPackExport(const DLPackExport&) = delete;
  DLPackExport& operator=(const DLPackExport&) = delete;
  ~DLPackExport();

  std::optional<void*> stream = {};  // of the consumer, if the memory is a device's
  Ref<Storage> storage;  // not the tensor, whose storage may be replaced (Tensor::set_data)
  std::int64_t shape[kMaxDims], strides[kMaxDims];
  DLPackFields fields;
};

template <class Managed>
concept HasDLPackVersion = requires(Managed& managed) {
  managed.version.major;
};
/// DLManagedTensor or DLManagedTensorVersioned, as any header declares them.
template <class Managed>
concept DLPackManaged = requires(Managed& managed) {
  managed.dl_tensor.byte_offset;
  managed.deleter(&managed);
  managed.manager_ctx = nullptr;
};

}  // namespace detail

/// Returns a tensor over the memory of another library's tensor. `managed` is a DLManagedTensor or
/// a DLManagedTensorVersioned, as any copy of DLPack's header, or amp::dlpack, declares them.
///
/// Ownership: amp owns the memory. When the last tensor over it is destroyed, amp calls `deleter`
/// once, unless it is null, in the thread that destroys the tensor. If from_dlpack throws, the
/// caller still owns `managed`. From Python: PyCapsule_GetPointer returns `managed`, and the
/// capsule must be renamed to "used_dltensor" (or "used_dltensor_versioned") after from_dlpack has
/// returned.
/// Dtypes: all that amp has. Shapes: up to 8 dimensions; strides may be 0.
/// Devices: the host, pinned host memory, CUDA, and CUDA's managed memory.
/// Writes: amp cannot see those of the other library: see Tensor::mark_modified.
/// Errors: throws amp::Error if `managed` is null or its major version is not 1; if amp does not
/// have the dtype or the device; if a stride is negative, or extents or offsets are out of range;
/// if the first element is not aligned to its size; if the tensor is read-only and
/// `allow_read_only` is false; or if `stream` is given while a graph is recorded. It cannot test
/// whether `data` has as many elements as `shape` says. Does not synchronise.
///
/// ```cpp
/// auto* const exported = amp::to_dlpack<amp::dlpack::DLManagedTensor>(amp::ones({2, 3}));
/// const amp::Tensor x = amp::from_dlpack(exported);  // x's memory is that of the ones
/// assert(x.shape() == amp::Shape(2, 3) && x.to_vector<float>()[5] == 1);
/// ```
template <class Managed>
[[nodiscard]] Tensor from_dlpack(Managed* managed, const FromDLPackOptions& options = {}) {
  static_assert(
      detail::DLPackManaged<Managed>,
      "amp::from_dlpack takes a DLManagedTensor* or a DLManagedTensorVersioned*, not const; "
      "include DLPack's header, and cast the pointer of a capsule to one of them");
  if (managed == nullptr) detail::fail("from_dlpack: `managed` is null");
  bool read_only = false;
  if constexpr (detail::HasDLPackVersion<Managed>) {
    if (managed->version.major != 1)  // then no other field can be read
      detail::refuse_dlpack_version(managed->version.major, managed->version.minor);
    read_only = (managed->flags & 1) != 0;
  }
  const auto& tensor = managed->dl_tensor;
  const detail::DLPackBlob blob =
      detail::blob_of({.data = tensor.data,
                       .device_type = static_cast<std::int64_t>(tensor.device.device_type),
                       .device_id = tensor.device.device_id,
                       .ndim = tensor.ndim,
                       .code = tensor.dtype.code,
                       .bits = tensor.dtype.bits,
                       .lanes = tensor.dtype.lanes,
                       .shape = tensor.shape,
                       .strides = tensor.strides,
                       .byte_offset = tensor.byte_offset,
                       .read_only = read_only},
                      options);
  detail::take_from_stream(blob.options.device, options.stream);
  const auto give_back = [managed, device = blob.options.device, stream = options.stream](void*) {
    detail::give_back_to_stream(device, stream);
    if (managed->deleter != nullptr) managed->deleter(managed);
  };
  return detail::tensor_over("from_dlpack", blob.data, blob.shape, blob.strides, give_back,
                             blob.options);
}

/// Exports the tensor's memory to another library, as a DLManagedTensor. to_dlpack<T> returns a T,
/// which is a DLManagedTensor or a DLManagedTensorVersioned. The default needs DLPack's header
/// (dlpack.h, or ATen/dlpack.h of PyTorch); programs without it can use the types of amp::dlpack.
///
/// Ownership: the memory lives until the consumer calls `deleter(self)`, in any thread. The deleter
/// frees the struct as well.
/// Writes: amp cannot see those of the consumer: call `tensor.mark_modified()` after them.
/// Errors: throws amp::Error if `tensor` is undefined, or requires gradients, which DLPack cannot
/// carry (export `tensor.detach()`); if `read_only` is set for a DLManagedTensor; or if `stream` is
/// given while a graph is recorded. Does not synchronise.
template <class Managed = ::DLManagedTensor>
[[nodiscard]] Managed* to_dlpack(const Tensor& tensor, const ToDLPackOptions& options = {}) {
  static_assert(
      requires { sizeof(Managed); },
      "include DLPack's header before this call, or write "
      "amp::to_dlpack<amp::dlpack::DLManagedTensor>(tensor)");
  struct Export : detail::DLPackExport {
    using DLPackExport::DLPackExport;
    Managed managed = {};
  };
  auto* const exported = detail::or_out_of_memory(
      [&] { return new Export(tensor, options, detail::HasDLPackVersion<Managed>); });
  const detail::DLPackFields& fields = exported->fields;
  Managed& managed = exported->managed;
  const auto set = [](auto& field, auto value) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(value);
  };
  auto& dl_tensor = managed.dl_tensor;
  dl_tensor.data = fields.data;
  set(dl_tensor.device.device_type, fields.device_type);
  set(dl_tensor.device.device_id, fields.device_id);
  set(dl_tensor.ndim, fields.ndim);
  set(dl_tensor.dtype.code, fields.code);
  set(dl_tensor.dtype.bits, fields.bits);
  set(dl_tensor.dtype.lanes, fields.lanes);
  dl_tensor.shape = exported->shape;
  dl_tensor.strides = exported->strides;
  dl_tensor.byte_offset = 0;
  managed.manager_ctx = exported;
  managed.deleter = [](Managed* self) { delete static_cast<Export*>(self->manager_ctx); };
  if constexpr (detail::HasDLPackVersion<Managed>) {
    managed.version.major = 1;
    managed.version.minor = 1;
    managed.flags = fields.read_only ? 1 : 0;
  }
  return &managed;
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/interop/dlpack.ipp"
#endif
