// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors of other libraries by DLPack, the interface by which PyTorch, JAX, CuPy, NumPy, TVM and
// others share memory: https://dmlc.github.io/dlpack/latest. Nothing is copied.
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

/// Options of from_dlpack().
struct FromDLPackOptions {
  /// The stream, a cudaStream_t, on which the producer works with a CUDA tensor. If it is given,
  /// the streams are ordered: what this thread enqueues from now on, on its current stream, comes
  /// after what was enqueued on `stream` until now; and when the last tensor over the memory is
  /// gone, what is enqueued on `stream` from then on comes after the work on the current stream of
  /// the thread in which that happens. Without it the caller orders them. Throws while a graph is
  /// recorded. Is ignored for memory of the host.
  std::optional<void*> stream = {};
  /// Takes read-only tensors, too. The caller sees to it that nothing writes to them.
  bool allow_read_only = false;
};

/// Options of to_dlpack().
struct ToDLPackOptions {
  /// The stream, a cudaStream_t, on which the consumer works with a CUDA tensor. If it is given,
  /// what is enqueued there from now on comes after what was enqueued on this thread's current
  /// stream until now; and after the consumer's deleter, the memory is reused only once all work of
  /// the device that was enqueued until then is done. Without it the caller orders them. Throws
  /// while a graph is recorded. Is ignored for memory of the host.
  std::optional<void*> stream = {};
  /// Marks the tensor as read-only. Throws for a DLManagedTensor, which has no such mark.
  bool read_only = false;
};

namespace detail {

/// What a DLManagedTensor of any header says.
struct DLPackFields {
  void* data;
  std::int64_t device_type, device_id, ndim, code, bits, lanes;
  const std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
  bool read_only;
};

/// The same as amp says it.
struct DLPackBlob {
  void* data;
  Shape shape;
  Strides strides;
  TensorOptions options;
};

/// Throws if amp has no such tensors.
DLPackBlob blob_of(const DLPackFields& fields, const FromDLPackOptions& options);
[[noreturn]] void refuse_dlpack_version(std::uint32_t major, std::uint32_t minor);

/// What is enqueued on this thread's current stream from now on comes after what was enqueued on
/// `stream` until now. Does nothing on the host, or without a stream.
void take_from_stream(Device device, const std::optional<void*>& stream);
/// The reverse. An error of CUDA is not reported here: its next call reports it.
void give_back_to_stream(Device device, const std::optional<void*>& stream) noexcept;

/// What is exported of a tensor; what it points to lives as long as it does.
struct DLPackExport {
  DLPackExport(const Tensor& tensor, const ToDLPackOptions& options, bool versioned);

  Ref<Storage> storage;  // not the tensor, which may get other memory (Tensor::set_data)
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

/// A tensor over the memory of another library's tensor. `managed` is a DLManagedTensor or a
/// DLManagedTensorVersioned, as any copy of DLPack's header declares them, or amp::dlpack.
///
/// Ownership: the memory is amp's until the last tensor over it is gone; then amp calls `deleter`,
/// if there is one, once, in the thread in which that happens. If from_dlpack throws, `managed`
/// stays the caller's. From Python: PyCapsule_GetPointer gives `managed`, and the capsule must be
/// renamed to "used_dltensor" (or "used_dltensor_versioned") after from_dlpack, and only then.
/// Dtypes: all that amp has. Shapes: up to 8 dimensions; strides may be 0.
/// Devices: the host, pinned host memory, CUDA, and CUDA's managed memory.
/// Writes: those of the other library go unseen, as those to from_blob's memory do: see
/// Tensor::mark_modified.
/// Errors: amp::Error if `managed` is null or has another major version than 1; for a dtype, a
/// device or negative strides, which amp does not have; if extents or offsets are out of range; if
/// the first element is not at a multiple of its size; for a read-only tensor, unless
/// `allow_read_only` is set; and for `stream` while a graph is recorded. That `data` points to as
/// many elements cannot be tested. Does not synchronise.
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
    if (managed->version.major != 1)  // nothing else of it can be read
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

/// The tensor's memory for another library, as a DLManagedTensor; to_dlpack<T> makes T, which is a
/// DLManagedTensor or a DLManagedTensorVersioned. The former needs DLPack's header (dlpack.h, or
/// ATen/dlpack.h of PyTorch); amp::dlpack has both for programs without it.
///
/// Ownership: the memory lives until the consumer calls `deleter(self)`, which frees the struct,
/// too, and may be called in any thread.
/// Writes: amp does not see those of the consumer: call `tensor.mark_modified()` after them.
/// Errors: amp::Error if `tensor` is undefined, or requires gradients, which DLPack does not carry:
/// export `tensor.detach()`; for `read_only` of a DLManagedTensor; and for `stream` while a graph
/// is recorded. Does not synchronise.
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
