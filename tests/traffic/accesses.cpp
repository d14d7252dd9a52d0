// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions that code compiled with -fsanitize=thread calls (the interface of
// libsanitizer/tsan/tsan_interface.h); this file is compiled without it.
#include "traffic/accesses.hpp"

#include <cstddef>
#include <cstdint>

#include "support/cuda/block.hpp"
#include "support/cuda/standin.hpp"

namespace traffic {

Meter& Meter::instance() {
  static auto* const meter = new Meter();
  return *meter;
}

void Meter::close_launch() {
  bytes_.read += 32 * static_cast<std::int64_t>(read_.sectors.size());
  bytes_.written += 32 * static_cast<std::int64_t>(written_.sectors.size());
  read_.sectors.clear();
  written_.sectors.clear();
}

void Meter::reset() {
  close_launch();
  bytes_ = {};
}

Bytes Meter::bytes() {
  close_launch();
  return bytes_;
}

void Meter::access(const void* address, std::int64_t size, bool write) {
  if (busy_ || !standin::Block::running()) return;
  busy_ = true;
  const auto* const begin = static_cast<const char*>(address);
  if (begin < block_begin_ || begin + size > block_end_) {
    const auto [first, last] = standin::toolkit().block_of(begin);
    block_begin_ = static_cast<const char*>(first);
    block_end_ = static_cast<const char*>(last);
  }
  if (block_begin_ != nullptr && begin >= block_begin_ && begin + size <= block_end_) {
    if (launch_ != standin::toolkit().counters.launches) {
      close_launch();
      launch_ = standin::toolkit().counters.launches;
    }
    (write ? bytes_.asked_written : bytes_.asked_read) += size;
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    auto& sectors = (write ? written_ : read_).sectors;
    for (std::uintptr_t s = number / 32; s <= (number + static_cast<std::uintptr_t>(size) - 1) / 32;
         ++s)
      sectors.insert(s);
  }
  busy_ = false;
}

namespace {
void read(const void* address, std::int64_t size) {
  Meter::instance().access(address, size, false);
}
void write(const void* address, std::int64_t size) {
  Meter::instance().access(address, size, true);
}
}  // namespace

}  // namespace traffic

#define AMP_TEST_ACCESS(size)                                               \
  void __tsan_read##size(void* at) { traffic::read(at, size); }             \
  void __tsan_write##size(void* at) { traffic::write(at, size); }           \
  void __tsan_unaligned_read##size(void* at) { traffic::read(at, size); }   \
  void __tsan_unaligned_write##size(void* at) { traffic::write(at, size); } \
  void __tsan_volatile_read##size(void* at) { traffic::read(at, size); }    \
  void __tsan_volatile_write##size(void* at) { traffic::write(at, size); }
// Those of kernels are a read and a write.
#define AMP_TEST_ATOMIC(bits, type)                                                                \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                  \
    traffic::read(const_cast<type*>(at), sizeof(type));                                            \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int) {                           \
    traffic::write(const_cast<type*>(at), sizeof(type));                                           \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                        \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_add(volatile type* at, type value, int) {                       \
    traffic::read(const_cast<type*>(at), sizeof(type));                                            \
    traffic::write(const_cast<type*>(at), sizeof(type));                                           \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_sub(volatile type* at, type value, int) {                       \
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_or(volatile type* at, type value, int) {                        \
    return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_and(volatile type* at, type value, int) {                       \
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected, type value, \
                                                    int, int) {                                    \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* expected, type value,   \
                                                  int, int) {                                      \
    return __atomic_compare_exchange_n(at, expected, value, true, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }

extern "C" {
AMP_TEST_ACCESS(1)
AMP_TEST_ACCESS(2)
AMP_TEST_ACCESS(4)
AMP_TEST_ACCESS(8)
AMP_TEST_ACCESS(16)
AMP_TEST_ATOMIC(8, std::uint8_t)
AMP_TEST_ATOMIC(16, std::uint16_t)
AMP_TEST_ATOMIC(32, std::uint32_t)
AMP_TEST_ATOMIC(64, std::uint64_t)
void __tsan_read_range(void* at, std::size_t size) {
  traffic::read(at, static_cast<std::int64_t>(size));
}
void __tsan_write_range(void* at, std::size_t size) {
  traffic::write(at, static_cast<std::int64_t>(size));
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}
