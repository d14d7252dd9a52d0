// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Host memory with reuse: a training step asks for the same sizes again and again, and fresh pages
// cost more than the arithmetic done in them. Freed small blocks wait in lists by size class, large
// ones as large_blocks.hpp says.
// AMP_HOST_CACHE=0 in the environment switches the reuse off, so that an address sanitizer sees
// every block come and go.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0 {
namespace detail {

void* host_allocate(std::int64_t bytes);
void host_deallocate(void* memory, std::int64_t bytes) noexcept;

}  // namespace detail

/// Host memory for `count` elements of a trivial type, uninitialised. The object owns it.
template <class T>
class HostBuffer {
 public:
  /// Uninitialised memory for `count` elements.
  explicit HostBuffer(std::int64_t count)
      : bytes_(count * static_cast<std::int64_t>(sizeof(T))),
        data_(static_cast<T*>(bytes_ == 0 ? nullptr : detail::host_allocate(bytes_))) {}
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() {
    if (data_ != nullptr) detail::host_deallocate(data_, bytes_);
  }
  /// The first element; null if there are none.
  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  std::int64_t bytes_;
  T* data_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/host_memory.ipp"
#endif
