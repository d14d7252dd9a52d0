// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stream of a device that takes this thread's work.
#pragma once

#include <atomic>
#include <cstdint>

#include "amp/core/globals.hpp"
#include "amp/device/device.hpp"

namespace amp::inline v0 {

inline constexpr int kMaxDevices = 64;  // of one type

namespace detail {

struct AMP_EXPORT CurrentStreams {
  struct Choice {
    void* stream = nullptr;
    bool made = false;
    // The device's id of the stream. Another stream may get the same address later.
    std::uint64_t id = 0;
    bool id_known = false;
  };
  Choice choices[kMaxDevices];
};

}  // namespace detail

/// A function of another library that returns a cudaStream_t for this thread's work on a CUDA
/// device. It must not call amp, which may hold a lock when it asks.
using StreamSource = void* (*)(int device);

/// Sets the source of streams for work that no StreamGuard directs. It is called for each thread at
/// each call, and its stream is used instead of amp's own, so amp's work stays in order with that
/// of the other library. Null restores amp's own streams. <amp/libtorch.hpp> sets torch's.
void set_stream_source(StreamSource source);

namespace detail {

struct AMP_EXPORT CurrentStreamSource {
  std::atomic<StreamSource> source = nullptr;
};

}  // namespace detail

/// Until its end, work of this thread on `device` goes to `stream`, a cudaStream_t of the user. The
/// user keeps it alive and orders it against other streams; the null stream is allowed. Without a
/// guard, work goes to a stream of amp's own, or to that of set_stream_source. Does not
/// synchronise.
class StreamGuard {
 public:
  /// Sends this thread's work on the device to `stream`.
  [[nodiscard]] StreamGuard(Device device, void* stream);
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  ~StreamGuard();

 private:
  detail::CurrentStreams::Choice& choice() const;

  int index_;
  void* stream_;
  detail::CurrentStreams::Choice before_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/stream.ipp"
#endif
