// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Page-locked host memory through which the host hands data to a device without waiting for it.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "amp/device/cuda/captures.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/events.hpp"

namespace amp::inline v0::cuda::detail {

/// A ring buffer of page-locked bytes: the piece taken first is free first.
class StagingRing {
 public:
  struct Piece {
    std::byte* memory;
    std::size_t bytes;
    std::optional<Event> read = {};  // the device has read it; none while the host writes
    bool is_free = false;            // free, although it has no event
  };

  explicit StagingRing(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    const RelaxedCapture relaxed;
    AMP_CUDA_CALL(cudaMallocHost, &memory, bytes);
    memory_ = static_cast<std::byte*>(memory);
  }
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;
  ~StagingRing() { (void)cudaFreeHost(memory_); }

  std::size_t bytes() const { return bytes_; }

  /// Returns null if `bytes` contiguous bytes are not free. The piece lasts until the device has
  /// read it.
  Piece* take(std::size_t bytes) {
    (void)is_idle();
    std::byte* const place = find(bytes);
    return place == nullptr ? nullptr : &pieces_.emplace_back(Piece{place, bytes});
  }
  /// The piece that becomes free first.
  const Piece& first() const { return pieces_.front(); }
  bool is_idle() {
    while (!pieces_.empty() && is_read(pieces_.front())) pieces_.pop_front();
    return pieces_.empty();
  }

  bool is_lost = false;  // whether it is unknown when the device reads it

 private:
  static bool is_read(const Piece& piece) {
    if (piece.is_free || !piece.read) return piece.is_free;
    return piece.read->has_happened();
  }
  std::byte* find(std::size_t bytes) const {
    if (pieces_.empty()) return bytes <= bytes_ ? memory_ : nullptr;
    std::byte* const first = pieces_.front().memory;
    std::byte* const behind = pieces_.back().memory + pieces_.back().bytes;
    const auto room = [&](const std::byte* from, const std::byte* to) {
      return from < to && static_cast<std::size_t>(to - from) >= bytes;
    };
    if (pieces_.back().memory < first) return room(behind, first) ? behind : nullptr;
    if (room(behind, memory_ + bytes_)) return behind;
    return room(memory_, first) ? memory_ : nullptr;
  }

  std::size_t bytes_;
  std::byte* memory_ = nullptr;
  std::deque<Piece> pieces_ = {};  // references to elements last
};

/// The rings of one device, at most kMostBytes in all, created as they are needed, so a few small
/// copies need little. The caller may change the source when copy() returns.
///
/// A copy larger than kLargestPiece is made in pieces. If the device has yet to read all pieces of
/// the rings, the host waits for the first one: that is the price of the bound.
class AMP_EXPORT Staging {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  static constexpr std::size_t kLargestPiece = std::size_t{8} << 20;

  /// Enqueues a copy of host memory to the device, which is current.
  void copy(int device, void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    for (std::size_t done = 0; done < bytes; done += kLargestPiece) {
      const std::size_t size = (std::min)(bytes - done, kLargestPiece);
      copy_piece(device, static_cast<std::byte*>(to) + done,
                 static_cast<const std::byte*>(from) + done, size, stream);
    }
  }

  /// Frees the rings that are not in use, which waits for all devices. Does nothing while a stream
  /// of any device is captured.
  void release(int device) noexcept {
    const std::lock_guard lock(mutex_);
    if (rings_.empty() || is_any_captured()) return;
    try {
      const DeviceGuard guard(device);
      const RelaxedCapture relaxed;
      if (!wait_for_device()) return;
      std::erase_if(rings_, [](StagingRing& ring) { return ring.is_lost || ring.is_idle(); });
    } catch (...) {  // they stay
    }
  }

 private:
  using Piece = StagingRing::Piece;

  /// Copies one piece. The host writes the piece outside of the lock.
  void copy_piece(int device, void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    StagingRing* ring = nullptr;
    Piece* const piece = take(bytes, ring);
    bool is_enqueued = false;
    try {
      std::memcpy(piece->memory, from, bytes);
      AMP_CUDA_CALL(cudaMemcpyAsync, to, piece->memory, bytes, cudaMemcpyDefault, stream);
      is_enqueued = true;
      Event read(device, stream);
      const std::lock_guard lock(mutex_);
      piece->read.emplace(std::move(read));
    } catch (...) {
      // Without an event the piece is free after the stream; if that cannot be known, never again.
      const bool is_lost = is_enqueued && cudaStreamSynchronize(stream) != cudaSuccess;
      const std::lock_guard lock(mutex_);
      (is_lost ? ring->is_lost : piece->is_free) = true;
      written_.notify_all();
      throw;
    }
    written_.notify_all();
  }

  Piece* take(std::size_t bytes, StagingRing*& from) {
    std::unique_lock lock(mutex_);
    for (;;) {
      for (StagingRing& ring : rings_) {
        Piece* const piece = ring.is_lost ? nullptr : ring.take(bytes);
        from = &ring;
        if (piece != nullptr) return piece;
      }
      if (grow(bytes)) continue;
      const std::optional<Event>& read = largest()->first().read;
      if (read) {
        read->wait();
      } else {
        written_.wait(lock);
      }
    }
  }

  /// Each ring is at least twice as large as those before, up to twice the largest piece. So when
  /// no more rings may be made, there is one of that size.
  bool grow(std::size_t bytes) {
    constexpr std::size_t kSmallest = std::size_t{64} << 10;
    const StagingRing* const before = largest();
    std::size_t size = (std::max)(kSmallest, std::bit_ceil(2 * bytes));
    if (before != nullptr) size = (std::max)(size, 2 * before->bytes());
    size = (std::min)(size, 2 * kLargestPiece);
    std::size_t sum = size;
    for (const StagingRing& ring : rings_) sum += ring.is_lost ? 0 : ring.bytes();
    if (sum > kMostBytes) return false;
    rings_.emplace_back(size);
    return true;
  }
  StagingRing* largest() {
    StagingRing* found = nullptr;
    for (StagingRing& ring : rings_) {
      if (!ring.is_lost && (found == nullptr || ring.bytes() > found->bytes())) found = &ring;
    }
    return found;
  }

  std::mutex mutex_;
  std::condition_variable written_;  // notified when a piece gets its event, or is free
  std::list<StagingRing> rings_;
};

struct AMP_EXPORT StagingBuffers {
  Staging of[kMaxDevices];
};
inline Staging& staging(int device) { return process_state<StagingBuffers>().of[device]; }

}  // namespace amp::inline v0::cuda::detail
