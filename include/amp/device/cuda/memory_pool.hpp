// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The memory of a device, reused in the order of a stream's work, without waiting for it.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amp/device/cuda/blocks.hpp"
#include "amp/device/cuda/captures.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/driver_pool.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/statistics.hpp"

namespace amp::inline v0::cuda::detail {

/// A block belongs to its home, the stream that was current when it was allocated. That stream may
/// use the block again as soon as it was given back, because later work comes after earlier work.
///
/// A block given back under another stream goes to the list of those returned to its home, with an
/// event of that other stream. The home takes it back in an allocation once the event has happened;
/// if it has no other block of that size, it waits for the event in stream order. Only the current
/// stream is ever used, because the home may have been destroyed.
///
/// Free blocks up to kMostCached are kept here, by size; larger ones go to the driver, which splits
/// and merges them. A stream that a Graph made private keeps blocks of all sizes, as a recording
/// has to find those of its warm-ups.
///
/// While the current stream is captured, and not by a Graph, nothing is allocated, since CUDA would
/// let the captured graph own the memory. What is given back then is set aside, and so is what
/// unknown streams have read: it is free once the device has been waited for.
class AMP_EXPORT MemoryPool {
 public:
  static constexpr std::int64_t kMostCached = std::int64_t{1} << 20;

  /// With AMP_CUDA_NO_CACHE=1 in the environment, each block outside of graphs has exactly the
  /// requested size, and goes to the driver once the work of its streams is done. deallocate()
  /// waits for that on the host, unless the current stream is not the block's home.
  /// compute-sanitizer then detects reads beyond a block's end or after its life.
  explicit MemoryPool(int device) : device_(device) {
    const char* const setting = std::getenv("AMP_CUDA_NO_CACHE");
    caches_ = setting == nullptr || std::string_view(setting) != "1";
  }

  /// Throws amp::Error if the device has no memory left (and says how it is used), in a capture
  /// that no Graph began, and if CUDA fails. Does not synchronise, unless memory has run out.
  void* allocate(std::int64_t bytes, BlockUse use = BlockUse::kTensor) {
    const Stream now = current(device_);
    require_recorded(device_, now.handle);
    const bool in_recording = amp::detail::in_recording();
    if (!in_recording) require_not_captured(device_, now.handle, bytes);
    const std::lock_guard lock(mutex_);
    Home& home = homes_[now.id];
    const std::int64_t size = is_kept(home, bytes) ? size_class(bytes) : bytes;
    if (!in_recording && !home.returned.empty()) {
      const DeviceGuard guard(device_);
      home.take_back(now.handle, most_kept(home));
      if (is_kept(home, size)) home.wait_for_one(size, now.handle);
    }
    const Block block{.home = now.id, .bytes = bytes, .size = size, .use = use};
    if (const auto free = home.free.find(size); free != home.free.end() && !free->second.empty()) {
      void* const memory = free->second.back();
      used_.emplace(memory, block);
      free->second.pop_back();
      counts_.add(block);
      return memory;
    }
    if (in_recording)
      amp::detail::refuse(
          "Graph: the callable asks for ", bytes,
          " bytes that its warm-ups did not leave behind; every call has to ask for "
          "the same memory, after `warmup` calls at the latest");
    return from_driver(now, block);
  }

  void deallocate(void* memory) noexcept {
    try {
      give_back(memory);
    } catch (...) {
      // An error cannot be reported from here. The block is reused only when all work is done.
      const std::lock_guard lock(mutex_);
      readers_.forget(memory);
      if (const auto found = used_.find(memory); found != used_.end()) set_aside(found->second);
    }
  }

  /// deallocate() for a block that no work uses, other than work that amp's own stream waits for.
  void deallocate_idle(void* memory) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(memory);
    if (found == used_.end()) return;
    set_aside(found->second);
    try {
      const DeviceGuard guard(device_);
      AMP_CUDA_CALL(cudaFreeAsync, memory, OwnStreams::instance().of(device_).handle);
      used_.erase(found);
    } catch (...) {  // it stays aside
    }
  }

