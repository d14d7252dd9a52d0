// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Memory on any device: host memory directly, other devices through the functions they registered,
// with the bytes counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/device/device.hpp"
#include "amp/device/host_memory.hpp"

namespace amp::inline v0 {

/// What a device other than the host offers for memory. Work is enqueued on the current stream of
/// the device.
struct DeviceMemory {
  void* (*allocate)(Device, std::int64_t bytes) = nullptr;
  void (*deallocate)(Device, void*, std::int64_t bytes) noexcept = nullptr;
  /// Between the device and the host, or within the device. Waits only where host memory is
  /// involved.
  void (*copy)(Device to_device, void* to, Device from_device, const void* from,
               std::int64_t bytes) = nullptr;
  bool (*is_available)() = nullptr;

  /// Other streams read a block of allocate() from now on, and the device does not keep which: when
  /// the block is given back, it is reused only after all work of the device.
  void (*share)(Device, void* memory) noexcept = nullptr;

  // Of a StreamMark (device/stream_mark.hpp), which says what they mean. record() makes the mark if
  // it is null.
  void* (*record)(Device, void* mark) = nullptr;
  bool (*wait)(Device, void* mark) = nullptr;
  void (*forget)(Device, void* mark) noexcept = nullptr;
};

/// Bytes of tensor memory on one device. Counts what tensors asked for, not what the allocator
/// holds in reserve.
struct MemoryStats {
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t allocations = 0;
};

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

inline MemoryState& memory_state() { return process_state<MemoryState>(); }

inline const DeviceMemory& device_memory(Device device) {
  const DeviceMemory* memory =
      memory_state().devices[static_cast<std::size_t>(device.type)].load(std::memory_order_acquire);
  AMP_CHECK(memory != nullptr, "device ", device,
            " is not usable: no backend for it is part of this program; include <amp/cuda.cuh> in "
            "one .cu file of it");
  return *memory;
}

}  // namespace detail

/// Makes a device type's memory known. Idempotent: the first registration stays.
inline void register_device_memory(DeviceType type, const DeviceMemory* memory) {
  const DeviceMemory* expected = nullptr;
  detail::memory_state().devices[static_cast<std::size_t>(type)].compare_exchange_strong(expected,
                                                                                         memory);
}

/// Whether tensors can be created on a device of this type.
inline bool is_available(DeviceType type) {
  if (type == kCPU) return true;
  const DeviceMemory* memory =
      detail::memory_state().devices[static_cast<std::size_t>(type)].load();
  return memory != nullptr && memory->is_available();
}

/// Registers the CUDA backend explicitly, where the object file that includes <amp/cuda.cuh> lies
/// in a static archive. Defined by that header.
void enable_cuda();

inline MemoryStats memory_stats(Device device = {}) {
  const detail::MemoryState& state = detail::memory_state();
  const auto t = static_cast<std::size_t>(device.type);
  return {.current_bytes = state.current_bytes[t],
          .peak_bytes = state.peak_bytes[t],
          .allocations = state.allocations[t]};
}

/// Starts a new measurement of the peak.
inline void reset_peak_memory(Device device = {}) {
  detail::MemoryState& state = detail::memory_state();
  const auto t = static_cast<std::size_t>(device.type);
  state.peak_bytes[t] = state.current_bytes[t].load();
}

/// Uninitialised memory, 64-byte aligned; null for 0 bytes.
inline void* allocate(Device device, std::int64_t bytes) {
  const DeviceMemory* const owner = device.type == kCPU ? nullptr : &detail::device_memory(device);
  if (bytes == 0) return nullptr;
  detail::MemoryState& state = detail::memory_state();  // first: making it may fail
  void* const memory =
      owner == nullptr ? detail::host_allocate(bytes) : owner->allocate(device, bytes);
  state.count(device.type, bytes);
  return memory;
}

inline void deallocate(Device device, void* memory, std::int64_t bytes) noexcept {
  if (memory == nullptr) return;
  detail::memory_state().count(device.type, -bytes);
  if (device.type == kCPU) {
    detail::host_deallocate(memory, bytes);
  } else {
    detail::memory_state().devices[static_cast<std::size_t>(device.type)].load()->deallocate(
        device, memory, bytes);
  }
}

/// Says that other streams than the one of allocate() use `memory`, a block of it. When the block
/// is given back, it is reused only after all work of the device. Does nothing on the CPU. Does not
/// synchronise.
inline void share(Device device, void* memory) noexcept {
  if (memory == nullptr || device.type == kCPU) return;
  detail::memory_state().devices[static_cast<std::size_t>(device.type)].load()->share(device,
                                                                                      memory);
}

/// Copies `bytes` bytes between two devices. A copy to the host waits for it; one within a device
/// is enqueued.
inline void copy_bytes(Device to_device, void* to, Device from_device, const void* from,
                       std::int64_t bytes) {
  if (bytes == 0) return;
  if (to_device.type == kCPU && from_device.type == kCPU) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  } else {
    const Device owner = to_device.type == kCPU ? from_device : to_device;
    detail::device_memory(owner).copy(to_device, to, from_device, from, bytes);
  }
}

}  // namespace amp::inline v0
