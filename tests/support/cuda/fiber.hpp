// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Fibers: functions that stop in the middle and go on later, on one thread. What the threads of a
// CUDA block are here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#if !defined(__x86_64__)
#error "fibers are written for x86-64"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define STANDIN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STANDIN_ASAN 1
#endif
#endif
#if defined(STANDIN_ASAN)
extern "C" void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom,
                                                size_t* size);
#define STANDIN_LEAVES_NOTHING_POISONED __attribute__((no_sanitize("address")))
#else
#define STANDIN_LEAVES_NOTHING_POISONED
#endif

namespace standin {

/// Saves what the calling convention preserves on the stack, its top in *from, and goes on where
/// `to` was saved (System V ABI, AMD64 supplement, section 3.2.1).
[[gnu::naked, gnu::noinline]] inline void switch_stack(void** /*from*/, void* /*to*/) {
  asm("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
      "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
      "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
}

/// Runs a function on a stack of its own. resume() runs it until it calls yield() or returns.
class Fiber {
 public:
  Fiber() : stack_(new unsigned char[kStackSize]) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Of a new fiber, or a finished one.
  void start(void (*body)(void*), void* argument) {
    body_ = body;
    argument_ = argument;
    finished_ = false;
    // As switch_stack leaves it: six registers, and where to return to. On entry to a function the
    // stack is 8 bytes off a multiple of 16.
    const auto end = (reinterpret_cast<std::uintptr_t>(stack_.get()) + kStackSize) / 16 * 16;
    auto* const top = reinterpret_cast<void**>(end) - 8;
    for (int i = 0; i < 6; ++i) top[i] = nullptr;
    top[6] = reinterpret_cast<void*>(&Fiber::enter);
    own_ = top;
  }
  bool finished() const { return finished_; }

  void resume() {
    Fiber* const around = running();
    running() = this;
    void* fake_stack = nullptr;
    before_switch(&fake_stack, stack_.get(), kStackSize);
    switch_stack(&caller_, own_);
    after_switch(fake_stack, nullptr, nullptr);
    running() = around;
  }
  /// Called from within: returns to the caller of resume().
  void yield() {
    void* fake_stack = nullptr;
    before_switch(&fake_stack, caller_stack_, caller_stack_size_);
    switch_stack(&own_, caller_);
    after_switch(fake_stack, &caller_stack_, &caller_stack_size_);
  }

 private:
  static constexpr std::size_t kStackSize = 64 * 1024;

  static Fiber*& running() {
    static thread_local Fiber* fiber = nullptr;
    return fiber;
  }
  /// It never returns, and the next start() takes the stack as it is left.
  [[noreturn]] STANDIN_LEAVES_NOTHING_POISONED static void enter() {
    Fiber* const self = running();
    after_switch(nullptr, &self->caller_stack_, &self->caller_stack_size_);
    self->body_(self->argument_);
    self->finished_ = true;
    before_switch(nullptr, self->caller_stack_, self->caller_stack_size_);
    void* unused = nullptr;
    switch_stack(&unused, self->caller_);
    __builtin_unreachable();
  }

  static void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                            [[maybe_unused]] std::size_t size) {
#if defined(STANDIN_ASAN)
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
  }
  static void after_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                           [[maybe_unused]] std::size_t* size) {
#if defined(STANDIN_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
#endif
  }

  std::unique_ptr<unsigned char[]> stack_;
  void *own_ = nullptr, *caller_ = nullptr;  // tops of stacks
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool finished_ = true;
  const void* caller_stack_ = nullptr;
  std::size_t caller_stack_size_ = 0;
};

}  // namespace standin
