// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One block of a CUDA grid, run on the host: its threads are fibers, taken in turn. A thread gives
// way when it waits for others (a barrier, a shuffle); threads that never wait share one fiber.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/cuda/fiber.hpp"
#include "support/cuda/inside.hpp"

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Variables, not macros: a program may have members of these names.
inline thread_local uint3 threadIdx{}, blockIdx{};
inline thread_local dim3 blockDim{}, gridDim{};

namespace standin {

class Block {
 public:
  /// The block that runs on this thread.
  static Block& current() { return *slot(); }
  /// Whether this thread is inside a kernel.
  static bool running() { return slot() != nullptr; }

  /// Runs `kernel` once for each of `threads` threads.
  template <class Kernel>
  void run(unsigned threads, Kernel& kernel) {
    body_ = [](void* pointer) { (*static_cast<Kernel*>(pointer))(); };
    kernel_ = &kernel;
    threads_ = threads;
    begun_ = finished_ = barrier_arrived_ = 0;
    warps_.assign((threads + 31) / 32, Warp{});
    slot() = this;
    while (finished_ < threads_) {
      // Runs all threads that can go on, then those that have not begun, in new fibers.
      bool moved = false;
      for (std::size_t i = 0; i < active_.size(); ++i) {
        if (active_[i]->ready == nullptr || !active_[i]->ready(active_[i]->condition)) continue;
        resume(*active_[i]);
        moved = true;
      }
      for (; begun_ < threads_; moved = true) {
        active_.push_back(take_fiber());
        active_.back()->fiber.start(&Block::take_threads, this);
        resume(*active_.back());
      }
      retire();
      if (!moved) stop("the threads of a block wait for each other forever");
    }
    slot() = nullptr;
  }

  /// __syncthreads(): for all threads of the block that have not returned.
  void barrier() {
    const std::uint64_t round = barrier_round_;
    ++barrier_arrived_;
    release_barrier();
    wait([this, round] { return barrier_round_ != round; });
  }

  /// All lanes of the warp give a value each; the caller gets that of `lane`.
  template <class T>
  T exchange(unsigned mask, T value, unsigned lane) {
    static_assert(sizeof(T) <= 8);
    if (mask != ~0u || threads_ % 32 != 0) stop("only whole warps exchange values here");
    const unsigned self = threadIdx.x % 32;
    Warp& warp = warps_[threadIdx.x / 32];
    const std::uint64_t round = warp.round;
    std::memcpy(&warp.given[round % 2][self], &value, sizeof value);
    warp.arrived |= 1u << self;
    if (warp.arrived == mask) {
      warp.arrived = 0;
      ++warp.round;
    }
    wait([&warp, round] { return warp.round != round; });
    T result;
    std::memcpy(&result, &warp.given[round % 2][lane % 32], sizeof result);
    return result;
  }

 private:
  struct Running {
    Fiber fiber;
    uint3 thread{};
    bool (*ready)(const void*) = nullptr;  // null unless it waits
    const void* condition = nullptr;
    bool waited = false;
  };
  struct Warp {
    std::uint64_t given[2][32] = {};  // of this round and the one before, which some still read
    std::uint64_t round = 0;
    unsigned arrived = 0;
  };

  static Block*& slot() {
    static thread_local Block* block = nullptr;
    return block;
  }

  void resume(Running& running) {
    running.ready = nullptr;
    running_ = &running;
    threadIdx = running.thread;
    running.fiber.resume();
  }
  /// A fiber takes threads until one of them waits; when that one returns, so does the fiber.
  static void take_threads(void* block_pointer) {
    Block& block = *static_cast<Block*>(block_pointer);
    Running& self = *block.running_;
    self.waited = false;
    while (!self.waited && block.begun_ < block.threads_) {
      self.thread = threadIdx = {block.begun_++, 0, 0};
      block.body_(block.kernel_);
      ++block.finished_;
      block.release_barrier();
    }
  }
  template <class Condition>
  void wait(const Condition& condition) {
    Running& self = *running_;
    while (!condition()) {
      self.waited = true;
      self.condition = &condition;
      self.ready = [](const void* pointer) { return (*static_cast<const Condition*>(pointer))(); };
      self.fiber.yield();
    }
  }
  void release_barrier() {
    if (barrier_arrived_ == 0 || barrier_arrived_ < threads_ - finished_) return;
    barrier_arrived_ = 0;
    ++barrier_round_;
  }

  using Fibers = std::vector<std::unique_ptr<Running>>;
  static Fibers& spare() {
    static thread_local Fibers fibers;
    return fibers;
  }
  static std::unique_ptr<Running> take_fiber() {
    if (spare().empty()) return std::make_unique<Running>();
    auto running = std::move(spare().back());
    spare().pop_back();
    return running;
  }
  void retire() {
    std::erase_if(active_, [](std::unique_ptr<Running>& running) {
      if (!running->fiber.finished()) return false;
      spare().push_back(std::move(running));
      return true;
    });
  }

  void (*body_)(void*) = nullptr;
  void* kernel_ = nullptr;
  unsigned threads_ = 0, begun_ = 0, finished_ = 0;
  unsigned barrier_arrived_ = 0;
  std::uint64_t barrier_round_ = 0;
  Fibers active_;
  Running* running_ = nullptr;  // the fiber whose turn it is
  std::vector<Warp> warps_;
};

}  // namespace standin
