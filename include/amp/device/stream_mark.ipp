// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/device/memory.hpp"
#include "amp/device/stream_mark.hpp"

namespace amp::inline v0 {

AMP_INLINE void StreamMark::record(Device device) {
  if (device.type == kCPU) {
    forget();
    return;
  }
  const DeviceMemory& memory = detail::device_memory(device);
  if (device != device_) forget();
  mark_ = memory.record(device, mark_);
  device_ = device;
}

AMP_INLINE bool StreamMark::wait(Device device) const {
  return mark_ != nullptr && detail::device_memory(device).wait(device, mark_);
}

AMP_INLINE void StreamMark::forget() noexcept {
  if (mark_ != nullptr) detail::device_memory(device_).forget(device_, mark_);
  mark_ = nullptr;
}

}  // namespace amp::inline v0
