// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A device to put a tensor on that all others are not on.
#pragma once

#include <amp/amp.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace amp_test {

/// Memory of kCUDA, which is the host's; no kernels. is_available() stays false, so that other tests
/// of the program do not look for some. Where there is a real device, that is used.
inline void make_second_device() {
  static const amp::DeviceMemory memory = {
      .allocate = [](amp::Device, std::int64_t bytes) -> void* {
        return std::malloc(static_cast<std::size_t>(bytes));
      },
      .deallocate = [](amp::Device, void* block, std::int64_t) noexcept { std::free(block); },
      .copy = [](amp::Device, void* to, amp::Device, const void* from,
                 std::int64_t bytes) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); },
      .is_available = [] { return false; }};
  amp::register_device_memory(amp::kCUDA, &memory);
}

}  // namespace amp_test
