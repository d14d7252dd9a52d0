// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A copy of device memory on its way to the host, for which the host does not wait.
#pragma once

#include <cstdint>
#include <utility>

#include "amp/device/device.hpp"

namespace amp::inline v0::detail {

/// One copy at a time, into memory of its own, which is kept for the next one. Of a device that is
/// not the host. The source must live until the copy arrived, or this object is gone. One thread at
/// a time uses it.
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
  /// into a graph. Not to be called while one is under way. Throws amp::Error if CUDA fails.
  void start(Device device, const void* from, std::int64_t bytes);
  bool is_under_way() const;
  /// The bytes, once they arrived: right until the next start(). Null before, and if none was
  /// started. Does not wait.
  const void* data() const;

 private:
  Device device_ = {};
  void* copy_ = nullptr;  // the device's
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/device/host_copy.ipp"
#endif
