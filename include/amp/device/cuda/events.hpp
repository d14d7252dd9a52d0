// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Order between streams without the host: events that are made once and used often, and the marks
// by which other layers let one stream wait for another.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "amp/device/cuda/context.hpp"

namespace amp::inline v0::cuda::detail {

/// Idle events of one device.
class AMP_EXPORT EventPool {
 public:
  /// The device is current.
  cudaEvent_t take() {
    const std::lock_guard lock(mutex_);
    cudaEvent_t event = nullptr;
    if (!idle_.empty()) {
      event = idle_.back();
      idle_.pop_back();
      return event;
    }
    idle_.reserve(count_ + 1);  // so that giving it back cannot fail
    AMP_CUDA_CALL(cudaEventCreateWithFlags, &event, cudaEventDisableTiming);
    ++count_;
    return event;
  }
  void give_back(cudaEvent_t event) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(event);
  }
  void release() noexcept {
    const std::lock_guard lock(mutex_);
    for (const cudaEvent_t event : idle_) (void)cudaEventDestroy(event);
    count_ -= idle_.size();
    idle_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> idle_;
  std::size_t count_ = 0;  // of events made, idle or in use
};

struct AMP_EXPORT EventPools {
  EventPool of[kMaxDevices];
};
inline EventPool& event_pool(int device) { return process_state<EventPools>().of[device]; }

/// A point in the work of a stream. It can be destroyed as soon as other streams wait for it:
/// "wait" means the last record() before, whatever comes later.
class Event {
 public:
  /// What was enqueued until now on `stream`, which is current or amp's own, and is not captured.
  Event(int device, cudaStream_t stream) : device_(device) {
    const DeviceGuard guard(device);
    event_ = event_pool(device).take();
    try {
      record(stream);
    } catch (...) {
      event_pool(device).give_back(event_);
      throw;
    }
  }
  Event(Event&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) event_pool(device_).give_back(event_);
  }

  cudaEvent_t get() const { return event_; }
  /// Whether the streams have come to it.
  bool has_happened() const {
    const RelaxedCapture relaxed;
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaSuccess) return true;
    (void)cudaGetLastError();
    if (status != cudaErrorNotReady) raise("cudaEventQuery", status);
    return false;
  }
  /// As the constructor does, the device of the event being current.
  void record(cudaStream_t stream) { AMP_CUDA_CALL(cudaEventRecord, event_, stream); }
  /// What is enqueued on `stream`, of any device, from now on comes after it. The host does not
  /// wait.
  void let_wait(cudaStream_t stream) const {
    AMP_CUDA_CALL(cudaStreamWaitEvent, stream, event_, 0);
  }

 private:
  int device_;
  cudaEvent_t event_ = nullptr;
};

/// What is enqueued on `waiting` from now on comes after what was enqueued on `stream` until now;
/// both are of the device. The host does not wait.
inline void wait_for(int device, cudaStream_t waiting, cudaStream_t stream) {
  const DeviceGuard guard(device);
  Event(device, stream).let_wait(waiting);
}

/// What is behind a StreamMark.
struct Mark {
  /// Streams whose work comes after the event: the one it was recorded on, then those that waited.
  std::vector<StreamId> ordered = {};
  Event event;

  bool is_ordered(StreamId stream) const {
    return std::find(ordered.begin(), ordered.end(), stream) != ordered.end();
  }
};

inline void* record_mark(Device device, void* known) {
  auto* const mark = static_cast<Mark*>(known);
  const Stream now = current(device.index);
  if (is_capturing(device.index, now.handle)) {
    delete mark;
    return nullptr;
  }
  if (mark == nullptr)
    return amp::detail::or_out_of_memory(
        [&] { return new Mark{.ordered = {now.id}, .event = Event(device.index, now.handle)}; });
  const DeviceGuard guard(device.index);
  mark->event.record(now.handle);
  mark->ordered.assign(1, now.id);
  return mark;
}

inline bool wait_for_mark(Device device, void* known) {
  constexpr std::size_t kMostKnown = 16;  // streams come and go
  auto& mark = *static_cast<Mark*>(known);
  const Stream now = current(device.index);
  if (mark.is_ordered(now.id)) return false;
  if (is_capturing(device.index, now.handle)) return true;
  const DeviceGuard guard(device.index);  // there is a default stream of each device
  mark.event.let_wait(now.handle);
  if (mark.ordered.size() == kMostKnown) mark.ordered.erase(mark.ordered.begin() + 1);
  mark.ordered.push_back(now.id);
  return true;
}

inline void forget_mark(Device, void* mark) noexcept {
  if (is_forked()) return;  // it is the parent's
  delete static_cast<Mark*>(mark);
}

}  // namespace amp::inline v0::cuda::detail
