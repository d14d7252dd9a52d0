// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/object_pool.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/large_blocks.hpp"

namespace amp::inline v0 {
namespace detail {

class AMP_EXPORT HostCache {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector register
  static constexpr std::int64_t kMaxCachedBytes = std::int64_t{1} << 30;  // in lists

  void* allocate(std::int64_t bytes) {
    if (!enabled_) return fresh(bytes);
    const SizeClass size = size_class(bytes);
    {
      const ProcessLock lock(LockOf::kHostMemory);
      if (bytes >= LargeBlocks::kLeast) return large_.allocate(bytes);
      std::vector<void*>& free = free_[size.index];
      if (!free.empty()) {
        void* const memory = free.back();
        free.pop_back();
        cached_bytes_ -= size.bytes;
        return memory;
      }
      if (size.bytes <= kMostOfSlab) return carve(free, size.bytes);
    }
    return fresh(size.bytes);
  }

  void deallocate(void* memory, std::int64_t bytes) noexcept {
    const SizeClass size = size_class(bytes);
    if (enabled_) {
      const ProcessLock lock(LockOf::kHostMemory);
      if (bytes >= LargeBlocks::kLeast) return large_.deallocate(memory);
      if (size.bytes <= kMostOfSlab || cached_bytes_ + size.bytes <= kMaxCachedBytes) {
        std::vector<void*>& free = free_[size.index];
        try {
          free.push_back(memory);
          cached_bytes_ += size.bytes;
          return;
        } catch (const std::bad_alloc&) {  // no room to remember the block: give it back below
        }
      }
    }
    ::operator delete (memory, std::align_val_t{kAlignment});
  }

 private:
  static constexpr std::int64_t kMostOfSlab = 1024;

  /// Allocates a slab, returns its first block and puts the others on the list. Small tensors are
  /// many, and they use the caches better without the heap's headers between them. Slabs are never
  /// returned, so the list reserves room for all their blocks.
  void* carve(std::vector<void*>& free, std::int64_t bytes) {
    const auto count = (std::clamp)(static_cast<std::int64_t>(free.capacity()), std::int64_t{8},
                                    (std::int64_t{1} << 16) / bytes);
    free.reserve(free.capacity() + static_cast<std::size_t>(count));
    auto* const slab = static_cast<char*>(fresh(count * bytes));
    for (std::int64_t i = count - 1; i > 0; --i) free.push_back(slab + i * bytes);
    cached_bytes_ += (count - 1) * bytes;
    return slab;
  }

  static void* fresh(std::int64_t bytes) {
    return ::operator new (static_cast<std::size_t>(bytes), std::align_val_t{kAlignment});
  }

  struct SizeClass {
    std::size_t index;
    std::int64_t bytes;
  };
  /// Rounds up to one of four sizes per power of two, from 64 bytes, in whole cache lines. At most
  /// a quarter is wasted above 256 bytes.
  static SizeClass size_class(std::int64_t bytes) {
    const auto b = static_cast<std::uint64_t>(bytes < 64 ? 64 : bytes);
    const int log2 = (std::max)(
        6, 63 - std::countl_zero(b - 1));  // 2^log2 < b <= 2^(log2 + 1), except for 64 itself
    const std::uint64_t step = std::uint64_t{1} << (log2 - 2);
    const std::uint64_t steps = (b - 1) / step + 1;  // 1 to 8 quarter steps
    return {static_cast<std::size_t>(log2) * 8 + static_cast<std::size_t>(steps - 1),
            round_up(static_cast<std::int64_t>(steps * step), kAlignment)};
  }

  const bool enabled_ = host_cache_enabled();
  std::int64_t cached_bytes_ = 0;
  std::vector<void*> free_[20 * 8];  // below 2^20 bytes
  LargeBlocks large_;
};

AMP_INLINE void* host_allocate(std::int64_t bytes) {
  constexpr std::int64_t kAddressable = std::int64_t{1} << 47;  // no machine has more
  try {
    if (bytes < kAddressable) return process_state<HostCache>().allocate(bytes);
  } catch (const std::bad_alloc&) {  // reported below
  }
  fail("out of memory: the host could not give ", bytes, " bytes");
}
AMP_INLINE void host_deallocate(void* memory, std::int64_t bytes) noexcept {
  process_state<HostCache>().deallocate(memory, bytes);
}

}  // namespace detail

AMP_PROCESS_STATE(detail::HostCache);

}  // namespace amp::inline v0
