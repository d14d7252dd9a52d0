// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Memory for the small objects that every op makes and drops again: handles, storages, graph nodes.
// Each thread keeps what it freed in lists by size, so a training loop in its steady state does not
// call the allocator. AMP_HOST_CACHE=0 in the environment switches the reuse off,
// so that an address sanitizer sees every object come and go.
#pragma once

#include <bit>
#include <cstddef>
#include <new>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/core/globals.hpp"

namespace amp::inline v0::detail {

bool host_cache_enabled();

/// The lists of one thread. The type is trivial, so objects of static lifetime can still be freed
/// after the thread's other objects are destroyed. The lists are closed by then.
class AMP_EXPORT ObjectPool {
 public:
  static void* allocate(std::size_t bytes) {
    ObjectPool& pool = thread_state<ObjectPool>();
    const std::size_t index = class_of(bytes);
    if (index >= kClasses) return fresh(bytes);
    if (Free* const first = pool.free_[index]) {
      pool.free_[index] = first->next;
      ++pool.room_[index];
      return first;
    }
    return fresh(size_of(index));
  }
  static void deallocate(void* memory, std::size_t bytes) noexcept {
    ObjectPool& pool = thread_state<ObjectPool>();
    const std::size_t index = class_of(bytes);
    if (index >= kClasses || pool.room_[index] == 0) return pool.without_room(memory, index);
    pool.keep(memory, index);
  }

 private:
  /// The classes hold 64, 128, ... 1024 bytes, then powers of two.
  static constexpr std::size_t kStep = 64, kSteps = 16, kClasses = kSteps + 6;

  static void* fresh(std::size_t bytes);

  static std::size_t class_of(std::size_t bytes) {
    if (bytes <= kStep * kSteps) return bytes == 0 ? 0 : (bytes - 1) / kStep;
    return kSteps + static_cast<std::size_t>(std::bit_width(bytes - 1)) - 11;
  }
  static std::size_t size_of(std::size_t index) {
    return index < kSteps ? (index + 1) * kStep : std::size_t{2048} << (index - kSteps);
  }
  /// The largest number of free objects in a list. Together the lists of small classes hold at most
  /// half a megabyte per thread, those of large classes as much.
  static int most_of(std::size_t index) { return index < kSteps ? 64 : 4; }

  struct Free {
    Free* next;
  };

  struct Closer;
  void open() noexcept;
  void keep(void* memory, std::size_t index) noexcept {
    free_[index] = new (memory) Free{free_[index]};
    --room_[index];
  }
  /// Opens the lists at the first call.
  void without_room(void* memory, std::size_t index) noexcept;

  Free* free_[kClasses] = {};
  int room_[kClasses] = {};  // for more objects; 0 before open(), and when the thread ends
  bool was_opened_ = false;
};

/// An allocator that gives containers the same memory.
template <class T>
struct PoolAllocator {
  using value_type = T;

  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) noexcept {}

  /// Throws amp::Error if there is no memory left.
  T* allocate(std::size_t n) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    return static_cast<T*>(ObjectPool::allocate(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    ObjectPool::deallocate(memory, n * sizeof(T));
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) noexcept { return true; }
};
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/object_pool.ipp"
#endif
