// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device's functions for the layers that know no CUDA: memory, copies, marks.
#pragma once

#include <cstdint>
#include <utility>

#include "amp/device/cuda/cache.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/copy.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/host_copy.hpp"
#include "amp/device/cuda/memory_pool.hpp"
#include "amp/device/memory.hpp"

namespace amp::inline v0::cuda::detail {

struct AMP_EXPORT MemoryPools {
  MemoryPools() : MemoryPools(std::make_integer_sequence<int, kMaxDevices>()) {}

  MemoryPool of[kMaxDevices];

 private:
  template <int... device>
  explicit MemoryPools(std::integer_sequence<int, device...>) : of{MemoryPool(device)...} {}
};
inline MemoryPool& memory_pool(int device) { return process_state<MemoryPools>().of[device]; }

inline void require_usable(Device device) {
  AMP_CHECK(device.index >= 0 && device.index < device_count(), "device ", device,
            " is not usable: ",
            device_count() == 0 ? devices().why_none.c_str()
                                : "this machine has no device of that number");
}

inline void* allocate(Device device, std::int64_t bytes) {
  require_usable(device);
  return amp::detail::or_out_of_memory([&] { return memory_pool(device.index).allocate(bytes); });
}
inline void deallocate(Device device, void* memory, std::int64_t) noexcept {
  if (!is_forked()) memory_pool(device.index).deallocate(memory);  // else it belongs to the parent
}
inline void share(Device device, void* memory) noexcept {
  if (!is_forked()) memory_pool(device.index).share(memory);
}
inline void note_use(Device device, void* memory, void* stream) noexcept {
  if (!is_forked()) memory_pool(device.index).note_use(memory, static_cast<cudaStream_t>(stream));
}

inline void* create_stream(Device device) {
  require_usable(device);
  const DeviceGuard guard(device.index);
  cudaStream_t stream = nullptr;
  AMP_CUDA_CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
  return stream;
}
inline void destroy_stream(Device device, void* stream) noexcept {
  if (is_forked()) return;
  const auto handle = static_cast<cudaStream_t>(stream);
  try {
    release_stream(handle, device.index);
  } catch (...) {  // empty_cache() frees its memory
  }
  (void)cudaStreamDestroy(handle);
}

inline bool is_available() { return !is_forked() && device_count() > 0; }

inline constexpr DeviceMemory kDeviceMemory{.allocate = allocate,
                                            .deallocate = deallocate,
                                            .copy = copy,
                                            .is_available = is_available,
                                            .share = share,
                                            .note_use = note_use,
                                            .record = record_mark,
                                            .wait = wait_for_mark,
                                            .forget = forget_mark,
                                            .begin_host_copy = begin_host_copy,
                                            .host_copy_data = host_copy_data,
                                            .end_host_copy = end_host_copy,
                                            .create_stream = create_stream,
                                            .destroy_stream = destroy_stream};

}  // namespace amp::inline v0::cuda::detail
