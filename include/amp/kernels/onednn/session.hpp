// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// When oneDNN may be called. exit() destroys oneDNN's own statics while other threads may still
// multiply, and before the program's older globals, whose destructors may multiply. So before the
// first of them is destroyed, a handler of exit() waits for the kernels that call oneDNN, and from
// then on amp's own loops compute.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_ONEDNN

#include <atomic>
#include <cstdint>

#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// What a thread does with oneDNN.
struct AMP_EXPORT ThreadUse {
  int depth = 0;        // of sessions and calls
  unsigned number = 0;  // of the thread, from 1 on
};

/// The sessions of all threads.
class AMP_EXPORT Sessions {
 public:
  using Count = std::atomic<int>;

  static Sessions& here() { return process_state<Sessions>(); }

  /// Counts a session, unless oneDNN is closed. Returns the count, or null.
  Count* begin() {
    // Sequentially consistent, as in close(): the session is counted before `closed_` is read, or
    // `closed_` is set before the sessions are counted.
    Count& count = count_of_this_thread();
    ++count;
    if (!closed_) [[likely]]
      return &count;
    --count;
    return nullptr;
  }
  void end(Count& count) {
    if (has_news_.load(std::memory_order_relaxed)) [[unlikely]]
      watch_exit();
    count.fetch_sub(1, std::memory_order_release);
  }

  /// oneDNN may have made further statics. Those would be destroyed before a handler that was
  /// registered earlier runs, so the session registers another one at its end.
  void note_news() { has_news_ = true; }

 private:
  /// The sessions of this process, not of the one that it was forked off.
  struct Counts {
    static constexpr unsigned kStripes = 16;
    struct alignas(64) Stripe {  // each on its own cache line
      Count open = 0;
    };
    const std::uint32_t forks = amp::detail::fork_count();
    Stripe stripes[kStripes];
  };

  Count& count_of_this_thread() {
    ThreadUse& mine = thread_state<ThreadUse>();
    if (mine.number == 0) [[unlikely]]
      mine.number = ++threads_;
    return counts().stripes[mine.number % Counts::kStripes].open;
  }
  Counts& counts() {
    Counts* const known = counts_.load(std::memory_order_acquire);
    if (known != nullptr && known->forks == amp::detail::fork_count()) [[likely]]
      return *known;
    return renewed(known);
  }
  Counts& renewed(Counts* known);
  void watch_exit();
  static void close() noexcept;

  std::atomic<Counts*> counts_ = nullptr;
  std::atomic<bool> closed_ = false, has_news_ = false;
  std::atomic<unsigned> threads_ = 0;
};

/// While it exists and is true, oneDNN can be called: by this thread, and by amp's other threads on
/// its behalf. False once the process ends.
class Session {
 public:
  [[nodiscard]] Session() : count_(Sessions::here().begin()) { ++thread_state<ThreadUse>().depth; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    --thread_state<ThreadUse>().depth;
    if (count_ != nullptr) Sessions::here().end(*count_);
  }
  explicit operator bool() const { return count_ != nullptr; }

 private:
  Sessions::Count* count_;
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif

#if AMP_HEADER_ONLY
#include "amp/kernels/onednn/session.ipp"
#endif
