// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The threads that host kernels share: one pool per process, started at its first use.
// AMP_NUM_THREADS, else OMP_NUM_THREADS, else the hardware, says how many. Made of std::thread, so
// that a thread sanitizer sees every hand-over.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "amp/core/function_ref.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/math.hpp"
#include "amp/core/process_lock.hpp"

namespace amp::inline v0 {
namespace detail {

/// The threads of one process, and the job that they share.
class AMP_EXPORT Workers {
 public:
  using Body = FunctionRef<void(std::int64_t)>;

  Workers() {
    const int count = requested_threads();
    while (threads_ < count) {
      try {
        std::thread([this] { work(); }).detach();
      } catch (const std::exception&) {
        return;  // the system gives no more, or no memory for one: these will do
      }
      ++threads_;
    }
  }

  int threads() const { return threads_; }
  /// Whether they run in this process, rather than in the one that it was forked off.
  bool are_here() const { return forks_ == fork_count(); }

  /// Runs body(task) for each task, on the pool and on the calling thread, and returns
  /// when all are done. Where the pool is busy, or the caller is one of its threads, the caller
  /// does all of them.
  void run(std::int64_t tasks, Body body) {
    std::unique_lock submit(submit_, std::defer_lock);
    // A thread that holds a mutex must not even try to lock it: `inside` comes first.
    if (threads_ == 1 || tasks <= 1 || inside() || !submit.try_lock()) {
      for (std::int64_t task = 0; task < tasks; ++task) body(task);
      return;
    }
    Job job{body, tasks};
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++generation_;
    }
    wake_.notify_all();
    inside() = true;
    job.work();
    inside() = false;
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // whoever wakes late finds nothing
    idle_.wait(lock, [&] { return job.workers == 0; });
    lock.unlock();
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  struct Job {
    Body body;
    std::int64_t tasks;
    std::atomic<std::int64_t> next{0};
    int workers = 0;  // guarded by mutex_
    std::mutex error_mutex{};
    std::exception_ptr error{};

    void work() noexcept {
      for (std::int64_t task = next.fetch_add(1); task < tasks; task = next.fetch_add(1)) {
        try {
          body(task);
        } catch (...) {
          const std::lock_guard lock(error_mutex);
          if (!error) error = std::current_exception();
        }
      }
    }
  };

  void work() {
    inside() = true;
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return generation_ != seen && job_ != nullptr; });
      seen = generation_;
      Job* const job = job_;
      ++job->workers;
      lock.unlock();
      job->work();
      lock.lock();
      if (--job->workers == 0) idle_.notify_one();
    }
  }

  static bool& inside() {
    static thread_local bool inside = false;
    return inside;
  }

  static int requested_threads() {
    for (const char* variable : {"AMP_NUM_THREADS", "OMP_NUM_THREADS"}) {
      const char* text = std::getenv(variable);
      const int count = text != nullptr ? std::atoi(text) : 0;
      if (count > 0) return (std::min)(count, 1024);
    }
    return (std::max)(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  int threads_ = 1;
  const std::uint32_t forks_ = fork_count();
  std::mutex submit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::uint64_t generation_ = 0;
  Job* job_ = nullptr;
};

class AMP_EXPORT ThreadPool {
 public:
  /// Started at the first use, in a forked child again: fork takes no thread along.
  Workers& workers() {
    Workers* known = workers_.load(std::memory_order_acquire);
    if (known != nullptr && known->are_here()) [[likely]]
      return *known;
    const ProcessLock lock(LockOf::kThreadPool);
    known = workers_.load(std::memory_order_acquire);
    if (known == nullptr || !known->are_here()) {  // the parent's stay as they are
      known = or_out_of_memory([] { return new Workers; });
      workers_.store(known, std::memory_order_release);
    }
    return *known;
  }

 private:
  std::atomic<Workers*> workers_ = nullptr;
};

inline Workers& workers() { return process_state<ThreadPool>().workers(); }

}  // namespace detail

/// How many threads host kernels use, the caller's among them.
inline int num_threads() { return detail::workers().threads(); }

/// Calls body(task) for 0 <= task < tasks, each once, in any order, on any thread; rethrows the
/// first exception.
/// A body may not fork, unless the child execs: tasks of the pool's other threads end in the parent
/// only.
inline void parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks == 1) {
    body(0);
  } else if (tasks > 1) {
    detail::workers().run(tasks, body);
  }
}

/// Calls body(begin, end) over [0, n), cut into pieces where n is above `grain`.
inline void parallel_ranges(std::int64_t n, std::int64_t grain,
                            FunctionRef<void(std::int64_t, std::int64_t)> body) {
  if (n <= grain) {
    if (n > 0) body(0, n);
    return;
  }
  const std::int64_t pieces = (std::min)(ceil_div(n, grain), std::int64_t{4} * num_threads());
  const std::int64_t length = ceil_div(n, pieces);
  parallel_for(ceil_div(n, length), [&](std::int64_t piece) {
    body(piece * length, (std::min)(n, (piece + 1) * length));
  });
}

}  // namespace amp::inline v0
