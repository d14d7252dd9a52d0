// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The binary interface of DLPack 1.1, for programs without DLPack's header: the structs have the
// same names and the same layout in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace amp::inline v0::dlpack {

/// The version of the structs below.
struct DLPackVersion {
  std::uint32_t major, minor;
};

/// A device.
struct DLDevice {
  std::int32_t device_type;  ///< 1: the host, 2: CUDA, 3: pinned host memory, 13: managed memory
  std::int32_t device_id;
};

/// The type of the elements.
struct DLDataType {
  std::uint8_t
      code;  ///< 0: signed, 1: unsigned integers, 2: IEEE floats, 4: bfloat16, 6: bool, ...
  std::uint8_t bits;
  std::uint16_t lanes;  ///< number of values in an element
};

/// Strided elements in memory, without ownership.
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;      ///< in elements; null: row-major
  std::uint64_t byte_offset;  ///< of the first element from `data`
};

/// A DLTensor with an owner. The consumer calls deleter(self), unless it is null, when it no longer
/// uses the elements; the deleter frees the struct as well.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

/// Replaces DLManagedTensor since DLPack 1.0.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;  ///< bit 0: must not be written
  DLTensor dl_tensor;
};

static_assert(sizeof(void*) != 8 ||
              (sizeof(DLTensor) == 48 && offsetof(DLTensor, byte_offset) == 40 &&
               sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80));

}  // namespace amp::inline v0::dlpack
