// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/device/host_memory.hpp"
#include "amp/device/memory.hpp"

namespace amp::inline v0 {

namespace detail {

struct AMP_EXPORT MemoryState {
  std::atomic<const DeviceMemory*> devices[kDeviceTypeCount] = {};
  std::atomic<std::int64_t> current_bytes[kDeviceTypeCount] = {};
  std::atomic<std::int64_t> peak_bytes[kDeviceTypeCount] = {};
  std::atomic<std::int64_t> allocations[kDeviceTypeCount] = {};

  void count(DeviceType type, std::int64_t bytes) noexcept {
    const auto t = static_cast<std::size_t>(type);
    const std::int64_t now = current_bytes[t].fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (bytes < 0) return;
    allocations[t].fetch_add(1, std::memory_order_relaxed);
    std::int64_t peak = peak_bytes[t].load(std::memory_order_relaxed);
    while (now > peak &&
           !peak_bytes[t].compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }
};

AMP_INLINE MemoryState& memory_state() { return process_state<MemoryState>(); }

AMP_INLINE const DeviceMemory& device_memory(Device device) {
  const DeviceMemory* memory =
      memory_state().devices[static_cast<std::size_t>(device.type)].load(std::memory_order_acquire);
  AMP_CHECK(memory != nullptr, "device ", device,
            " is not usable: no backend for it is part of this program; include <amp/cuda.cuh> in "
            "one .cu file of it");
  return *memory;
}

}  // namespace detail

AMP_COLD void register_device_memory(DeviceType type, const DeviceMemory* memory) {
  const DeviceMemory* expected = nullptr;
  detail::memory_state().devices[static_cast<std::size_t>(type)].compare_exchange_strong(expected,
                                                                                         memory);
}

AMP_COLD bool is_available(DeviceType type) {
  if (type == kCPU) return true;
  const DeviceMemory* memory =
      detail::memory_state().devices[static_cast<std::size_t>(type)].load();
  return memory != nullptr && memory->is_available();
}

AMP_COLD MemoryStats memory_stats(Device device) {
  const detail::MemoryState& state = detail::memory_state();
  const auto t = static_cast<std::size_t>(device.type);
  return {.current_bytes = state.current_bytes[t],
          .peak_bytes = state.peak_bytes[t],
          .allocations = state.allocations[t]};
}

AMP_COLD void reset_peak_memory(Device device) {
  detail::MemoryState& state = detail::memory_state();
  const auto t = static_cast<std::size_t>(device.type);
  state.peak_bytes[t] = state.current_bytes[t].load();
}

AMP_INLINE void* allocate(Device device, std::int64_t bytes) {
  const DeviceMemory* const owner = device.type == kCPU ? nullptr : &detail::device_memory(device);
  if (bytes == 0) return nullptr;
  detail::MemoryState& state = detail::memory_state();  // first, because creating it may fail
  void* const memory =
      owner == nullptr ? detail::host_allocate(bytes) : owner->allocate(device, bytes);
  state.count(device.type, bytes);
  return memory;
}

AMP_INLINE void deallocate(Device device, void* memory, std::int64_t bytes) noexcept {
  if (memory == nullptr) return;
  detail::memory_state().count(device.type, -bytes);
  if (device.type == kCPU) {
    detail::host_deallocate(memory, bytes);
  } else {
    detail::memory_state().devices[static_cast<std::size_t>(device.type)].load()->deallocate(
        device, memory, bytes);
  }
}

AMP_INLINE void share(Device device, void* memory) noexcept {
  if (memory == nullptr || device.type == kCPU) return;
  detail::memory_state().devices[static_cast<std::size_t>(device.type)].load()->share(device,
                                                                                      memory);
}

AMP_INLINE void copy_bytes(Device to_device, void* to, Device from_device, const void* from,
                           std::int64_t bytes) {
  if (bytes == 0) return;
  if (to_device.type == kCPU && from_device.type == kCPU) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  } else {
    const Device owner = to_device.type == kCPU ? from_device : to_device;
    detail::device_memory(owner).copy(to_device, to, from_device, from, bytes);
  }
}

AMP_PROCESS_STATE(detail::MemoryState);

}  // namespace amp::inline v0
