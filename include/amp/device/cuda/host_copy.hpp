// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of a HostCopy: page-locked memory, and the event of the copy.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/device/cuda/captures.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/device.hpp"

namespace amp::inline v0::cuda::detail {

/// Page-locked blocks that were given back, by size, which is a power of two. They stay until
/// release(): to free one waits for all devices.
class AMP_EXPORT PinnedBlocks {
 public:
  static PinnedBlocks& instance() { return process_state<PinnedBlocks>(); }

  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::vector<void*>& idle = idle_[bytes];
    void* memory = nullptr;
    if (!idle.empty()) {
      memory = idle.back();
      idle.pop_back();
      return memory;
    }
    std::size_t& made = made_[bytes];
    idle.reserve(made + 1);  // so that give_back() cannot fail
    const RelaxedCapture relaxed;
    AMP_CUDA_CALL(cudaMallocHost, &memory, bytes);
    ++made;
    return memory;
  }
  void give_back(void* memory, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.find(bytes)->second.push_back(memory);
  }
  /// Does nothing while a stream of any device is captured.
  void release() noexcept {
    const std::lock_guard lock(mutex_);
    if (is_any_captured()) return;
    for (auto& [bytes, idle] : idle_) {
      made_[bytes] -= idle.size();
      for (void* const memory : idle) (void)cudaFreeHost(memory);
      idle.clear();
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> idle_;
  std::map<std::size_t, std::size_t> made_;  // blocks of each size, idle or in use
};

class PinnedCopy {
 public:
  PinnedCopy(int device, std::size_t bytes)
      : device_(device),
        bytes_(std::bit_ceil((std::max)(bytes, kSmallest))),
        memory_(PinnedBlocks::instance().take(bytes_)) {}
  PinnedCopy(const PinnedCopy&) = delete;
  PinnedCopy& operator=(const PinnedCopy&) = delete;
  ~PinnedCopy() {
    try {
      if (arrived_) arrived_->wait();
    } catch (...) {  // the device is lost
    }
    PinnedBlocks::instance().give_back(memory_, bytes_);
  }

  std::size_t bytes() const { return bytes_; }
  void start(const void* from, std::size_t bytes, cudaStream_t stream) {
    AMP_CUDA_CALL(cudaMemcpyAsync, memory_, from, bytes, cudaMemcpyDefault, stream);
    try {
      const DeviceGuard guard(device_);
      if (arrived_) {
        arrived_->record(stream);
      } else {
        arrived_.emplace(device_, stream);
      }
    } catch (...) {
      (void)cudaStreamSynchronize(stream);  // without an event, this tells when the memory is free
      throw;
    }
  }
  /// Returns null until the copy has arrived.
  const void* data() const { return arrived_ && arrived_->has_happened() ? memory_ : nullptr; }

 private:
  static constexpr std::size_t kSmallest = 256;

  int device_;
  std::size_t bytes_;
  void* memory_;
  std::optional<Event> arrived_ = {};
};

inline void begin_host_copy(Device device, void*& known, const void* from, std::int64_t bytes) {
  const cudaStream_t stream = current_stream(device.index);
  if (is_capturing(device.index, stream)) return;
  const DeviceGuard guard(device.index);
  const auto size = static_cast<std::size_t>(bytes);
  std::unique_ptr<PinnedCopy> made;
  auto* copy = static_cast<PinnedCopy*>(known);
  if (copy == nullptr || copy->bytes() < size) {
    made = amp::detail::or_out_of_memory(
        [&] { return std::make_unique<PinnedCopy>(device.index, size); });
    copy = made.get();
  }
  copy->start(from, size, stream);
  if (made == nullptr) return;
  delete static_cast<PinnedCopy*>(known);
  known = made.release();
}

inline const void* host_copy_data(void* known) { return static_cast<PinnedCopy*>(known)->data(); }

inline void end_host_copy(void* known) noexcept {
  if (is_forked()) return;  // the copy belongs to the parent
  delete static_cast<PinnedCopy*>(known);
}

}  // namespace amp::inline v0::cuda::detail
