// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What code that is compiled with -fsanitize=thread calls: the interface of
// libsanitizer/tsan/tsan_interface.h. This file is compiled without it.
#include "support/instrumented.hpp"

#include <cstdint>

namespace {

enum Kind { kRead, kWrite, kAtomicRead, kAtomicWrite, kAtomicBoth };

void access(const volatile void* address, std::size_t bytes, Kind kind, const void* from) {
  instrumented::on_access({.address = address,
                           .bytes = bytes,
                           .reads = kind == kRead || kind == kAtomicRead || kind == kAtomicBoth,
                           .writes = kind == kWrite || kind == kAtomicWrite || kind == kAtomicBoth,
                           .atomic = kind >= kAtomicRead,
                           .from = from});
}

}  // namespace

#define INSTRUMENTED_ACCESS(name, size, kind) \
  void __tsan_##name##size(void* at) { access(at, size, kind, __builtin_return_address(0)); }
#define INSTRUMENTED_ACCESSES(size)                  \
  INSTRUMENTED_ACCESS(read, size, kRead)             \
  INSTRUMENTED_ACCESS(write, size, kWrite)           \
  INSTRUMENTED_ACCESS(unaligned_read, size, kRead)   \
  INSTRUMENTED_ACCESS(unaligned_write, size, kWrite) \
  INSTRUMENTED_ACCESS(volatile_read, size, kRead)    \
  INSTRUMENTED_ACCESS(volatile_write, size, kWrite)
#define INSTRUMENTED_FETCH(bits, type, name)                              \
  type __tsan_atomic##bits##_##name(volatile type* at, type value, int) { \
    access(at, sizeof(type), kAtomicBoth, __builtin_return_address(0));   \
    return __atomic_##name(at, value, __ATOMIC_SEQ_CST);                  \
  }
#define INSTRUMENTED_EXCHANGE(bits, type, name, weak)                                         \
  int __tsan_atomic##bits##_##name(volatile type* at, type* expected, type value, int, int) { \
    access(at, sizeof(type), kAtomicBoth, __builtin_return_address(0));                       \
    return __atomic_compare_exchange_n(at, expected, value, weak, __ATOMIC_SEQ_CST,           \
                                       __ATOMIC_SEQ_CST);                                     \
  }
#define INSTRUMENTED_ATOMICS(bits, type)                                                          \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                 \
    access(at, sizeof(type), kAtomicRead, __builtin_return_address(0));                           \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                               \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int) {                          \
    access(at, sizeof(type), kAtomicWrite, __builtin_return_address(0));                          \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                               \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                       \
    access(at, sizeof(type), kAtomicBoth, __builtin_return_address(0));                           \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                               \
  INSTRUMENTED_FETCH(bits, type, fetch_add)                                                       \
  INSTRUMENTED_FETCH(bits, type, fetch_sub)                                                       \
  INSTRUMENTED_FETCH(bits, type, fetch_or)                                                        \
  INSTRUMENTED_FETCH(bits, type, fetch_and)                                                       \
  INSTRUMENTED_FETCH(bits, type, fetch_xor)                                                       \
  INSTRUMENTED_EXCHANGE(bits, type, compare_exchange_strong, false)                               \
  INSTRUMENTED_EXCHANGE(bits, type, compare_exchange_weak, true)                                  \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type value,   \
                                                  int, int) {                                     \
    access(at, sizeof(type), kAtomicBoth, __builtin_return_address(0));                           \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                              \
  }

extern "C" {
INSTRUMENTED_ACCESSES(1)
INSTRUMENTED_ACCESSES(2)
INSTRUMENTED_ACCESSES(4)
INSTRUMENTED_ACCESSES(8)
INSTRUMENTED_ACCESSES(16)
INSTRUMENTED_ATOMICS(8, std::uint8_t)
INSTRUMENTED_ATOMICS(16, std::uint16_t)
INSTRUMENTED_ATOMICS(32, std::uint32_t)
INSTRUMENTED_ATOMICS(64, std::uint64_t)
void __tsan_read_range(void* at, std::size_t bytes) {
  access(at, bytes, kRead, __builtin_return_address(0));
}
void __tsan_write_range(void* at, std::size_t bytes) {
  access(at, bytes, kWrite, __builtin_return_address(0));
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}
