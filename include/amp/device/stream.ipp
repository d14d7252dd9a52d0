// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "amp/core/error.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/process_lock.hpp"
#include "amp/device/guarded_streams.hpp"
#include "amp/device/stream.hpp"

namespace amp::inline v0 {

AMP_INLINE StreamGuard::StreamGuard(Device device, void* stream)
    : index_(device.index), stream_(stream) {
  AMP_CHECK(device.type == kCUDA && index_ >= 0 && index_ < kMaxDevices,
            "StreamGuard: `device` must be a CUDA device, but is ", device);
  {
    const detail::ProcessLock lock(detail::LockOf::kStreams);
    auto& all = process_state<detail::GuardedStreams>().entries;
    detail::or_out_of_memory([&] { all.push_back({index_, stream}); });
  }
  before_ = choice();
  choice() = {.stream = stream, .made = true};
}
AMP_INLINE StreamGuard::~StreamGuard() {
  choice() = before_;
  const detail::ProcessLock lock(detail::LockOf::kStreams);
  auto& all = process_state<detail::GuardedStreams>().entries;
  const auto own = std::find_if(all.rbegin(), all.rend(), [&](const auto& entry) {
    return entry.device == index_ && entry.stream == stream_;
  });
  *own = all.back();
  all.pop_back();
}

AMP_INLINE detail::CurrentStreams::Choice& StreamGuard::choice() const {
  return thread_state<detail::CurrentStreams>().choices[index_];
}

AMP_COLD bool detail::any_guarded_stream(int device, FunctionRef<bool(void*)> is_meant) {
  const ProcessLock lock(LockOf::kStreams);
  const auto& all = process_state<GuardedStreams>().entries;
  return std::any_of(all.begin(), all.end(), [&](const GuardedStreams::Entry& entry) {
    return entry.device == device && is_meant(entry.stream);
  });
}

AMP_COLD void set_stream_source(StreamSource source) {
  process_state<detail::CurrentStreamSource>().source.store(source);
}

AMP_PROCESS_STATE(detail::CurrentStreamSource);
AMP_PROCESS_STATE(detail::GuardedStreams);
AMP_THREAD_STATE(detail::CurrentStreams);

}  // namespace amp::inline v0
