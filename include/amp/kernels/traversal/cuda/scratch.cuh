// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Device memory of one call.
#pragma once

#include <cstdint>

#include "amp/device/memory.hpp"

namespace amp::inline v0::kernels::cuda {

/// Uninitialised device memory for kernels that are launched on the current stream while this
/// object lives. It is freed without waiting: the next user of the memory comes later in the order
/// of the stream.
template <class T>
class Scratch {
 public:
  Scratch(Device device, std::int64_t count)
      : device_(device),
        bytes_(count * static_cast<std::int64_t>(sizeof(T))),
        memory_(allocate(device, bytes_)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { deallocate(device_, memory_, bytes_); }

  T* data() const { return static_cast<T*>(memory_); }

 private:
  Device device_;
  std::int64_t bytes_;
  void* memory_;
};

}  // namespace amp::inline v0::kernels::cuda
