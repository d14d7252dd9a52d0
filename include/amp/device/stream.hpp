// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which stream of a device takes this thread's work.
#pragma once

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
    // What the device calls the stream, whose address another may have later.
    std::uint64_t id = 0;
    bool id_known = false;
  };
  Choice choices[kMaxDevices];
};

}  // namespace detail

/// Until its end, work of this thread on `device` goes to `stream`, a cudaStream_t of the user's,
/// who keeps it alive and orders it against other streams; the null stream is one too. Without a
/// guard work goes to a stream of amp's own. Does not synchronise.
class StreamGuard {
 public:
  [[nodiscard]] StreamGuard(Device device, void* stream);
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  ~StreamGuard();

 private:
  detail::CurrentStreams::Choice& choice() const;

  int index_;
  detail::CurrentStreams::Choice before_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/stream.ipp"
#endif
