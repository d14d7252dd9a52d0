// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Order between streams without the host: events that are created once and reused, and the marks
// with which other layers let one stream wait for another.
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
  /// The device must be current.
  cudaEvent_t take() {
    const std::lock_guard lock(mutex_);
    cudaEvent_t event = nullptr;
    if (!idle_.empty()) {
      event = idle_.back();
      idle_.pop_back();
      return event;
    }
    idle_.reserve(count_ + 1);  // so that give_back() cannot fail
    AMP_CUDA_CALL(cudaEventCreateWithFlags, &event, cudaEventDisableTiming);
    ++count_;
    return event;
  }
  void give_back(cudaEvent_t event) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(event);
  }
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) avoid_new_context(device);
    for (const cudaEvent_t event : idle_) (void)cudaEventDestroy(event);
    count_ -= idle_.size();
    idle_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> idle_;
  std::size_t count_ = 0;  // of events created, idle or in use
};

struct AMP_EXPORT EventPools {
  EventPool of[kMaxDevices];
};
inline EventPool& event_pool(int device) { return process_state<EventPools>().of[device]; }

/// A point in the work of a stream. It can be destroyed as soon as other streams wait for it: a
/// wait refers to the last record() before it, whatever comes later.
class Event {
 public:
  /// Records the work enqueued until now on `stream`, which must be current or amp's own, and not
  /// captured.
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
  /// Whether the device has reached the event.
  bool has_happened() const {
    avoid_new_context(device_);
    const RelaxedCapture relaxed;
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaSuccess) return true;
    (void)cudaGetLastError();
    if (status != cudaErrorNotReady) raise("cudaEventQuery", status);
    return false;
  }
  /// Lets the host wait.
  void wait() const {
    avoid_new_context(device_);
    const RelaxedCapture relaxed;
    AMP_CUDA_CALL(cudaEventSynchronize, event_);
  }
  /// Records again, as the constructor does. The event's device must be current.
  void record(cudaStream_t stream) { AMP_CUDA_CALL(cudaEventRecord, event_, stream); }
  /// Orders later work on `stream`, of any device, after the event. Does not synchronise.
  void let_wait(cudaStream_t stream) const {
    AMP_CUDA_CALL(cudaStreamWaitEvent, stream, event_, 0);
  }

 private:
  int device_;
  cudaEvent_t event_ = nullptr;
};

/// Orders later work on `waiting` after earlier work on `stream`. Both streams are of the device.
/// Does not synchronise.
inline void wait_for(int device, cudaStream_t waiting, cudaStream_t stream) {
  const DeviceGuard guard(device);
  Event(device, stream).let_wait(waiting);
}

/// The state of a StreamMark.
struct Mark {
  /// Streams whose work comes after the event: the recorded one, then those that waited for it.
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
  constexpr std::size_t kMostKnown = 16;  // forgets older streams beyond so many
  auto& mark = *static_cast<Mark*>(known);
  const Stream now = current(device.index);
  if (mark.is_ordered(now.id)) return false;
  if (is_capturing(device.index, now.handle)) return true;
  const DeviceGuard guard(device.index);  // each device has its own default stream
  mark.event.let_wait(now.handle);
  if (mark.ordered.size() == kMostKnown) mark.ordered.erase(mark.ordered.begin() + 1);
  mark.ordered.push_back(now.id);
  return true;
}

inline void forget_mark(Device, void* mark) noexcept {
  if (is_forked()) return;  // the mark belongs to the parent
  delete static_cast<Mark*>(mark);
}

}  // namespace amp::inline v0::cuda::detail
