// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The device on which memory and work live.
#pragma once

#include <cstdint>
#include <string>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The types of devices.
enum class DeviceType : std::uint8_t { kCPU, kCUDA };
using enum DeviceType;
inline constexpr int kDeviceTypeCount = 2;

/// A device of a type, with its index.
struct Device {
  DeviceType type = kCPU;
  int index = 0;

  constexpr Device() = default;
  /// The device of this number; one type alone is its first device.
  constexpr Device(DeviceType device_type, int device_index = 0)
      : type(device_type), index(device_index) {}
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

/// "cpu" or "cuda".
inline std::string to_string(DeviceType type) { return type == kCPU ? "cpu" : "cuda"; }
/// "cpu", or "cuda:0" with the number.
inline std::string to_string(const Device& device) {
  return device.type == kCPU ? "cpu" : "cuda:" + std::to_string(device.index);
}

}  // namespace amp::inline v0
