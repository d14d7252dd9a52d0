// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A point in the work of a stream, for which the work of other streams can wait. With it, memory
// written on one stream can be read on another.
#pragma once

#include <utility>

#include "amp/device/device.hpp"

namespace amp::inline v0 {

/// Marks the current end of a device stream's work. No function makes the host wait. On the CPU,
/// all work has one order, and nothing happens. Only one thread at a time may use a mark.
///
/// ```cpp
/// const amp::Tensor copy = amp::zeros({4});  // written on this thread's stream
/// amp::StreamMark written;
/// written.record(copy.device());
/// // later, in any thread:
/// if (written.wait(copy.device())) amp::share(copy.device(), copy.raw_data());
/// // what is enqueued from here on reads the copy as it was written
/// ```
class StreamMark {
 public:
  StreamMark() = default;
  StreamMark(StreamMark&& other) noexcept
      : device_(other.device_), mark_(std::exchange(other.mark_, nullptr)) {}
  StreamMark& operator=(StreamMark&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(mark_, other.mark_);
    return *this;
  }
  ~StreamMark() { forget(); }

  /// Takes the place of what was recorded before: from now on the mark is what was enqueued until
  /// now on this thread's current stream of `device`. While that stream is captured into a graph,
  /// the mark becomes empty instead, as nothing was enqueued then. Throws amp::Error if CUDA
  /// fails, and leaves the mark as it was.
  void record(Device device);

  /// Whether record() was never called, or only on the CPU or on a stream that was captured.
  bool empty() const { return mark_ == nullptr; }

  /// Orders later work of this thread on its current stream of `device` after the mark. Does
  /// nothing if the order holds already (on the stream of record(), or one that has waited since),
  /// if the mark is empty, or while the current stream is captured into a graph. Throws amp::Error
  /// if CUDA fails.
  ///
  /// Returns whether the current stream came after the mark for the first time, or is captured and
  /// is another than record()'s: the memory that the mark protects now has one more reader that its
  /// owner does not know; see share().
  bool wait(Device device) const;

 private:
  void forget() noexcept;

  Device device_ = {};
  void* mark_ = nullptr;  // owned by the device's functions
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/stream_mark.ipp"
#endif