  /// Says that unknown streams read the block: it is not reused before all work is done.
  void share(void* memory) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto found = used_.find(memory); found != used_.end()) found->second.shared = true;
  }

  /// Says that `stream` uses the block. When the block is given back, its home waits for the work
  /// enqueued on `stream` until then. Does nothing for memory that is not a block.
  void record_stream(void* memory, cudaStream_t stream) {
    const DeviceGuard guard(device_);
    add_reader(memory, {{stream, id_of(stream)}});
  }
  /// The same for the work enqueued on `stream` until now; the stream may be destroyed later.
  void note_use(void* memory, cudaStream_t stream) noexcept {
    try {
      const DeviceGuard guard(device_);
      AMP_CHECK(stream != cudaStreamPerThread && !is_capturing(stream), "no event tells the end");
      add_reader(memory, {{stream, id_of(stream)}, Event(device_, stream)});
    } catch (...) {
      share(memory);
    }
  }

  // --- of graphs -------------------------------------------------------------------------------

  /// Keeps the blocks of `stream`, one of amp's, with it from now on, for a graph. The graph may
  /// use the free ones too.
  void make_private(cudaStream_t stream) {
    const StreamId id = id_of(stream);
    const std::lock_guard lock(mutex_);
    homes_[id].graph = stream;
  }
  /// Whether the stream is being recorded: it cannot wait for another then, nor be awaited.
  void set_recording(cudaStream_t stream, bool recording) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto found = home_of_graph(stream); found != homes_.end())
      found->second.recording = recording;
  }
  /// Gives the private blocks back; amp's own stream inherits those in use. No replay may run.
  void end_private(cudaStream_t stream) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = home_of_graph(stream);
    if (found == homes_.end()) return;
    const StreamId id = found->first;
    Home& home = found->second;
    home.graph = nullptr;
    try {
      const DeviceGuard guard(device_);
      free_kept(id, stream);
      home.wait_for_all(stream);
      home.free_all(stream);
      move_blocks(used_, id, OwnStreams::instance().of(device_));
      if (home.bytes() == 0) homes_.erase(id);
    } catch (...) {  // give_back_unused() finds the rest
    }
  }

  // --- as a whole ------------------------------------------------------------------------------

  /// Call before `gone` is destroyed: amp's own stream waits for it and inherits its blocks.
  void release_stream(const Stream& gone) {
    if (!is_used()) return;
    const Stream own = OwnStreams::instance().of(device_);
    wait_for(device_, own.handle, gone.handle);
    const std::lock_guard lock(mutex_);
    move_blocks(used_, gone.id, own);
    readers_.replace(gone.id, own);
    const auto found = homes_.find(gone.id);
    if (found == homes_.end()) return;
    found->second.move_to(homes_[own.id]);
    homes_.erase(gone.id);
  }

  /// Gives the device all memory that no tensor and no graph uses. Synchronises. Returns false if
  /// it failed: a stream is captured, or the device is lost.
  bool give_back_unused() noexcept {
    const std::lock_guard lock(mutex_);
    if (!pool_.is_made()) return true;
    try {
      const DeviceGuard guard(device_);
      return free_unused();
    } catch (...) {
      return false;
    }
  }
  void release() noexcept {
    if (!give_back_unused()) return;
    const std::lock_guard lock(mutex_);
    if (used_.empty()) pool_.destroy();
  }

  /// Whether a Graph is being recorded on the device, by any thread.
  bool is_recording() const {
    const std::lock_guard lock(mutex_);
    return is_recording_now();
  }
  bool is_used() const {
    const std::lock_guard lock(mutex_);
    return pool_.is_made();
  }
  DeviceMemoryStats statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_now();
  }
  void reset_peak() {
    const std::lock_guard lock(mutex_);
    if (pool_.is_made()) avoid_new_context(device_);
    pool_.reset_peak();
    counts_.peak_allocated = counts_.allocated;
  }

 private:
  using Homes = std::unordered_map<StreamId, Home>;

  /// The largest size of free blocks that stay here.
  std::int64_t most_kept(const Home& home) const {
    if (home.is_private()) return (std::numeric_limits<std::int64_t>::max)();
    return caches_ ? kMostCached : 0;
  }
  bool is_kept(const Home& home, std::int64_t size) const { return size <= most_kept(home); }

  // --- allocation ------------------------------------------------------------------------------

  void* from_driver(const Stream& now, const Block& block) {
    const DeviceGuard guard(device_);
    void* memory = pool_.allocate(device_, block.size, now.handle);
    if (memory == nullptr && free_for(now))
      memory = pool_.allocate(device_, block.size, now.handle);
    if (memory == nullptr) raise_out_of_memory(device_, block.bytes, statistics_now());
    try {
      used_.emplace(memory, block);
    } catch (...) {
      (void)cudaFreeAsync(memory, now.handle);
      throw;
    }
    counts_.add(block);
    return memory;
  }

  // --- deallocation ----------------------------------------------------------------------------

  void give_back(void* memory) {
    const Stream now = current(device_);
    const bool captured = is_capturing(device_, now.handle);
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(memory);
    if (found == used_.end()) return;
    Block& block = found->second;
    const auto here = homes_.find(now.id);
    const bool recorded = here != homes_.end() && here->second.recording;
    std::vector<BlockReader> readers = readers_.take(memory);
    if (recorded && (block.home != now.id || block.shared || !readers.empty())) {
      counts_.remove(block);
      block.kept_for = now.id;
      block.shared = block.shared || !readers.empty();
    } else if (block.shared || (captured && !recorded)) {
      set_aside(block);
    } else {
      pass_on(found, now, std::move(readers));
      counts_.remove(block);
      used_.erase(found);
    }
  }
  /// Passes the block to where it is reused; its home may be destroyed.
  void pass_on(UsedBlocks::const_iterator found, const Stream& now,
               std::vector<BlockReader> readers) {
    const auto& [memory, block] = *found;
    Home& home = homes_[block.home];
    const bool is_home = block.home == now.id && readers.empty();
    if (is_home && is_kept(home, block.size)) {
      home.free[block.size].push_back(memory);
      return;
    }
    const DeviceGuard guard(device_);
    if (is_home && caches_) {
      AMP_CUDA_CALL(cudaFreeAsync, memory, now.handle);
      return;
    }
    std::vector<Event> events = events_of(device_, block.home, now, std::move(readers));
    if (caches_ || home.is_private() || block.home != now.id) {
      home.returned.push_back({memory, block.size, std::move(events)});
      return;
    }
    events.emplace_back(device_, now.handle);
    for (const Event& event : events) event.wait();
    AMP_CUDA_CALL(cudaFreeAsync, memory, now.handle);
  }

  void set_aside(Block& block) noexcept {
    if (!block.is_given_back()) counts_.remove(block);
    block.aside = true;
  }

  void add_reader(void* memory, BlockReader reader) {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(memory);
    if (found != used_.end() && found->second.home != reader.stream.id)
      readers_.add(memory, std::move(reader));
  }

  // --- memory goes back to the device ----------------------------------------------------------

  /// Waits for all work, then frees everything that is free. The device must be current.
  bool free_unused() {
    const RelaxedCapture relaxed;
    if (is_recording_now() || is_any_captured(device_) || !wait_for_device()) return false;
    const cudaStream_t stream = OwnStreams::instance().of(device_).handle;
    for (auto home = homes_.begin(); home != homes_.end();) {
      const bool is_private = home->second.is_private();
      if (!is_private) home->second.free_all(stream);
      home = !is_private && home->second.bytes() == 0 ? homes_.erase(home) : std::next(home);
    }
    std::erase_if(used_, [&](const auto& entry) {
      const auto& [memory, block] = entry;
      const auto home = homes_.find(block.home);
      const bool is_private = home != homes_.end() && home->second.is_private();
      return block.aside && !is_private && cudaFreeAsync(memory, stream) == cudaSuccess;
    });
    (void)cudaStreamSynchronize(stream);  // only then is it free for others
    pool_.trim();
    return true;
  }
  /// Frees what it can for an allocation on `now`. While a stream of the device is captured nothing
  /// may wait for the device; then only the current stream's blocks are freed.
  bool free_for(const Stream& now) {
    if (!is_recording_now() && !is_any_captured(device_)) return free_unused();
    Home& home = homes_[now.id];
    if (home.is_private()) return true;
    home.wait_for_all(now.handle);
    home.free_all(now.handle);
    return true;
  }
  /// Frees the blocks of an ended graph.
  void free_kept(StreamId graph, cudaStream_t stream) noexcept {
    for (auto entry = used_.begin(); entry != used_.end();) {
      auto& [memory, block] = *entry;
      if (block.kept_for == graph) {
        block.aside = true;
        block.kept_for = 0;
        if (!block.shared && cudaFreeAsync(memory, stream) == cudaSuccess) {
          entry = used_.erase(entry);
          continue;
        }
      }
      ++entry;
    }
  }

  bool is_recording_now() const {
    return std::any_of(homes_.begin(), homes_.end(),
                       [](const auto& entry) { return entry.second.recording; });
  }
  Homes::iterator home_of_graph(cudaStream_t stream) {
    auto home = homes_.begin();
    while (home != homes_.end() && home->second.graph != stream) ++home;
    return home;
  }

  DeviceMemoryStats statistics_now() const {
    if (pool_.is_made()) avoid_new_context(device_);
    DeviceMemoryStats stats{.allocated = counts_.allocated,
                            .peak_allocated = counts_.peak_allocated,
                            .reserved = pool_.bytes(cudaMemPoolAttrReservedMemCurrent),
                            .peak_reserved = pool_.bytes(cudaMemPoolAttrReservedMemHigh),
                            .workspaces = counts_.workspaces};
    for (const auto& [id, home] : homes_)
      (home.is_private() ? stats.graphs : stats.cached) += home.bytes();
    for (const auto& [memory, block] : used_) {
      if (block.kept_for != 0) stats.graphs += block.size;
      if (block.aside) stats.set_aside += block.size;
    }
    return stats;
  }

  mutable std::mutex mutex_;
  int device_;
  bool caches_;
  DriverPool pool_;
  Homes homes_;
  UsedBlocks used_;
  BlockReaders readers_;
  BlockCounts counts_;
};

}  // namespace amp::inline v0::cuda::detail
