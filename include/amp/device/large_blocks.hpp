// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Host memory in blocks of a megabyte and more, cut from large ranges of addresses. Freed blocks
// are joined with their free neighbours. Memory freed by blocks of one size serves blocks of any
// other size, so the process holds little more than it uses at one time. (With a list for each size
// it would hold the peak of every size.) Pages that no block ever covered cost nothing.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include "amp/core/math.hpp"

namespace amp::inline v0::detail {

/// Not thread-safe: HostCache calls it under its lock.
class LargeBlocks {
 public:
  static constexpr std::int64_t kLeast = std::int64_t{1} << 20;           // bytes of a block
  static constexpr std::int64_t kRange = std::int64_t{1} << 30;           // bytes of addresses
  static constexpr std::int64_t kMaxCachedBytes = std::int64_t{1} << 30;  // of free blocks
  static constexpr std::size_t kAlignment = 64;

  /// Extra bytes for large blocks. Without them, blocks of one size would lie a power of two apart,
  /// and arrays that are read together, such as a weight and its moments, would share the same
  /// cache sets and memory banks.
  static constexpr std::int64_t stagger(std::int64_t bytes) {
    return bytes < kLeast ? 0 : 16 * 4096;
  }

  /// Throws std::bad_alloc.
  void* allocate(std::int64_t bytes) {
    const std::int64_t size = size_of(bytes);
    Chunk* best = best_fit(size);
    if (best == nullptr) best = fresh_range(size);
    take_out(*best);
    cached_ -= best->resident;
    if (best->bytes - size >= kLeast) cut(*best, size);
    best->is_free = false;
    return best + 1;
  }

  void deallocate(void* memory) noexcept {
    Chunk* chunk = static_cast<Chunk*>(memory) - 1;
    chunk->resident = chunk->bytes;
    if (cached_ + chunk->bytes > kMaxCachedBytes) give_back_pages(*chunk);
    cached_ += chunk->resident;
    if (Chunk* const after = chunk->after(); after != nullptr && after->is_free) {
      take_out(*after);
      join(*chunk, *after);
    }
    if (Chunk* const before = chunk->before; before != nullptr && before->is_free) {
      take_out(*before);
      join(*before, *chunk);
      chunk = before;
    }
    put_in(*chunk);
  }

 private:
  /// The header in front of each block.
  struct alignas(kAlignment) Chunk {
    std::int64_t bytes;                          // with this header, up to the next
    std::int64_t resident = 0;                   // of a free block: only its first bytes have pages
    Chunk* before = nullptr;                     // its neighbour at lower addresses
    Chunk *next = nullptr, *previous = nullptr;  // in the list of free ones
    bool is_last = false, is_free = false;

    Chunk* after() {
      return is_last ? nullptr : reinterpret_cast<Chunk*>(reinterpret_cast<char*>(this) + bytes);
    }
  };

  static constexpr std::int64_t kPage = 4096;

  static std::int64_t size_of(std::int64_t bytes) {
    return round_up(bytes + static_cast<std::int64_t>(sizeof(Chunk)), kPage) + stagger(bytes);
  }

  Chunk* best_fit(std::int64_t size) const {
    Chunk* best = nullptr;
    for (Chunk* chunk = free_; chunk != nullptr; chunk = chunk->next) {
      if (chunk->bytes < size) continue;
      const bool better = best == nullptr || chunk->bytes < best->bytes ||
                          (chunk->bytes == best->bytes && chunk < best);
      if (better) best = chunk;
    }
    return best;
  }

  Chunk* fresh_range(std::int64_t size) {
    std::int64_t bytes = (std::max)(size, kRange);
    void* memory = ask(bytes);
    if (memory == nullptr) memory = ask(bytes = size);  // the address space is limited (ulimit -v)
    if (memory == nullptr) {
      give_back_free_ranges();
      memory = ask(size);
    }
    if (memory == nullptr) throw std::bad_alloc();
    ask_for_huge_pages(memory, bytes);
    Chunk* const chunk = new (memory) Chunk{.bytes = bytes};
    chunk->is_last = true;
    put_in(*chunk);
    return chunk;
  }
  static void* ask(std::int64_t bytes) {
    return ::operator new (static_cast<std::size_t>(bytes), std::align_val_t{kAlignment},
                           std::nothrow);
  }

  void give_back_free_ranges() {
    for (Chunk* chunk = free_; chunk != nullptr;) {
      Chunk* const next = chunk->next;
      if (chunk->before == nullptr && chunk->is_last) {
        take_out(*chunk);
        cached_ -= chunk->resident;
        ::operator delete (static_cast<void*>(chunk), std::align_val_t{kAlignment});
      }
      chunk = next;
    }
  }

  /// Keeps the first `size` bytes, and puts the rest into the free list.
  void cut(Chunk& chunk, std::int64_t size) {
    void* const behind = reinterpret_cast<char*>(&chunk) + size;
    Chunk* const rest = new (behind) Chunk{.bytes = chunk.bytes - size};
    rest->resident = (std::max)(std::int64_t{0}, chunk.resident - size);
    rest->before = &chunk;
    rest->is_last = chunk.is_last;
    if (Chunk* const after = rest->after()) after->before = rest;
    chunk.bytes = size;
    chunk.is_last = false;
    cached_ += rest->resident;
    put_in(*rest);
  }
  void join(Chunk& chunk, Chunk& after) {
    if (after.resident > 0) {  // its pages lie behind all of this block
      cached_ += chunk.bytes - chunk.resident;
      chunk.resident = chunk.bytes + after.resident;
    }
    chunk.bytes += after.bytes;
    chunk.is_last = after.is_last;
    if (Chunk* const next = chunk.after()) next->before = &chunk;
  }

  void put_in(Chunk& chunk) {
    chunk.is_free = true;
    chunk.previous = nullptr;
    chunk.next = free_;
    if (free_ != nullptr) free_->previous = &chunk;
    free_ = &chunk;
  }
  void take_out(Chunk& chunk) {
    (chunk.previous != nullptr ? chunk.previous->next : free_) = chunk.next;
    if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  }

  /// Returns the block's pages to the system, except the page of the header.
  static void give_back_pages([[maybe_unused]] Chunk& chunk) noexcept {
#if defined(MADV_DONTNEED)
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    if (page > 0 && advise(&chunk + 1, chunk.bytes - static_cast<std::int64_t>(sizeof(Chunk)), page,
                           MADV_DONTNEED))
      chunk.resident = 0;
#endif
  }
  /// Asks for huge pages, because passes over large arrays otherwise spend much of their time on
  /// looking up pages. The system may ignore it.
  static void ask_for_huge_pages([[maybe_unused]] void* memory,
                                 [[maybe_unused]] std::int64_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    (void)advise(memory, bytes, std::int64_t{1} << 21, MADV_HUGEPAGE);
#endif
  }
#if defined(__linux__)
  /// Advises the system about the whole pages in this memory.
  static bool advise(void* memory, std::int64_t bytes, std::int64_t page, int advice) noexcept {
    const auto address = reinterpret_cast<std::intptr_t>(memory);
    const std::int64_t begin = round_up(address, page), end = (address + bytes) / page * page;
    return begin < end && ::madvise(reinterpret_cast<void*>(begin),
                                    static_cast<std::size_t>(end - begin), advice) == 0;
  }
#endif

  Chunk* free_ = nullptr;
  std::int64_t cached_ = 0;  // resident bytes of the free ones
};

}  // namespace amp::inline v0::detail
