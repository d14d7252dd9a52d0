// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A library's handle for each stream of a device.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "amp/core/function_ref.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/cuda/captures.hpp"
#include "amp/device/cuda/context.hpp"

namespace amp::inline v0::cuda::detail {

/// The handles of one library, one for each stream.
class AMP_EXPORT HandleCache {
 public:
  /// Destroys the handles of those streams for which is_gone(id), which waits for the device. Does
  /// nothing while a stream of the device is captured.
  virtual void drop(int device, FunctionRef<bool(StreamId)> is_gone) noexcept = 0;

 protected:
  ~HandleCache() = default;
};

/// The caches of each device that have had a handle.
struct AMP_EXPORT HandleCaches {
  std::mutex mutex;
  std::vector<HandleCache*> of[kMaxDevices];
};
inline void drop_handles(int device, FunctionRef<bool(StreamId)> is_gone) noexcept {
  auto& caches = process_state<HandleCaches>();
  const std::lock_guard lock(caches.mutex);
  for (HandleCache* const cache : caches.of[device]) cache->drop(device, is_gone);
}

/// The handles of one device, each created at the first use of its stream: work on two streams at a
/// time shares none. `Handle` is constructed from (device, stream) while the device is current, and
/// releases itself when it is destroyed; get() returns what the library's calls take. The object
/// lives as long as the process.
template <class Handle>
class StreamHandles : public HandleCache {
 public:
  /// Calls call(handle) with the handle of the current stream, while the device is current. Holds
  /// the lock: two threads must not use a handle at a time.
  template <class Call>
  void with_handle(int device, const Call& call) {
    require_own_process();  // a forked child might wait for ever for the mutex
    const Stream now = current(device);
    make_known(device);
    const std::lock_guard lock(mutex_);
    const DeviceGuard guard(device);
    if (!amp::detail::in_recording() && is_capturing(device, now.handle)) {
      AMP_CHECK(handles_.contains(now.id), "the current stream of cuda:", device,
                " is being captured, and amp has no library handle for it yet; do the work once on "
                "that stream before the capture, or use amp::cuda::Graph");
      captured_.insert(now.id);
    }
    call(handles_.try_emplace(now.id, device, now.handle).first->second.get());
  }

  /// Destroys all handles, as drop() does.
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    erase_if(device, [](StreamId) { return true; });
    if (handles_.empty()) captured_.clear();
  }
  void drop(int device, FunctionRef<bool(StreamId)> is_gone) noexcept override {
    const std::lock_guard lock(mutex_);
    erase_if(device, [&](StreamId id) { return is_gone(id) && !captured_.contains(id); });
  }

 private:
  void erase_if(int device, FunctionRef<bool(StreamId)> is_gone) noexcept {
    if (handles_.empty() || is_any_captured(device)) return;
    try {
      const DeviceGuard guard(device);
      std::erase_if(handles_, [&](const auto& entry) { return is_gone(entry.first); });
    } catch (...) {  // a device that cannot be made current has lost its handles
    }
  }
  void make_known(int device) {
    if (is_known_.load(std::memory_order_acquire)) return;
    auto& caches = process_state<HandleCaches>();
    const std::lock_guard lock(caches.mutex);
    if (is_known_.load(std::memory_order_relaxed)) return;
    caches.of[device].push_back(this);
    is_known_.store(true, std::memory_order_release);
  }

  std::atomic<bool> is_known_ = false;  // whether HandleCaches lists it
  std::mutex mutex_;
  std::unordered_map<StreamId, Handle> handles_;
  std::unordered_set<StreamId> captured_;  // into graphs of the program, which use the handles
};

}  // namespace amp::inline v0::cuda::detail
