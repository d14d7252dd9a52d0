// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A copy of device memory to the host, for which the host does not wait.
#pragma once

#include <cstdint>
#include <utility>

#include "amp/device/device.hpp"

namespace amp::inline v0::detail {

/// Makes one copy at a time into its own memory, which is reused for the next copy. The device must
/// not be the host. The source must live until the copy has arrived or this object is destroyed.
/// Only one thread at a time may use it.
class HostCopy {
 public:
  HostCopy() = default;
  HostCopy(HostCopy&& other) noexcept
      : device_(other.device_), copy_(std::exchange(other.copy_, nullptr)) {}
  HostCopy& operator=(HostCopy&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(copy_, other.copy_);
    return *this;
  }
  /// Waits for a copy that is under way.
  ~HostCopy();

  /// Enqueues a copy on this thread's current stream of `device`, unless that stream is captured
  /// into a graph. Must not be called while a copy is under way. Throws amp::Error if CUDA fails.
  void start(Device device, const void* from, std::int64_t bytes);
  bool is_under_way() const;
  /// Returns the bytes once they have arrived; they are valid until the next start(). Returns null
  /// before, and if no copy was started. Does not wait.
  const void* data() const;

 private:
  Device device_ = {};
  void* copy_ = nullptr;  // owned by the device's functions
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/device/host_copy.ipp"
#endif
