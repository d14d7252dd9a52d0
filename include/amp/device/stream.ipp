// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/core/globals.ipp"
#include "amp/device/stream.hpp"

namespace amp::inline v0 {

AMP_INLINE StreamGuard::StreamGuard(Device device, void* stream) : index_(device.index) {
  AMP_CHECK(device.type == kCUDA && index_ >= 0 && index_ < kMaxDevices,
            "StreamGuard: `device` must be a CUDA device, but is ", device);
  before_ = choice();
  choice() = {.stream = stream, .made = true};
}
AMP_INLINE StreamGuard::~StreamGuard() { choice() = before_; }

AMP_INLINE detail::CurrentStreams::Choice& StreamGuard::choice() const {
  return thread_state<detail::CurrentStreams>().choices[index_];
}

AMP_COLD void set_stream_source(StreamSource source) {
  process_state<detail::CurrentStreamSource>().source.store(source);
}

AMP_PROCESS_STATE(detail::CurrentStreamSource);
AMP_THREAD_STATE(detail::CurrentStreams);

}  // namespace amp::inline v0
