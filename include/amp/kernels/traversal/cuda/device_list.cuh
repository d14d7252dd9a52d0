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

/// A list on the device, and what it was last sent.
///
/// In a capture that the user began, the graph gets the sending, too: each launch brings the list
/// of the captured call. So that list has to be in memory that exists already, stays, and is sent
/// anew by every other call from then on.
template <class Item>
class DeviceList {
  static_assert(std::is_trivially_copyable_v<Item> && sizeof(Batch<Item>) <= 3904);

 public:
  explicit DeviceList(Device device) : device_(device) {}
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  ~DeviceList() {
    deallocate(device_, data_, bytes_);
    for (const auto& [memory, bytes] : kept_) deallocate(device_, memory, bytes);
  }

  Item* data() const { return data_; }

  /// Sets the list to `items`. If it throws, all are sent again the next time. What a graph
  /// reads is sent once, before its first replay; the list lives as long as the graph.
  void send(const std::vector<Item>& items) {
    const bool captured = is_captured_by_user();
    if (!captured && items == sent_) return;
    const auto bytes = static_cast<std::int64_t>(items.size() * sizeof(Item));
    before_.swap(sent_);
    sent_.clear();
    if (amp::detail::Capture* const recording = amp::detail::current_recording()) {
      if (bytes > bytes_)
        amp::detail::refuse(*recording,
                            "Graph: the callable gives one call more tensors than its warm-ups "
                            "did; every call has to do the same");
      recording->before_replay([this, items = items]() mutable {
        if (!items.empty()) write(items);
        items = {};
      });
      return;
    }
    if (bytes > bytes_) {
      kept_.reserve(kept_.size() + 1);
      void* const larger = allocate(device_, bytes);
      if (is_of_graphs_) {
        kept_.emplace_back(data_, bytes_);
      } else {
        deallocate(device_, data_, bytes_);
      }
      bytes_ = bytes;
      data_ = static_cast<Item*>(larger);
      before_.clear();
    }
    is_of_graphs_ = is_of_graphs_ || captured;
    if (is_of_graphs_) before_.clear();
    write(items);
    if (!is_of_graphs_) sent_ = items;
  }

 private:
  bool is_captured_by_user() const {
    return amp::detail::current_capture() == nullptr &&
           amp::cuda::detail::is_capturing(device_.index, amp::cuda::current_stream(device_.index));
  }
  /// Writes the items that differ from those before.
  void write(const std::vector<Item>& items) {
    constexpr auto kItems = static_cast<std::size_t>(Batch<Item>::kItems);
    for (std::size_t begin = 0; begin < items.size(); begin += kItems) {
      const std::size_t count = (std::min)(kItems, items.size() - begin);
      const Item* const from = items.data() + begin;
      if (begin + count <= before_.size() && std::equal(from, from + count, before_.data() + begin))
        continue;
      Batch<Item> batch{};
      std::copy_n(from, count, batch.items);
      batch.count = static_cast<int>(count);
      launch(device_, 1, kThreads, list_kernel<Batch<Item>, Item>, batch, data_ + begin);
    }
  }

  Device device_;
  std::int64_t bytes_ = 0;
  Item* data_ = nullptr;
  std::vector<Item> sent_, before_;                   // their memory is kept
  bool is_of_graphs_ = false;                         // of the user's
  std::vector<std::pair<void*, std::int64_t>> kept_;  // that these write to
};

/// The table of one call: the kept one if there is a place for it. A Graph gets one of its own, so
/// that later calls do not change what it reads. A capture that the user began takes the kept one,
/// made by an earlier call, as it cannot allocate.
template <class Table>
class TableOfCall {
 public:
  TableOfCall(Device device, DescriptorTable* kept) {
    if (amp::detail::Capture* const capture = amp::detail::current_capture()) {
      kept = &capture->kept<DescriptorTable>();
    } else if (kept == nullptr) {
      kept = &own_;
    }
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
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, Count{1}) == gridDim.x - 1;
    if (last) *arrived = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

}  // namespace amp::inline v0::kernels::cuda
