// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A CUDA grid, run on the host: its blocks one after the other, the threads of a block as fibers,
// in turn. A thread gives way if it waits for others (a barrier, a shuffle). Which block and which
// thread comes first, the seed decides (chance.hpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "support/cuda/chance.hpp"
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

// Shared memory is a section of the program, so that each block finds other bytes in it than it
// needs. g++ does not place the variables of templates in sections.
#if defined(__clang__)
#define STANDIN_SHARED __attribute__((section("standin_shared"))) static
extern "C" __attribute__((weak)) unsigned char __start_standin_shared[], __stop_standin_shared[];
#else
#define STANDIN_SHARED static thread_local
#endif

namespace standin {

/// Fills shared memory with what no kernel takes for its own, before a block begins.
inline void poison_shared_memory() {
#if defined(__clang__)
  if (__start_standin_shared == nullptr) return;  // no kernel has any
  const races::Quiet quiet;
  const auto bytes = static_cast<std::size_t>(__stop_standin_shared - __start_standin_shared);
  std::memset(__start_standin_shared, 0xcd, bytes);
  races::begin_shared_memory(__start_standin_shared, __stop_standin_shared);
#endif
}

/// A kernel with its arguments, of types that only `call` knows: what runs it is compiled once, and
/// not for each of a thousand kernels.
struct BoundKernel {
  const void* address;
  void (*call)(const void* address, const void* arguments);
  std::shared_ptr<const void> arguments;

  void operator()() const { call(address, arguments.get()); }
};

/// The threads of a block, and what they wait for.
class Block {
 public:
  /// The block that runs on this thread.
  static Block& current() { return *slot(); }
  /// Whether this thread is inside a kernel.
  static bool running() { return slot() != nullptr; }

  /// Runs `kernel` once for each thread.
  void run(const std::vector<unsigned>& threads, const BoundKernel& kernel) {
    kernel_ = &kernel;
    threads_ = threads.data();
    count_ = static_cast<unsigned>(threads.size());
    warps_.resize((count_ + 31) / 32);
    slot() = this;
    while (begun_ < count_) {
      active_.push_back(take_fiber());
      active_.back()->fiber.start(&Block::take_threads, this);
      resume(*active_.back());
    }
    retire();
    while (finished_ < count_) {
      bool moved = false;
      for (const auto& waiting : active_) {
        if (!waiting->ready(waiting->condition)) continue;
        resume(*waiting);
        moved = true;
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

  /// All lanes of the warp give a value each; the caller gets that of `lane`. This orders no
  /// memory.
  template <class T>
  T exchange(unsigned mask, T value, unsigned lane) {
    static_assert(sizeof(T) <= 8);
    if (mask != ~0u || count_ % 32 != 0) stop("only whole warps exchange values here");
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
    set_thread(running.thread);
    running.fiber.resume();
  }
  void set_thread(uint3 thread) {
    threadIdx = thread;
    races::begin_thread(thread.x);
  }
  /// A fiber takes threads until one of them waits; when that one returns, so does the fiber.
  static void take_threads(void* block_pointer) {
    Block& block = *static_cast<Block*>(block_pointer);
    Running& self = *block.running_;
    self.waited = false;
    while (!self.waited && block.begun_ < block.count_) {
      self.thread = {block.threads_[block.begun_++], 0, 0};
      block.set_thread(self.thread);
      (*block.kernel_)();
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
    if (barrier_arrived_ == 0 || barrier_arrived_ < count_ - finished_) return;
    barrier_arrived_ = 0;
    ++barrier_round_;
    races::pass_barrier();
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

  const BoundKernel* kernel_ = nullptr;
  const unsigned* threads_ = nullptr;  // in the order in which they begin
  unsigned count_ = 0, begun_ = 0, finished_ = 0;
  unsigned barrier_arrived_ = 0;
  std::uint64_t barrier_round_ = 0;
  Fibers active_;
  Running* running_ = nullptr;  // the fiber whose turn it is
  std::vector<Warp> warps_;
};

/// Runs the kernel for each thread of each block.
inline void run_grid(dim3 grid, unsigned threads, const BoundKernel& kernel, Chance& chance) {
  gridDim = grid;
  blockDim = threads;
  std::vector<unsigned> order_of_blocks, order_of_threads;
  chance.order(order_of_blocks, grid.x * grid.y * grid.z);
  races::begin_launch(kernel.address, threads);
  for (const unsigned block : order_of_blocks) {
    blockIdx = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
    chance.order(order_of_threads, threads);
    poison_shared_memory();
    races::begin_block(block);
    Block().run(order_of_threads, kernel);
  }
  races::end_launch();
}

}  // namespace standin
