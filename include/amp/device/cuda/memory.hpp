// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Device memory with reuse, above one stream-ordered pool per device; and copies that do not make
// the host wait where they need not.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/staging.hpp"
#include "amp/device/memory.hpp"

namespace amp::inline v0::cuda::detail {

/// A block goes back to the stream that it was allocated for, and waits there by size. Reuse on
/// that stream needs no synchronisation: later work comes after earlier. Given back under another
/// stream, it is first awaited by its own.
class AMP_EXPORT MemoryPool {
 public:
  void* allocate(int device, std::int64_t bytes) {
    const cudaStream_t stream = current_stream(device);
    require_recorded(device, stream);
    const std::int64_t size = rounded(bytes);
    const std::lock_guard lock(mutex_);
    std::vector<void*>& free = free_[{stream, size}];
    void* memory = nullptr;
    if (!free.empty()) {
      memory = free.back();
      used_.emplace(memory, Block{stream, size});
      free.pop_back();
      return memory;
    }
    if (amp::detail::Capture* const recording = amp::detail::current_recording())
      amp::detail::refuse(
          *recording, "Graph: the callable asks for ", bytes,
          " bytes that its warm-ups did not leave behind; every call has to ask for "
          "the same memory, after `warmup` calls at the latest");
    const DeviceGuard guard(device);
    if (pool_ == nullptr) create(device);
    cudaError_t status =
        cudaMallocFromPoolAsync(&memory, static_cast<std::size_t>(size), pool_, stream);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      give_back_free_blocks();
      status = cudaMallocFromPoolAsync(&memory, static_cast<std::size_t>(size), pool_, stream);
    }
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      amp::detail::fail("out of memory: cuda:", device, " could not give ", bytes, " bytes");
    }
    require(status, "cudaMallocFromPoolAsync");
    try {
      used_.emplace(memory, Block{stream, size});
    } catch (...) {
      (void)cudaFreeAsync(memory, stream);
      throw;
    }
    return memory;
  }

  void deallocate(int device, void* memory) noexcept {
    try {
      const cudaStream_t now = current_stream(device);
      const std::lock_guard lock(mutex_);
      const auto found = used_.find(memory);
      if (found == used_.end()) return;
      const Block block = found->second;
      if (block.shared) {
        found->second.given_back = true;
        return;
      }
      if (now != block.stream) {
        if (Private* const graph = recording_of(now, block.stream)) {
          graph->kept.push_back(memory);
          return;
        }
        wait_for(device, block.stream, now);
      }
      free_[{block.stream, block.size}].push_back(memory);
      used_.erase(found);
    } catch (...) {
      // Nothing can be said from here. Nobody may have it before all work is done: release() does.
      const std::lock_guard lock(mutex_);
      if (const auto found = used_.find(memory); found != used_.end())
        found->second.given_back = true;
    }
  }

  /// It is not reused before all work is done: release() waits for that.
  void share(void* memory) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto found = used_.find(memory); found != used_.end()) found->second.shared = true;
  }

  // --- of graphs -------------------------------------------------------------------------------

  /// From now on the blocks of `stream` stay with it: a graph will use the free ones too.
  void make_private(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    private_.try_emplace(stream);
  }
  /// Whether the stream is being recorded: it cannot wait for another then, nor be awaited.
  void set_recording(cudaStream_t stream, bool recording) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto found = private_.find(stream); found != private_.end())
      found->second.recording = recording;
  }
  /// Gives the private blocks back. No work with them is under way.
  void end_private(cudaStream_t stream) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = private_.find(stream);
    if (found == private_.end()) return;
    for (void* const memory : found->second.kept) give_back_used(memory);
    private_.erase(found);
    for (auto& [key, blocks] : free_) {
      if (key.first == stream) give_back(stream, blocks);
    }
  }

  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      const DeviceGuard guard(device);
      (void)cudaDeviceSynchronize();
      give_back_free_blocks();
      std::erase_if(used_, [](const auto& entry) {
        const auto& [memory, block] = entry;
        return block.given_back && cudaFreeAsync(memory, block.stream) == cudaSuccess;
      });
      if (pool_ != nullptr && used_.empty())
        (void)cudaMemPoolDestroy(std::exchange(pool_, nullptr));
    } catch (...) {  // a device that cannot be made current has lost its memory already
    }
  }

 private:
  struct Block {
    cudaStream_t stream;
    std::int64_t size;
    bool given_back = false;  // but not in order with the stream
    bool shared = false;
  };

  struct Private {
    bool recording = false;
    std::vector<void*> kept = {};  // given back while the graph was recorded, which may use them
  };

  Private* recording_of(cudaStream_t a, cudaStream_t b) {
    for (const cudaStream_t stream : {a, b}) {
      const auto found = private_.find(stream);
      if (found != private_.end() && found->second.recording) return &found->second;
    }
    return nullptr;
  }
  void give_back_used(void* memory) noexcept {
    const auto found = used_.find(memory);
    if (found == used_.end()) return;
    if (cudaFreeAsync(memory, found->second.stream) == cudaSuccess) {
      used_.erase(found);
    } else {
      found->second.given_back = true;
    }
  }
  static void give_back(cudaStream_t stream, std::vector<void*>& blocks) noexcept {
    std::erase_if(blocks,
                  [&](void* memory) { return cudaFreeAsync(memory, stream) == cudaSuccess; });
  }

  /// Four sizes to each power of two, from 512 bytes: at most a quarter is wasted.
  static std::int64_t rounded(std::int64_t bytes) {
    if (bytes <= 512) return 512;
    const auto step = std::int64_t{1}
                      << (61 - std::countl_zero(static_cast<std::uint64_t>(bytes - 1)));
    return (bytes + step - 1) / step * step;
  }

  void create(int device) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t pool = nullptr;
    AMP_CUDA_CALL(cudaMemPoolCreate, &pool, &properties);
    std::uint64_t keep = ~std::uint64_t{0};  // what is free stays in the pool
    if (const cudaError_t status =
            cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
        status != cudaSuccess) {
      (void)cudaMemPoolDestroy(pool);
      raise("cudaMemPoolSetAttribute", status);
    }
    pool_ = pool;
  }
  void give_back_free_blocks() noexcept {
    for (auto& [key, blocks] : free_) {
      if (private_.count(key.first) == 0) give_back(key.first, blocks);
    }
  }

  std::mutex mutex_;
  cudaMemPool_t pool_ = nullptr;
  std::unordered_map<cudaStream_t, Private> private_;
  std::map<std::pair<cudaStream_t, std::int64_t>, std::vector<void*>> free_;
  std::unordered_map<void*, Block, std::hash<void*>, std::equal_to<>,
                     amp::detail::PoolAllocator<std::pair<void* const, Block>>>
      used_;
};

