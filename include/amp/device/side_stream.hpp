// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A stream for work beside that of the program, such as copies of the batches to come.
#pragma once

#include "amp/device/device.hpp"

namespace amp::inline v0::detail {

/// A stream of `device` that is not ordered with any other. The device must not be the host. Its
/// work need not be done when it is destroyed; nothing synchronises.
class SideStream {
 public:
  /// Throws amp::Error if the device cannot be used.
  explicit SideStream(Device device);
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream();

  /// The stream, for a StreamGuard.
  void* get() const { return stream_; }

 private:
  Device device_;
  void* stream_;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/device/side_stream.ipp"
#endif
