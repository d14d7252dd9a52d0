// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// operator new and delete of the whole program, as heap.hpp describes them.
#include "support/heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace amp_test::heap {
namespace {

/// Whether this allocation is to fail.
bool fails() {
  if (until_failure == kNever) return false;
  const std::int64_t left = until_failure--;
  return left == 0 || (left < 0 && fails_on);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) throw std::bad_alloc();
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, (std::max)(whole, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  ++allocations;
  ++live;
  held += static_cast<std::int64_t>(malloc_usable_size(memory));
  most_held = (std::max)(most_held.load(), held.load());
  return memory;
}
void deallocate(void* memory) noexcept {
  if (memory == nullptr) return;
  --live;
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace
}  // namespace amp_test::heap

// The forms for arrays call these.
void* operator new(std::size_t bytes) {
  return amp_test::heap::allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return amp_test::heap::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { amp_test::heap::deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { amp_test::heap::deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  amp_test::heap::deallocate(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  amp_test::heap::deallocate(memory);
}
