// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lists of tensors on the device. Items reach it by value, as parameters of launches, so that no
// host memory has to last. A caller may keep a list between calls; then only what changed is sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/descriptor_table.hpp"

namespace amp::inline v0::kernels::cuda {

/// The items of one launch. A kernel takes 4 KiB of parameters on every device.
template <class Item>
struct Batch {
  static constexpr int kItems = 3840 / static_cast<int>(sizeof(Item));

  Item items[kItems];
  int count;
};

template <class Items, class Item>
AMP_KERNEL void list_kernel(Items batch, Item* to) {
  for (int i = static_cast<int>(threadIdx.x); i < batch.count; i += static_cast<int>(blockDim.x))
    to[i] = batch.items[i];
}

/// Writes a list to memory of a device by launches. Skips the batches that are the same in
/// `before`, which is what the memory holds.
template <class Item>
void write_list(Device device, Item* to, const std::vector<Item>& items,
                const std::vector<Item>& before = {}) {
  static_assert(std::is_trivially_copyable_v<Item> && sizeof(Batch<Item>) <= 3904);
  constexpr auto kItems = static_cast<std::size_t>(Batch<Item>::kItems);
  for (std::size_t begin = 0; begin < items.size(); begin += kItems) {
    const std::size_t count = (std::min)(kItems, items.size() - begin);
    const Item* const from = items.data() + begin;
    if (begin + count <= before.size() && std::equal(from, from + count, before.data() + begin))
      continue;
    Batch<Item> batch{};
    std::copy_n(from, count, batch.items);
    batch.count = static_cast<int>(count);
    launch(device, 1, kThreads, list_kernel<Batch<Item>, Item>, batch, to + begin);
  }
}

/// A list that a graph reads: it is written once, before the first replay.
template <class Item>
class GraphList final : public amp::detail::Replayable {
 public:
  GraphList(Device device, Item* to, const std::vector<Item>& items)
      : device_(device), to_(to), items_(items) {}
  void before_replay() override {
    write_list(device_, to_, items_);
    items_ = {};
  }

 private:
  Device device_;
  Item* to_;
  std::vector<Item> items_;
};

/// A list on the device, and a copy of the items that were sent last.
///
/// In a call of a Graph, each send() writes to its own memory, which lives as long as the graph, so
/// that later calls do not change what the graph reads. If the program captures a graph itself, the
/// graph contains the sending: each launch writes the list of the captured call. That list must
/// therefore be in memory that was allocated before, and that is not freed. From then on, all other
/// calls send the whole list.
template <class Item>
class DeviceList {
 public:
  explicit DeviceList(Device device) : device_(device) {}
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  ~DeviceList() {
    deallocate(device_, memory_, bytes_);
    for (const auto& [memory, bytes] : kept_) deallocate(device_, memory, bytes);
  }

  /// The address of the items of the last send().
  Item* data() const { return data_; }

  /// Sets the list to `items`. If it throws, the next call sends all of them.
  void send(const std::vector<Item>& items) {
    if (amp::detail::Capture* const call = amp::detail::Capture::current()) {
      send(items, *call);
      return;
    }
    const bool captured =
        amp::cuda::detail::is_capturing(device_.index, amp::cuda::current_stream(device_.index));
    if (captured || items != sent_) write(items, captured);
    data_ = memory_;
  }

 private:
  void send(const std::vector<Item>& items, amp::detail::Capture& call) {
    data_ = static_cast<Item*>(
        call.memory(device_, bytes_of(items), "gives one call more tensors than its warm-ups did"));
    if (call.is_recording()) {
      call.make<GraphList<Item>>(device_, data_, items);
    } else {
      write_list(device_, data_, items);
    }
  }

  void write(const std::vector<Item>& items, bool captured) {
    before_.swap(sent_);
    sent_.clear();
    const std::int64_t bytes = bytes_of(items);
    if (bytes > bytes_) {
      kept_.reserve(kept_.size() + 1);
      void* const larger = allocate(device_, bytes);
      if (is_of_graphs_) {
        kept_.emplace_back(memory_, bytes_);
      } else {
        deallocate(device_, memory_, bytes_);
      }
      bytes_ = bytes;
      memory_ = static_cast<Item*>(larger);
      before_.clear();
    }
    is_of_graphs_ = is_of_graphs_ || captured;
    if (is_of_graphs_) before_.clear();
    write_list(device_, memory_, items, before_);
    if (!is_of_graphs_) sent_ = items;
  }
  static std::int64_t bytes_of(const std::vector<Item>& items) {
    return static_cast<std::int64_t>(items.size() * sizeof(Item));
  }

  Device device_;
  std::int64_t bytes_ = 0;
  Item *memory_ = nullptr, *data_ = nullptr;
  std::vector<Item> sent_, before_;                   // their memory is reused
  bool is_of_graphs_ = false;                         // whether the program captured a send()
  std::vector<std::pair<void*, std::int64_t>> kept_;  // memory that captured sends write to
};

/// The table of one call: the caller's if `kept` is not null, else a temporary one.
template <class Table>
class TableOfCall {
 public:
  TableOfCall(Device device, DescriptorTable* kept) {
    if (kept == nullptr) kept = &own_;
    table_ = dynamic_cast<Table*>(kept->contents.get());
    if (table_ != nullptr && table_->device == device) return;
    auto made = std::make_unique<Table>(device);
    table_ = made.get();
    kept->contents = std::move(made);
  }
  Table* operator->() const { return table_; }
  Table& operator*() const { return *table_; }

 private:
  DescriptorTable own_;
  Table* table_;
};

/// Whether this is the last block of the grid to get here: it then sees what the others wrote
/// before. *arrived must be 0, and is 0 again afterwards. All threads of a block must call it.
template <class Count>
__device__ bool is_last_block(Count* arrived) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // after the barrier, so it is one for what all threads of the block wrote
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;  // which makes it 0 again
    __threadfence();
  }
  __syncthreads();
  return last;
}

}  // namespace amp::inline v0::kernels::cuda
