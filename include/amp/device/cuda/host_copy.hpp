// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of a HostCopy: page-locked memory, and the event of the copy.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "amp/core/error.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/device.hpp"

namespace amp::inline v0::cuda::detail {

class PinnedCopy {
 public:
  PinnedCopy(int device, std::size_t bytes) : device_(device), bytes_(bytes) {
    const RelaxedCapture relaxed;
    AMP_CUDA_CALL(cudaMallocHost, &memory_, bytes);
  }
  PinnedCopy(const PinnedCopy&) = delete;
  PinnedCopy& operator=(const PinnedCopy&) = delete;
  ~PinnedCopy() {
    avoid_new_context(device_);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    const bool is_relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
    if (arrived_) (void)cudaEventSynchronize(arrived_->get());
    (void)cudaFreeHost(memory_);
    if (is_relaxed) (void)cudaThreadExchangeStreamCaptureMode(&mode);
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
  int device_;
  std::size_t bytes_;
  void* memory_ = nullptr;
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
