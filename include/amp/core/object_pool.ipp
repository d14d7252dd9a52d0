// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/object_pool.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_INLINE bool host_cache_enabled() {
  const char* const setting = std::getenv("AMP_HOST_CACHE");
  return setting == nullptr || std::strcmp(setting, "0") != 0;
}

AMP_COLD void* ObjectPool::fresh(std::size_t bytes) {
  return or_out_of_memory([=] { return ::operator new(bytes); });
}

/// Gives everything back when the thread ends.
struct ObjectPool::Closer {
  ~Closer() {
    ObjectPool& pool = thread_state<ObjectPool>();
    for (int& room : pool.room_) room = 0;
    for (Free*& list : pool.free_) {
      while (Free* const first = list) {
        list = first->next;
        ::operator delete(first);
      }
    }
  }
};
AMP_COLD void ObjectPool::open() noexcept {
  static thread_local const Closer closer;
  static_cast<void>(&closer);
  was_opened_ = true;
  if (!host_cache_enabled()) return;
  for (std::size_t i = 0; i < kClasses; ++i) room_[i] = most_of(i);
}
AMP_COLD void ObjectPool::without_room(void* memory, std::size_t index) noexcept {
  if (!was_opened_) open();
  if (index >= kClasses || room_[index] == 0) return ::operator delete(memory);
  keep(memory, index);
}

}  // namespace detail

AMP_THREAD_STATE(detail::ObjectPool);

}  // namespace amp::inline v0
