// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Memory on any device, with the bytes counted. Host memory is allocated directly, that of other
// devices through the functions that they registered.
#pragma once

#include <cstdint>

#include "amp/device/device.hpp"

namespace amp::inline v0 {

/// The memory functions of a device other than the host. Work is enqueued on the current stream of
/// the device.
struct DeviceMemory {
  void* (*allocate)(Device, std::int64_t bytes) = nullptr;
  void (*deallocate)(Device, void*, std::int64_t bytes) noexcept = nullptr;
  /// Copies between the device and the host, or within the device. Waits only if the copy goes to
  /// the host.
  void (*copy)(Device to_device, void* to, Device from_device, const void* from,
               std::int64_t bytes) = nullptr;
  bool (*is_available)() = nullptr;

  /// Says that other, unknown streams read a block of allocate() from now on. When the block is
  /// given back, it is reused only after all work of the device.
  void (*share)(Device, void* memory) noexcept = nullptr;

  /// Says that `stream` has used a block until now. When the block is given back, it is reused only
  /// after that work.
  void (*note_use)(Device, void* memory, void* stream) noexcept = nullptr;

  // The functions of a StreamMark, described in device/stream_mark.hpp. record() creates the mark
  // if it is null.
  void* (*record)(Device, void* mark) = nullptr;
  bool (*wait)(Device, void* mark) = nullptr;
  void (*forget)(Device, void* mark) noexcept = nullptr;

  // The functions of a HostCopy, described in device/host_copy.hpp. begin_host_copy() creates the
  // copy if it is null.
  void (*begin_host_copy)(Device, void*& copy, const void* from, std::int64_t bytes) = nullptr;
  const void* (*host_copy_data)(void* copy) = nullptr;
  void (*end_host_copy)(void* copy) noexcept = nullptr;

  // The functions of a SideStream, described in device/side_stream.hpp.
  void* (*create_stream)(Device) = nullptr;
  void (*destroy_stream)(Device, void* stream) noexcept = nullptr;
};

/// Bytes of tensor memory on one device: those that tensors requested, not those that the allocator
/// holds in reserve.
struct MemoryStats {
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t allocations = 0;
};

namespace detail {

/// Returns the memory functions of a device. Throws amp::Error if the program has no backend for
/// it.
const DeviceMemory& device_memory(Device device);

}  // namespace detail

/// Registers the memory functions of a device type. Idempotent: the first registration stays.
void register_device_memory(DeviceType type, const DeviceMemory* memory);

/// Whether tensors can be created on a device of this type.
bool is_available(DeviceType type);

/// Registers the CUDA backend explicitly. Needed if the object file that includes <amp/cuda.cuh>
/// lies in a static archive. Defined by that header.
void enable_cuda();

/// What amp has allocated on devices of this type.
MemoryStats memory_stats(Device device = {});

/// Starts a new measurement of the peak.
void reset_peak_memory(Device device = {});

/// Returns uninitialised memory, 64-byte aligned; null for 0 bytes.
void* allocate(Device device, std::int64_t bytes);

/// Gives back memory of allocate() with the same number of bytes; null does nothing.
void deallocate(Device device, void* memory, std::int64_t bytes) noexcept;

/// Says that streams other than that of allocate() use `memory`, a block. When the block is given
/// back, it is reused only after all work of the device. Does nothing on the CPU. Does not
/// synchronise.
void share(Device device, void* memory) noexcept;

/// Copies `bytes` bytes between two devices. Synchronises if the copy goes to the host; otherwise
/// only enqueues it.
void copy_bytes(Device to_device, void* to, Device from_device, const void* from,
                std::int64_t bytes);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/memory.ipp"
#endif
