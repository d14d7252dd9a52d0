// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The devices of the process and their streams.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/device_guard.hpp"
#include "amp/device/cuda/error.hpp"
#include "amp/device/cuda/libraries.hpp"
#include "amp/device/cuda/process.hpp"
#include "amp/device/stream.hpp"

namespace amp::inline v0::cuda {
namespace detail {

/// The devices that this process can use.
struct Devices {
  int count = 0;
  std::string why_none = {};  // if count is 0
};

inline Devices find_devices() {
  int found = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&found); status != cudaSuccess) {
    (void)cudaGetLastError();
    if (status == cudaErrorNoDevice) return {0, "the CUDA driver has no device"};
    return {0, std::string("there is no CUDA driver, or none that fits (cudaGetDeviceCount: ") +
                   cudaGetErrorName(status) + ": " + cudaGetErrorString(status) + ")"};
  }
  try {
    if (void (*const load)() = libraries().load) load();
  } catch (const Error& error) {
    return {0, error.what()};
  }
  return {(std::min)(found, kMaxDevices)};
}

/// Returns what find_devices() found at the first call. Throws amp::Error in a forked child that
/// cannot use CUDA.
inline const Devices& devices() {
  require_own_process();
  static const Devices& found = *new Devices(find_devices());  // outlives all statics
  return found;
}
inline int device_count() { return devices().count; }

/// The id of a stream. It is unique for the life of the process, even if the stream was destroyed
/// and another one has its address.
using StreamId = unsigned long long;

/// A handle may be used only while its stream is current for this thread or is amp's own: a user's
/// stream may be destroyed at any other time. State that outlives this is stored under the stream's
/// id.
struct Stream {
  cudaStream_t handle = nullptr;
  StreamId id = 0;
};

