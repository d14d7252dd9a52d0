// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The records that a MemoryPool keeps of its blocks: their streams, their readers, and the free
// blocks.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/events.hpp"

namespace amp::inline v0::cuda::detail {

enum class BlockUse : std::uint8_t { kTensor, kWorkspace };

/// A block that is not free.
struct Block {
  StreamId home;             // the stream that was current at the allocation
  std::int64_t bytes, size;  // requested, and allocated
  BlockUse use;
  bool shared = false;    // whether unknown streams use it
  bool aside = false;     // given back; free when all work of the device is done
  StreamId kept_for = 0;  // given back in the recording of that stream: its replays may use it

  bool is_given_back() const { return aside || kept_for != 0; }
};

using UsedBlocks = std::unordered_map<void*, Block, std::hash<void*>, std::equal_to<>,
                                      amp::detail::PoolAllocator<std::pair<void* const, Block>>>;

inline void move_blocks(UsedBlocks& used, StreamId from, const Stream& to) noexcept {
  for (auto& [memory, block] : used) {
    if (block.home == from) block.home = to.id;
  }
}

/// A block that was given back under another stream than its home.
struct ReturnedBlock {
  void* memory;
  std::int64_t size;
  std::vector<Event> events;  // the home must wait for these

  bool is_unused() const {
    return std::all_of(events.begin(), events.end(),
                       [](const Event& event) { return event.has_happened(); });
  }
};

/// The free blocks of one stream.
struct Home {
  std::map<std::int64_t, std::vector<void*>> free = {};  // by size
  std::deque<ReturnedBlock> returned = {};
  cudaStream_t graph = nullptr;  // the stream, if it is a graph's
  bool recording = false;

  bool is_private() const { return graph != nullptr; }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const auto& [size, blocks] : free) sum += size * static_cast<std::int64_t>(blocks.size());
    for (const ReturnedBlock& block : returned) sum += block.size;
    return sum;
  }

  /// Takes back the blocks that other streams have given back and no longer use, in order; frees
  /// those larger than `most`. The device must be current. If CUDA fails, it throws, and the other
  /// blocks stay listed.
  void take_back(cudaStream_t stream, std::int64_t most) {
    while (!returned.empty() && returned.front().is_unused()) {
      const ReturnedBlock& block = returned.front();
      if (block.size <= most) {
        free[block.size].push_back(block.memory);
      } else {
        AMP_CUDA_CALL(cudaFreeAsync, block.memory, stream);
      }
      returned.pop_front();
    }
  }
  /// If no block of a size is free, but one was returned, lets the stream wait for that one.
  void wait_for_one(std::int64_t size, cudaStream_t stream) {
    if (!free[size].empty()) return;
    const auto found = std::find_if(returned.begin(), returned.end(),
                                    [&](const ReturnedBlock& block) { return block.size == size; });
    if (found == returned.end()) return;
    for (const Event& event : found->events) event.let_wait(stream);
    free[size].push_back(found->memory);
    returned.erase(found);
  }

  void wait_for_all(cudaStream_t stream) const {
    for (const ReturnedBlock& block : returned) {
      for (const Event& event : block.events) event.let_wait(stream);
    }
  }

  /// Frees what it can. No work with the blocks may be under way, except earlier work on `stream`.
  void free_all(cudaStream_t stream) noexcept {
    for (auto& [size, blocks] : free) {
      std::erase_if(blocks,
                    [&](void* memory) { return cudaFreeAsync(memory, stream) == cudaSuccess; });
    }
    std::erase_if(returned, [&](const ReturnedBlock& block) {
      return cudaFreeAsync(block.memory, stream) == cudaSuccess;
    });
  }
  void move_to(Home& heir) {
    for (auto& [size, blocks] : free) {
      std::vector<void*>& all = heir.free[size];
      all.insert(all.end(), blocks.begin(), blocks.end());
      blocks.clear();
    }
    for (ReturnedBlock& block : returned) heir.returned.push_back(std::move(block));
    returned.clear();
  }
};

/// A stream that reads or writes a block of another home: all its work until the block is given
/// back, or only until `last`.
struct BlockReader {
  Stream stream;
  std::optional<Event> last = {};
};

/// The readers of each block.
class BlockReaders {
 public:
  void add(void* memory, BlockReader added) {
    std::vector<BlockReader>& readers = all_[memory];
    for (BlockReader& reader : readers) {
      if (reader.stream.id != added.stream.id) continue;
      if (reader.last) reader.last = std::move(added.last);
      return;
    }
    // A stream for each use, used once, would otherwise leave an event each.
    std::erase_if(readers, [](const BlockReader& reader) {
      return reader.last && reader.last->has_happened();
    });
    readers.push_back(std::move(added));
  }
  std::vector<BlockReader> take(void* memory) {
    const auto found = all_.find(memory);
    if (found == all_.end()) return {};
    std::vector<BlockReader> readers = std::move(found->second);
    all_.erase(found);
    return readers;
  }
  void forget(void* memory) noexcept { all_.erase(memory); }
  void replace(StreamId gone, const Stream& heir) noexcept {
    for (auto& [memory, readers] : all_) {
      for (BlockReader& reader : readers) {
        if (reader.stream.id == gone) reader.stream = heir;
      }
    }
  }

 private:
  std::unordered_map<void*, std::vector<BlockReader>> all_;
};

/// Returns the events for which the home of a block has to wait that is given back under `now`.
inline std::vector<Event> events_of(int device, StreamId home, const Stream& now,
                                    std::vector<BlockReader> readers) {
  std::vector<Event> events;
  events.reserve(readers.size() + 2);
  if (home != now.id) events.emplace_back(device, now.handle);
  for (BlockReader& reader : readers) {
    if (reader.stream.id == now.id) continue;
    if (reader.last) {
      events.push_back(std::move(*reader.last));
      continue;
    }
    const cudaStream_t stream = reader.stream.handle;
    AMP_CHECK(!is_capturing(device, stream), "record_stream: the stream is captured");
    events.emplace_back(device, stream);
  }
  return events;
}

struct BlockCounts {
  std::int64_t allocated = 0, peak_allocated = 0, workspaces = 0;

  void add(const Block& block) noexcept {
    of(block) += block.use == BlockUse::kWorkspace ? block.size : block.bytes;
    if (allocated > peak_allocated) peak_allocated = allocated;
  }
  void remove(const Block& block) noexcept {
    of(block) -= block.use == BlockUse::kWorkspace ? block.size : block.bytes;
  }

 private:
  std::int64_t& of(const Block& block) {
    return block.use == BlockUse::kWorkspace ? workspaces : allocated;
  }
};

/// Rounds up to one of four sizes per power of two, from 512 bytes: at most a quarter is wasted.
inline std::int64_t size_class(std::int64_t bytes) {
  if (bytes <= 512) return 512;
  const auto step = std::int64_t{1}
                    << (61 - std::countl_zero(static_cast<std::uint64_t>(bytes - 1)));
  return (bytes + step - 1) / step * step;
}

}  // namespace amp::inline v0::cuda::detail
