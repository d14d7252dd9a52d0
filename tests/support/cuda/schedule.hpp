// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// When the stand-in does the work of streams: late, each stream in its own order, streams
// interleaved by a generator of random numbers. So a missing wait between streams, or a host that
// reads too early, gives wrong results here as it does on a GPU. The seed, from the environment
// variable STANDIN_SEED or set(), decides how:
//
//   0               at once, as if each call waited
//   1, 3, 5, ...    as late as possible: only if something waits, and then other streams' work too
//   2, 4, 6, ...    some of it at any call
//
// Work may wait for work that another thread has yet to enqueue, as ranks of a collective do. A
// host that waits for such work sleeps, and lets the other thread run.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "support/cuda/inside.hpp"

namespace standin {

struct Queue;

/// What can be waited for: the end of one piece of work.
struct Moment {
  bool happened = false;
  std::chrono::steady_clock::time_point when = {};
  Queue* queue = nullptr;  // has to go on for it to happen; null: no queue has that work yet
};

struct Work {
  std::function<void()> run = nullptr;            // may be empty
  std::shared_ptr<const Moment> after = nullptr;  // not before this
  std::shared_ptr<Moment> done = nullptr;
};

/// The work of one stream that is not done yet.
struct Queue {
  int device;
  bool blocking;  // is ordered with the legacy stream
  std::deque<Work> pending = {};
  bool closed = false;  // its stream was destroyed
  int awaited = 0;      // by hosts

  bool ready() const {
    return !pending.empty() &&
           (pending.front().after == nullptr || pending.front().after->happened);
  }
};

class Schedule {
 public:
  Schedule() {
    const char* const seed = std::getenv("STANDIN_SEED");
    set(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1);
  }
  /// Does all work that is pending; what follows is a function of the seed.
  void set(std::uint64_t seed) {
    finish();
    seed_ = seed;
    random_ = seed * 0x9e3779b97f4a7c15u + 1;
  }
  std::uint64_t seed() const { return seed_; }

  std::recursive_mutex mutex;  // held in each call of the toolkit

  bool held = false;  // work is done only when something waits, whatever the seed

  Queue& open(int device, bool blocking) {
    queues_.push_back(std::make_unique<Queue>(Queue{device, blocking}));
    return *queues_.back();
  }
  /// What is pending is done nevertheless.
  void close(Queue& queue) {
    queue.closed = true;
    forget_closed();
  }

  /// Lets other threads in, until one of them has changed something. The caller holds the mutex
  /// once.
  void sleep() {
    if (changed_.wait_for(mutex, std::chrono::seconds(60)) == std::cv_status::timeout)
      stop("a host waits for work that waits for another host");
  }
  void wake_others() { changed_.notify_all(); }

  void add(Queue& queue, Work work) {
    if (work.done != nullptr) work.done->queue = &queue;
    queue.pending.push_back(std::move(work));
    wake_others();
    if ((seed_ == 0 && !held) || queue.pending.size() > kMostPending) finish(queue);
    if (seed_ % 2 == 0) {
      while (draw(2) == 0 && step_any()) {
      }
    }
  }
  /// The end of all that the queue was told until now; null if nothing is pending.
  std::shared_ptr<const Moment> end_of(Queue& queue) {
    if (queue.pending.empty()) return nullptr;
    if (queue.pending.back().done == nullptr) {
      queue.pending.back().done = std::make_shared<Moment>();
      queue.pending.back().done->queue = &queue;
    }
    return queue.pending.back().done;
  }

  /// Some work may be done meanwhile: a host that asks again and again comes to an end.
  void pass_time() {
    if (draw(2) == 0) step_any();
  }
  void wait_for(const Moment& moment) {
    while (!moment.happened) go_on(moment.queue);
    forget_closed();
  }
  void finish(Queue& queue) {
    ++queue.awaited;
    while (!queue.pending.empty()) go_on(&queue);
    --queue.awaited;
  }
  void finish(int device) {
    finish_all([&](const Queue& queue) { return queue.device == device; });
  }
  void finish() {
    finish_all([](const Queue&) { return true; });
  }

 private:
  static constexpr std::size_t kMostPending = 1024;  // then a launch waits, as on a GPU

  /// From 0 to n - 1 (SplitMix64); 1 if nothing is to be left to chance.
  std::uint64_t draw(std::uint64_t n) {
    if (seed_ == 0) return 1;
    std::uint64_t x = random_ += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % n;
  }
  bool step_any() {
    if (queues_.empty() || held) return false;
    const std::size_t first = draw(queues_.size()) % queues_.size();
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = *queues_[(first + i) % queues_.size()];
      if (queue.ready()) {
        step(queue);
        return true;
      }
    }
    return false;
  }
  /// Other threads may make queues, and end them, while this one sleeps.
  template <class IsMeant>
  void finish_all(const IsMeant& is_meant) {
    for (;;) {
      const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const auto& queue) {
        return !queue->pending.empty() && is_meant(*queue);
      });
      if (found == queues_.end()) break;
      finish(**found);
    }
    forget_closed();
  }
  /// Does what `awaited` waits for, or other work; sleeps if there is none that can be done.
  void go_on(Queue* awaited) {
    if (draw(3) == 0) {
      step_any();
    } else if (!advance(awaited) && !step_any()) {
      sleep();
    }
  }
  /// Does the queue's next piece of work, or one that it waits for. False if that is another
  /// thread's to begin, or if streams wait for each other.
  bool advance(Queue* next) {
    for (std::size_t links = 0; next != nullptr && links <= queues_.size(); ++links) {
      if (next->ready()) {
        step(*next);
        return true;
      }
      next = next->pending.front().after->queue;
    }
    return false;
  }
  void step(Queue& queue) {
    const Work work = std::move(queue.pending.front());
    queue.pending.pop_front();
    if (work.run) work.run();
    if (work.done != nullptr) {
      work.done->happened = true;
      work.done->when = std::chrono::steady_clock::now();
    }
    wake_others();
  }
  void forget_closed() {
    std::erase_if(queues_, [](const std::unique_ptr<Queue>& queue) {
      return queue->closed && queue->pending.empty() && queue->awaited == 0;
    });
  }

  std::uint64_t seed_ = 0, random_ = 0;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::condition_variable_any changed_;
};

}  // namespace standin
