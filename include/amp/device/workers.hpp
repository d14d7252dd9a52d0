// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The threads that host kernels share, and how they receive a job. Jobs follow each other within
// microseconds in a training step, so an idle thread polls for a moment before it sleeps: putting
// it to sleep and waking it costs more than most jobs. It does so only while there is a processor
// for every thread.
//
// A job is divided into up to 16 shares. A thread begins with the share that it had in an equal job
// before, because its caches may still hold what it wrote there, and goes on with the others.
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "amp/core/config.hpp"
#include "amp/core/function_ref.hpp"
#include "amp/core/process_lock.hpp"

namespace amp::inline v0::detail {

/// Returns the number of processors on which the threads of this process may run.
inline int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return (std::max)(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Polls for some microseconds at most. Returns whether done() came true.
template <class Done>
bool poll_until(Done&& done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kLongest{50};
  for (const Clock::time_point start = Clock::now(); Clock::now() - start < kLongest;) {
    for (int i = 0; i < 8; ++i) {
      if (done()) return true;
#if AMP_X86
      __builtin_ia32_pause();
#endif
    }
  }
  return false;
}

/// Whether the system preempts this thread often because other threads want its processor: at least
/// six times in a row, at a rate of a hundred per second. A quiet system preempts it about twenty
/// times per second, for work of its own. Only every eighth call checks.
inline bool is_interrupted_often() {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  constexpr long kLeast = 6;
  static thread_local unsigned calls = 0;
  static thread_local Clock::time_point begin;  // of the observed time
  static thread_local long before = 0;          // interruptions before it
  if (calls++ % 8 != 0) return false;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return false;
  const Clock::duration elapsed = Clock::now() - begin;
  const long count = usage.ru_nivcsw - before;
  const bool often = count >= kLeast && elapsed < count * milliseconds(10);
  if (often || elapsed > milliseconds(100)) {
    begin += elapsed;
    before = usage.ru_nivcsw;
  }
  return often;
}

/// The threads of one process, and the job that they share. Atomics that synchronise threads
/// without a mutex are sequentially consistent: each thread first announces what it will do, then
/// reads what the other has announced, so at least one of them sees the other.
class AMP_EXPORT Workers {
 public:
  using Body = FunctionRef<void(std::int64_t)>;

  Workers() {
    while (threads_ < requested_) {
      try {
        std::thread([this, which = threads_] { work(which); }).detach();
      } catch (const std::exception&) {
        return;  // the system allows no more, or has no memory for one: go on with these
      }
      ++threads_;
    }
  }

  int threads() const { return threads_; }
  /// Whether this thread does all tasks of its jobs itself, as a thread of the pool does.
  static bool& inside() {
    static thread_local bool inside = false;
    return inside;
  }
  /// Whether the threads run in this process, not in the one that it was forked off.
  bool are_here() const { return forks_ == fork_count(); }

  /// Runs body(task) for each task, on the pool and on the calling thread, and returns
  /// when all are done. If the pool is busy, or the caller is one of its threads, the caller
  /// does all of them.
  void run(std::int64_t tasks, Body body) {
    // `inside` is tested first: a thread that holds a mutex must not even try to lock it.
    const bool shares = threads_ > 1 && tasks > 1 && !inside();
    std::unique_lock submit(submit_, std::defer_lock);
    if (!shares || !submit.try_lock()) {
      if (shares) crowded_ = kCrowdedJobs;  // another thread of the user is computing
      for (std::int64_t task = 0; task < tasks; ++task) body(task);
      return;
    }
    if (const int left = crowded_; left > 0) crowded_ = left - 1;
    Job job{body,
            static_cast<int>((std::min)(tasks, std::int64_t{(std::min)(threads_, kMostShares)}))};
    for (int which = 0; which < job.shares; ++which) shares_[which].set(tasks, which, job.shares);
    job_ = &job;
    ++jobs_;
    if (sleeping_ > 0) {
      {
        const std::lock_guard lock(mutex_);
      }  // a thread counted in sleeping_ is now waiting, or will see the job
      wake_.notify_all();
    }
    inside() = true;
    take_part(job, 0);
    inside() = false;
    job_ = nullptr;  // a thread that comes late finds no job
    wait_until_idle();
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  struct Job {
    Body body;
    int shares;
    std::mutex error_mutex{};
    std::exception_ptr error{};
  };
  static constexpr int kMostShares = 16;  // every thread visits all of them
  /// The tasks of a job that one thread begins with.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;

    void set(std::int64_t tasks, std::int64_t which, std::int64_t shares) {
      const auto begin = [&](std::int64_t share) {
        return tasks / shares * share + (std::min)(share, tasks % shares);
      };
      next.store(begin(which), std::memory_order_relaxed);
      end = begin(which + 1);
    }
  };

  /// Runs the tasks of thread `which`, then those that other threads have not begun.
  void take_part(Job& job, int which) noexcept {
    for (int i = 0; i < job.shares; ++i) {
      Share& share = shares_[(which + i) % job.shares];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::int64_t task = share.next.fetch_add(1);
        if (task >= share.end) break;
        try {
          job.body(task);
        } catch (...) {
          const std::lock_guard lock(job.error_mutex);
          if (!job.error) job.error = std::current_exception();
        }
      }
    }
  }

  void work(int which) {
    inside() = true;
    for (std::uint64_t seen = 0;;) {
      seen = next_job(seen);
      ++active_;  // before it reads the job, which stays until no thread is active
      if (Job* const job = job_) take_part(*job, which);
      if (--active_ == 0 && caller_sleeps_) {
        const std::lock_guard lock(mutex_);
        idle_.notify_one();
      }
    }
  }

  /// Waits for a job beyond the first `seen`. Returns the number of jobs so far.
  std::uint64_t next_job(std::uint64_t seen) {
    const auto came = [&] { return jobs_ != seen; };
    if (!came() && !polled(came)) {
      std::unique_lock lock(mutex_);
      ++sleeping_;
      wake_.wait(lock, came);
      --sleeping_;
    }
    return jobs_;
  }

  void wait_until_idle() {
    const auto idle = [&] { return active_ == 0; };
    if (idle() || polled(idle)) return;
    std::unique_lock lock(mutex_);
    caller_sleeps_ = true;
    idle_.wait(lock, idle);
    caller_sleeps_ = false;
  }

  template <class Done>
  bool polled(Done&& done) {
    if (!has_processors_ || crowded_ > 0) return false;
    if (is_interrupted_often()) {
      crowded_ = kCrowdedJobs;
      return false;
    }
    return poll_until(done);
  }

  static int requested_threads() {
    for (const char* variable : {"AMP_NUM_THREADS", "OMP_NUM_THREADS"}) {
      const char* text = std::getenv(variable);
      const int count = text != nullptr ? std::atoi(text) : 0;
      if (count > 0) return (std::min)(count, 1024);
    }
    return (std::max)(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  static constexpr int kCrowdedJobs = 256;

  const int requested_ = requested_threads();
  const bool has_processors_ = requested_ <= usable_processors();
  const std::uint32_t forks_ = fork_count();
  int threads_ = 1;
  Share shares_[kMostShares];
  std::mutex submit_;
  std::atomic<Job*> job_ = nullptr;
  std::atomic<std::uint64_t> jobs_ = 0;  // the number of jobs so far
  std::atomic<int> active_ = 0;          // workers that may read the job
  std::atomic<int> crowded_ = 0;         // for so many further jobs no thread polls
  std::mutex mutex_;                     // of the sleeping threads
  std::atomic<int> sleeping_ = 0;        // workers
  std::atomic<bool> caller_sleeps_ = false;
  std::condition_variable wake_;
  std::condition_variable idle_;
};

}  // namespace amp::inline v0::detail
