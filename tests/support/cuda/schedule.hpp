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
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "support/cuda/chance.hpp"
#include "support/cuda/inside.hpp"

namespace standin {

struct Queue;

/// What can be waited for: the end of one piece of work.
struct Moment {
  bool happened = false;
  std::chrono::steady_clock::time_point when = {};
  Queue* queue = nullptr;  // has to go on for it to happen; null: no queue has that work yet
  races::Clock clock = {};
};

struct Work {
  std::function<void()> run = nullptr;            // may be empty
  std::shared_ptr<const Moment> after = nullptr;  // not before this
  std::shared_ptr<Moment> done = nullptr;
  races::Clock told = {};  // by the host
};

/// The work of one stream that is not done yet. In the order of CUDA, what a stream does comes
/// after the call that asked for it, after the stream's work before, and after what it waits for;
/// and what a host does comes after the work that it has waited for.
struct Queue {
  int device;
  bool blocking;  // is ordered with the legacy stream
  std::deque<Work> pending = {};
  bool closed = false;  // its stream was destroyed
  int awaited = 0;      // by hosts
  races::Stream stream = {};

  bool ready() const {
    return !pending.empty() &&
           (pending.front().after == nullptr || pending.front().after->happened);
  }

  /// Does the first of what is pending, which is ready.
  void do_first() {
    const Work& work = pending.front();
    races::begin_work(stream);
    races::learn(work.told);
    if (work.after != nullptr) races::learn(work.after->clock);
    if (work.run) work.run();
    if (work.done != nullptr) races::tell(work.done->clock);
    races::end_work();
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
    const races::Quiet quiet;
    finish();
    chance_ = in_kernels = Chance(seed);
  }
  std::uint64_t seed() const { return chance_.seed(); }

  Chance in_kernels{0};  // decides the order of blocks and threads

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
    races::tell(work.told);
    queue.pending.push_back(std::move(work));
    wake_others();
    if ((seed() == 0 && !held) || queue.pending.size() > kMostPending) do_all(queue);
    if (seed() % 2 == 0) {
      while (chance_.draw(2) == 0 && step_any()) {
      }
    }
  }
  /// The end of all that the queue was told until now. It may be null if nothing is pending.
  std::shared_ptr<const Moment> end_of(Queue& queue) {
    if (queue.pending.empty()) {
      if (!races::kAreFound) return nullptr;
      const auto past = std::make_shared<Moment>();
      past->happened = true;
      past->clock = queue.stream.clock;
      return past;
    }
    if (queue.pending.back().done == nullptr) {
      queue.pending.back().done = std::make_shared<Moment>();
      queue.pending.back().done->queue = &queue;
    }
    return queue.pending.back().done;
  }

  /// Some work may be done meanwhile: a host that asks again and again comes to an end.
  void pass_time() {
    if (chance_.draw(2) == 0) step_any();
  }
  /// Whether a moment has come, or a queue's work is done: the host knows it then.
  bool has_happened(const Moment& moment) {
    if (moment.happened) races::learn(moment.clock);
    return moment.happened;
  }
  bool is_done(const Queue& queue) {
    if (queue.pending.empty()) races::learn(queue.stream.clock);
    return queue.pending.empty();
  }
  void wait_for(const Moment& moment) {
    while (!has_happened(moment)) go_on(moment.queue);
    forget_closed();
  }
  void finish(Queue& queue) {
    do_all(queue);
    races::learn(queue.stream.clock);
  }
  void finish(int device) {
    finish_all([&](int other) { return other == device; });
  }
  void finish() {
    finish_all([](int) { return true; });
  }

 private:
  static constexpr std::size_t kMostPending = 1024;  // then a launch waits, as on a GPU

  void do_all(Queue& queue) {
    ++queue.awaited;
    while (!queue.pending.empty()) go_on(&queue);
    --queue.awaited;
  }
  bool step_any() {
    if (queues_.empty() || held) return false;
    const std::size_t first = chance_.draw(queues_.size()) % queues_.size();
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
        return !queue->pending.empty() && is_meant(queue->device);
      });
      if (found == queues_.end()) break;
      do_all(**found);
    }
    for (const auto& queue : queues_) {
      if (is_meant(queue->device)) races::learn(queue->stream.clock);
    }
    forget_closed();
    for (const auto& [device, clock] : ended_) {
      if (is_meant(device)) races::learn(clock);
    }
  }
  /// Does what `awaited` waits for, or other work; sleeps if there is none that can be done.
  void go_on(Queue* awaited) {
    if (chance_.draw(3) == 0) {
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
    queue.do_first();
    const Work work = std::move(queue.pending.front());
    queue.pending.pop_front();
    if (work.done != nullptr) {
      work.done->happened = true;
      work.done->when = std::chrono::steady_clock::now();
    }
    wake_others();
  }
  void forget_closed() {
    std::erase_if(queues_, [&](const std::unique_ptr<Queue>& queue) {
      if (!queue->closed || !queue->pending.empty() || queue->awaited != 0) return false;
      ended_[queue->device].join(queue->stream.clock);
      return true;
    });
  }

  Chance chance_{0};
  std::vector<std::unique_ptr<Queue>> queues_;
  std::map<int, races::Clock> ended_;  // of each device, what its queues did that are no more
  std::condition_variable_any changed_;
};

}  // namespace standin