/// Whether the stream is one of the default streams, of which each device has its own under one
/// handle; cudaStreamPerThread has the highest of these handles.
inline bool is_default_stream(cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

/// Whether a graph takes what is enqueued on the stream, instead of the device. So it is said of
/// the legacy default stream, too, while it cannot be used because another stream is captured. For
/// a default stream, the device must be current.
inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  const cudaError_t asked = cudaStreamIsCapturing(stream, &status);
  if (asked == cudaErrorStreamCaptureImplicit) {
    (void)cudaGetLastError();
    return true;
  }
  require(asked, "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}
inline bool is_capturing(int device, cudaStream_t stream) {
  std::optional<DeviceGuard> guard;
  if (is_default_stream(stream)) guard.emplace(device);
  return is_capturing(stream);
}

/// The ids of streams. CUDA does not give the id of a stream that is captured, and the question
/// ends the capture. So the ids that it gave before are kept here, by handle.
class AMP_EXPORT StreamIds {
 public:
  static StreamIds& instance() { return process_state<StreamIds>(); }
  StreamId of(cudaStream_t stream) {
    const bool captured = is_capturing(stream);
    StreamId id = 0;
    if (!captured) AMP_CUDA_CALL(cudaStreamGetId, stream, &id);
    const std::lock_guard lock(mutex_);
    if (!captured) {
      if (!is_default_stream(stream)) known_[stream] = id;
      return id;
    }
    const auto known = known_.find(stream);
    return known != known_.end() ? known->second : kUnknown | reinterpret_cast<StreamId>(stream);
  }
  void forget(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    known_.erase(stream);
  }

 private:
  static constexpr StreamId kUnknown = StreamId{1} << 63;  // no stream of CUDA has such an id

  std::mutex mutex_;
  std::unordered_map<cudaStream_t, StreamId> known_;
};

/// The device must be current, because each device has its own default stream.
inline StreamId id_of(cudaStream_t stream) { return StreamIds::instance().of(stream); }

/// amp's own stream of each device, created at its first use. It is not ordered with the legacy
/// default stream.
class AMP_EXPORT OwnStreams {
 public:
  static OwnStreams& instance() { return process_state<OwnStreams>(); }
  Stream of(int device) {
    const std::lock_guard lock(mutex_);
    Stream& stream = streams_[device];
    if (stream.handle == nullptr) {
      const DeviceGuard guard(device);
      cudaStream_t made = nullptr;
      AMP_CUDA_CALL(cudaStreamCreateWithFlags, &made, cudaStreamNonBlocking);
      try {
        stream = {made, id_of(made)};
      } catch (...) {
        (void)cudaStreamDestroy(made);
        throw;
      }
    }
    return stream;
  }
  /// Null if there is none yet.
  Stream find(int device) {
    const std::lock_guard lock(mutex_);
    return streams_[device];
  }
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    Stream& stream = streams_[device];
    if (stream.handle == nullptr) return;
    avoid_new_context(device);
    (void)cudaStreamDestroy(stream.handle);
    stream = {};
  }

 private:
  std::mutex mutex_;
  Stream streams_[kMaxDevices] = {};
};

/// Streams of destroyed graphs, reused for the next graph, with the handles and workspaces that
/// libraries have for each stream.
class AMP_EXPORT IdleStreams {
 public:
  static IdleStreams& instance() { return process_state<IdleStreams>(); }
  /// The device must be current.
  cudaStream_t take(int device) {
    const std::lock_guard lock(mutex_);
    Of& of = all_[device];
    cudaStream_t stream = nullptr;
    if (!of.idle.empty()) {
      stream = of.idle.back();
      of.idle.pop_back();
      return stream;
    }
    of.idle.reserve(of.ids.size() + 1);  // so that give_back() cannot fail
    of.ids.reserve(of.ids.size() + 1);
    AMP_CUDA_CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    try {
      of.ids.push_back(id_of(stream));
    } catch (...) {
      (void)cudaStreamDestroy(stream);
      throw;
    }
    return stream;
  }
  void give_back(int device, cudaStream_t stream) noexcept {
    const std::lock_guard lock(mutex_);
    all_[device].idle.push_back(stream);
  }
  /// Whether `id` is that of a stream of graphs, in use, idle or destroyed.
  bool contains(int device, StreamId id) {
    const std::lock_guard lock(mutex_);
    const auto& ids = all_[device].ids;
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    Of& of = all_[device];
    if (!of.idle.empty()) avoid_new_context(device);
    for (const cudaStream_t stream : of.idle) (void)cudaStreamDestroy(stream);
    of.idle.clear();
  }

 private:
  struct Of {
    std::vector<cudaStream_t> idle = {};
    std::vector<StreamId> ids = {};  // of all streams created, idle or in use
  };

  std::mutex mutex_;
  Of all_[kMaxDevices];
};

/// Throws if `bytes` bytes allocated now would become part of a graph that the user captures.
inline void require_not_captured(int device, cudaStream_t stream, std::int64_t bytes) {
  AMP_CHECK(!is_capturing(device, stream), "the current stream of cuda:", device,
            " is captured into a CUDA graph, and no amp::cuda::Graph does it: ", bytes,
            " bytes allocated now would belong to that graph. Allocate before the capture, and let "
            "it only write to tensors that exist, or record the work with amp::cuda::Graph");
}

/// While one exists, this thread may ask for events and host memory, or wait for a device that has
/// no captured stream, although another one captures a stream in global mode: those calls have
/// nothing to do with its capture.
class RelaxedCapture {
 public:
  RelaxedCapture() { AMP_CUDA_CALL(cudaThreadExchangeStreamCaptureMode, &mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then the one before
};

/// Throws if this thread records a graph, but this work would not be part of it.
inline void require_recorded(int device, cudaStream_t stream) {
  const amp::detail::Capture* const call = amp::detail::Capture::current();
  if (call == nullptr || call->takes_work_of({kCUDA, device}, stream)) [[likely]]
    return;
  amp::detail::refuse("Graph: the callable works on cuda:", device,
                      call->device().index == device ? ", on a stream of its choice" : "",
                      "; a graph records the one stream of ", call->device(), " that it chose");
}

/// Returns the stream that takes this thread's work on a device. The device must exist.
inline Stream current(int device) {
  avoid_new_context(device);  // some callers of this ask only whether the stream is captured
  auto& choice = thread_state<amp::detail::CurrentStreams>().choices[device];
  if (!choice.made) {
    const StreamSource source = process_state<amp::detail::CurrentStreamSource>().source.load();
    if (source == nullptr) [[likely]]
      return OwnStreams::instance().of(device);
    const DeviceGuard guard(device);
    const auto handle = static_cast<cudaStream_t>(source(device));
    return {handle, id_of(handle)};
  }
  const auto handle = static_cast<cudaStream_t>(choice.stream);
  if (!choice.id_known) {
    const DeviceGuard guard(device);
    choice.id = id_of(handle);
    choice.id_known = true;
  }
  return {handle, choice.id};
}

}  // namespace detail

}  // namespace amp::inline v0::cuda
