// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "amp/device/device.hpp"

namespace amp::inline v0 {

AMP_COLD std::string to_string(DeviceType type) { return type == kCPU ? "cpu" : "cuda"; }
AMP_COLD std::string to_string(const Device& device) {
  return device.type == kCPU ? "cpu" : "cuda:" + std::to_string(device.index);
}

}  // namespace amp::inline v0
