// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/device/host_copy.hpp"
#include "amp/device/memory.hpp"

namespace amp::inline v0::detail {

AMP_COLD HostCopy::~HostCopy() {
  if (copy_ != nullptr) device_memory(device_).end_host_copy(copy_);
}

AMP_COLD void HostCopy::start(Device device, const void* from, std::int64_t bytes) {
  device_ = device;
  device_memory(device).begin_host_copy(device, copy_, from, bytes);
}

AMP_COLD bool HostCopy::is_under_way() const { return copy_ != nullptr && data() == nullptr; }

AMP_COLD const void* HostCopy::data() const {
  return copy_ != nullptr ? device_memory(device_).host_copy_data(copy_) : nullptr;
}

}  // namespace amp::inline v0::detail
