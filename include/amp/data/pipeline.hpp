// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Threads that make batches ahead of the thread that takes them, which it does in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "amp/core/config.hpp"

namespace amp::inline v0::data::detail {

/// Makes batches first, ..., end - 1 of one run after another. A batch is made into a slot, which
/// the derived class has; batch b has slot b % slots(). Only one thread at a time may be the one
/// that takes batches.
class AMP_EXPORT Pipeline {
 public:
  /// Threads start with the first run. Without threads, or if the system allows none, the taking
  /// thread makes the batches.
  Pipeline(std::int64_t workers, std::int64_t slots);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  AMP_INLINE virtual ~Pipeline();

  std::int64_t slots() const { return static_cast<std::int64_t>(states_.size()); }

  /// Begins a run. The one before must have been stopped.
  void start(std::int64_t first, std::int64_t end);
  /// Waits for the next batch, calls take(slot), and goes on; there must be one. Rethrows what
  /// make() has thrown; the batch counts as taken then.
  template <class Take>
  void next(const Take& take) {
    const std::size_t slot = wait();
    take(slot);
    free(slot);
  }
  /// Ends the run, and returns when no thread works any more.
  void stop() noexcept;

 protected:
  /// Makes a batch; is called by several threads at once, for different batches.
  virtual void make(std::int64_t batch, std::size_t slot) = 0;
  /// Whether the run is being stopped, so that make() may throw Stopped.
  bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }
  struct Stopped {};
  /// Ends the threads. A derived class calls it first in its destructor.
  void join() noexcept;

 private:
  enum class State : char { kEmpty, kMade, kFailed };

  std::size_t wait();
  void free(std::size_t slot);
  void start_threads();
  void work();
  /// Makes the batch, and notes what becomes of it; the lock is not held.
  State made(std::int64_t batch, std::size_t slot) noexcept;
  /// Whether the threads belong to the process that this one was forked off.
  bool is_forked() const;
  void require_own_process() const;

  std::int64_t workers_;
  std::uint32_t forks_ = 0;  // of the process, when the threads began
  std::vector<std::thread> threads_;

  struct Signals {
    std::mutex mutex;
    std::condition_variable wake;  // there is work, or the end
    std::condition_variable done;  // a batch was made, or a thread is idle
  };
  std::unique_ptr<Signals> signals_;
  std::vector<State> states_;
  std::vector<std::exception_ptr> errors_;
  std::int64_t next_made_ = 0, next_taken_ = 0, end_ = 0;
  int active_ = 0;  // threads that make a batch
  bool ending_ = false;
  std::atomic<bool> stopping_ = false;
};

}  // namespace amp::inline v0::data::detail

#if AMP_HEADER_ONLY
#include "amp/data/pipeline.ipp"
#endif
