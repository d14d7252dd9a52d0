// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Memory that is "on the device": host memory whose beginning and end the stand-in knows. It is
// allocated and freed in the order of streams: writes before its stream has allocated it are lost,
// and writes after it was freed are detected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "support/cuda/fiber.hpp"
#include "support/cuda/inside.hpp"

namespace standin {

/// What a cudaMemPool_t points to: bytes in use, and bytes held of the device.
struct Pool {
  int device = 0;
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  std::set<int> peers = {};  // devices that may access its memory

  void take(std::size_t bytes) {
    used += bytes;
    used_high = (std::max)(used_high, used);
    reserved = (std::max)(reserved, used);
    reserved_high = (std::max)(reserved_high, reserved);
  }
  void trim(std::uint64_t keep) { reserved = (std::max)(used, (std::min)(keep, reserved)); }
};

class DeviceMemory {
 public:
  struct Block {
    std::size_t bytes;
    std::uint64_t id;
    std::shared_ptr<Pool> pool;
    bool freed = false;     // the call was made; its stream has yet to do it
    bool of_graph = false;  // belongs to a graph, and exists between two of its nodes
  };

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  /// What was freed in the order of a stream that has not come to it, and never will, is no leak.
  ~DeviceMemory() {
    const races::Quiet quiet;
    while (!dead_.empty()) bury();
    for (const auto& [address, block] : blocks_) {
      if (block.freed)
        ::operator delete (const_cast<void*>(address), std::align_val_t{races::kAlignment});
    }
  }

  std::uint64_t limit = std::uint64_t{1} << 40;  // bytes that a device has

  /// What a device has left.
  std::uint64_t left(int device) const {
    std::uint64_t taken = 0;
    for (const auto& [address, block] : blocks_) {
      if (block.pool->device == device && !block.freed) taken += block.bytes;
    }
    return taken < limit ? limit - taken : 0;
  }
  /// Null if the device has not as much.
  void* allocate(std::size_t bytes, std::shared_ptr<Pool> pool, bool of_graph) {
    const Inside inside;
    if (bytes > left(pool->device)) return nullptr;
    void* const address = ::operator new (bytes, std::align_val_t{races::kAlignment});
    races::begin_memory(address, bytes);
    pool->take(bytes);
    blocks_[address] = {bytes, ++allocated_, std::move(pool), false, of_graph};
    return address;
  }
  Block* find(const void* address) {
    const auto found = blocks_.find(address);
    return found != blocks_.end() ? &found->second : nullptr;
  }
  /// Fresh memory is no zeros.
  void begin(const void* address, std::uint64_t id) {
    fill(const_cast<void*>(address), bytes_of(address, id), 0xcd);
  }
  /// Says that it will be released.
  void free(Block& block) {
    block.freed = true;
    block.pool->used -= block.bytes;
  }
  void release(const void* address, std::uint64_t id) {
    auto* const memory = const_cast<void*>(address);
    const std::size_t bytes = bytes_of(address, id);
    if (bytes == 0) return;
#if !defined(STANDIN_ASAN)
    fill(memory, bytes, kDead);  // it counts as a write by the stream
#endif
    const Inside inside;
    blocks_.erase(address);
#if defined(STANDIN_ASAN)
    ::operator delete (memory, std::align_val_t{races::kAlignment});
#else
    dead_.emplace_back(memory, bytes);
    dead_bytes_ += bytes;
    while (dead_.size() > kMostDead || dead_bytes_ > kMostDeadBytes) bury();
#endif
  }

  bool contains(const void* address, std::size_t bytes) const {
    const auto* const begin = static_cast<const unsigned char*>(address);
    const auto* const block = at(address);
    return block != nullptr &&
           begin + bytes <= static_cast<const unsigned char*>(block->first) + block->second.bytes;
  }
  /// The device whose memory an address is in; -1: none's.
  int device_of(const void* address) const {
    const auto* const block = contains(address, 1) ? at(address) : nullptr;
    return block != nullptr ? block->second.pool->device : -1;
  }
  bool may_access(int device, const void* address) const {
    const auto* const block = at(address);
    return block->second.pool->device == device || block->second.pool->peers.count(device) != 0;
  }
  std::pair<const void*, const void*> block_of(const void* address) const {
    if (!contains(address, 1)) return {};
    const auto* const block = at(address);
    return {block->first, static_cast<const char*>(block->first) + block->second.bytes};
  }
  std::size_t live_blocks() const {
    return static_cast<std::size_t>(std::count_if(
        blocks_.begin(), blocks_.end(), [](const auto& entry) { return !entry.second.freed; }));
  }

 private:
  using Blocks = std::map<const void*, Block, std::less<>>;
  static constexpr unsigned char kDead = 0xdd;
  static constexpr std::size_t kMostDead = 64, kMostDeadBytes = std::size_t{64} << 20;
  // Of what is large, a workspace, the first will do.
  static constexpr std::size_t kFilled = std::size_t{1} << (races::kAreFound ? 14 : 20);

  const Blocks::value_type* at(const void* address) const {
    const auto after = blocks_.upper_bound(address);
    return after != blocks_.begin() ? &*std::prev(after) : nullptr;
  }
  /// 0 if the block exists no more.
  std::size_t bytes_of(const void* address, std::uint64_t id) {
    const Inside inside;
    const Block* const block = find(address);
    return block != nullptr && block->id == id ? block->bytes : 0;
  }
  static void fill(void* memory, std::size_t bytes, unsigned char value) {
    std::memset(memory, value, (std::min)(bytes, kFilled));
  }
  void bury() {
    const auto [memory, bytes] = dead_.front();
    dead_.pop_front();
    dead_bytes_ -= bytes;
    const auto* const begin = static_cast<const unsigned char*>(memory);
    if (!std::all_of(begin, begin + (std::min)(bytes, kFilled),
                     [](unsigned char byte) { return byte == kDead; }))
      stop("device memory was written after it was freed");
    races::end_memory(memory, bytes);
    ::operator delete (memory, std::align_val_t{races::kAlignment});
  }

  Blocks blocks_;
  std::deque<std::pair<void*, std::size_t>> dead_;  // freed, and to be looked at again
  std::size_t dead_bytes_ = 0;
  std::uint64_t allocated_ = 0;
};

}  // namespace standin