struct AMP_EXPORT MemoryPools {
  MemoryPool of[kMaxDevices];
};
inline MemoryPool& memory_pool(int device) { return process_state<MemoryPools>().of[device]; }

inline void* allocate(Device device, std::int64_t bytes) {
  AMP_CHECK(device.index >= 0 && device.index < device_count(), "device ", device,
            " is not usable: ",
            device_count() == 0 ? "there is no CUDA driver, or it has no device"
                                : "this machine has no device of that number");
  return memory_pool(device.index).allocate(device.index, bytes);
}
inline void deallocate(Device device, void* memory, std::int64_t) noexcept {
  if (is_forked()) return;  // it is the parent's
  memory_pool(device.index).deallocate(device.index, memory);
}

/// The host waits only for what it is to read.
inline void copy(Device to_device, void* to, Device from_device, const void* from,
                 std::int64_t bytes) {
  const Device owner = to_device.type == kCPU ? from_device : to_device;
  const DeviceGuard guard(owner.index);
  const cudaStream_t stream = current_stream(owner.index);
  const auto size = static_cast<std::size_t>(bytes);
  require_recorded(owner.index, stream);
  if (amp::detail::Capture* const recording = amp::detail::current_recording()) {
    if (from_device.type == kCPU)
      amp::detail::refuse(*recording, "Graph: a copy of ", bytes,
                          " bytes from the host would bring the same values at each replay; make "
                          "constants before, and copy_ batches to tensors that exist before, ahead "
                          "of replay()");
    if (to_device.type == kCPU)
      amp::detail::refuse(
          *recording, "Graph: a copy of ", bytes,
          " bytes to the host (item, to_vector, to(kCPU), a scaler's numbers) waits "
          "for the device, which a graph cannot; read results after replay()");
  }
  if (from_device.type == kCPU) {
    staging(owner.index).copy(to, from, size, stream);
  } else {
    AMP_CUDA_CALL(cudaMemcpyAsync, to, from, size, cudaMemcpyDefault, stream);
    if (to_device.type == kCPU) AMP_CUDA_CALL(cudaStreamSynchronize, stream);
  }
}

inline void share(Device device, void* memory) noexcept {
  if (!is_forked()) memory_pool(device.index).share(memory);
}

inline bool is_available() { return !is_forked() && device_count() > 0; }

inline constexpr DeviceMemory kDeviceMemory{.allocate = allocate,
                                            .deallocate = deallocate,
                                            .copy = copy,
                                            .is_available = is_available,
                                            .share = share,
                                            .record = record_mark,
                                            .wait = wait_for_mark,
                                            .forget = forget_mark};

}  // namespace amp::inline v0::cuda::detail
