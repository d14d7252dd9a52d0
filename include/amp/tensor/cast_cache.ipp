// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"
#include "amp/device/stream_mark.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/tensor/cast_cache.hpp"
#include "amp/tensor/factory.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace detail {

class AMP_EXPORT CastCache;

struct AMP_EXPORT CastCaches {
  std::unordered_set<CastCache*, std::hash<CastCache*>, std::equal_to<>, PoolAllocator<CastCache*>>
      all;
  std::atomic<std::int64_t> entries = 0, bytes = 0, hits = 0, refreshes = 0;
};

/// The copy of a weight that a graph's kernels read. It is cast before a replay, unless the last
/// one left it current, as an optimizer's step does that is part of the graph.
class AMP_EXPORT GraphCopy final : public Replayable {
 public:
  GraphCopy(const Tensor& weight, const Tensor& copy)
      : weight_(weight.detach()),
        copy_(copy.detach()),
        version_(std::make_shared<std::uint64_t>(weight.version())) {}

  /// The version of the weight that the copy holds, for the slot to set when the copy is written.
  /// It exists as long as the graph.
  std::weak_ptr<std::uint64_t> version() const { return version_; }

  void after_recording() override { lasts_ = *version_ == weight_.version(); }
  void before_replay() override {
    if (is_cast_ && *version_ == weight_.version()) return;
    copy_elements(weight_, copy_);
    *version_ = weight_.version();
    is_cast_ = true;
  }
  /// The weight has its new version by now: a graph that writes it added its storage later.
  void after_replay() override {
    if (lasts_) *version_ = weight_.version();
  }

 private:
  Tensor weight_, copy_;
  std::shared_ptr<std::uint64_t> version_;
  bool lasts_ = false;  // whether a replay leaves the copy current
  bool is_cast_ = false;
};

/// The copies of one storage, one per dtype. Safe from several threads.
class AMP_EXPORT CastCache final : public StorageAttachment {
 public:
  CastCache() {
    CastCaches& registry = process_state<CastCaches>();
    const ProcessLock lock(LockOf::kWeightCopies);
    registry.all.insert(this);
  }
  ~CastCache() override {
    CastCaches& registry = process_state<CastCaches>();
    const ProcessLock lock(LockOf::kWeightCopies);
    registry.all.erase(this);
    clear();
  }
  CastCache(const CastCache&) = delete;
  CastCache& operator=(const CastCache&) = delete;

  /// The copy of `weight` in `dtype`, current. It is cast in place if nothing else holds it and its
  /// memory belongs to the graph that this call is part of, or to none if the call is part of none.
  WeightCopy get(const Tensor& weight, DType dtype) {
    CastCaches& registry = process_state<CastCaches>();
    Capture* const call = Capture::current();
    const std::uint64_t graph = call != nullptr ? call->graph() : 0;
    const ProcessLock lock(LockOf::kWeight, this);
    Slot& slot = dtype == kFloat16 ? slots_[0] : slots_[1];
    const std::uint64_t version = weight.version();
    if (slot.is_of(weight)) {
      slot.wait_until_written();
      ++registry.hits;
      slot.used = true;
      return {slot.copy.detach(), false};
    }
    if (slot.is_alone() && slot.graph == graph && slot.copy.shape() == weight.shape()) {
      if (slot.capture != capture_id() && is_weight_of_replay(weight, call)) {
        slot.version_in_graph = call->make<GraphCopy>(weight, slot.copy).version();
      } else {
        slot.wait_until_written();
        copy_elements(weight, slot.copy);
        slot.copy.impl().storage->bump_version();
        slot.set_version_in_graph(version);
      }
    } else {
      Tensor fresh = make_tensor(weight.shape(), dtype, weight.device());
      copy_elements(weight, fresh);  // if it throws, the slot holds no unfinished copy
      drop(slot);
      slot.copy = std::move(fresh);
      slot.graph = graph;
      ++registry.entries;
      registry.bytes += weight.numel() * item_size(dtype);
    }
    slot.written.record(weight.device());
    // In a capture that is not a Graph's, nothing was cast yet: the next use casts again.
    const bool is_captured =
        weight.device().type != kCPU && slot.written.empty() && call == nullptr;
    slot.version = is_captured ? kNoVersion : version;
    slot.copy_version = slot.copy.version();
    slot.capture = capture_id();
    slot.used = true;
    ++registry.refreshes;
    return {slot.copy.detach(), true};
  }

  /// The memory of the copies that a call which writes all of `weight` should write with it: those
  /// that are current, were used since the last time and that nothing else holds. The call then
  /// says wrote(), unless it failed after it wrote some of them.
  kernels::LowPrecisionCopies to_write(const Tensor& weight) {
    const ProcessLock lock(LockOf::kWeight, this);
    void* memory[2] = {};
    for (int s = 0; s < 2; ++s) {
      Slot& slot = slots_[s];
      slot.promised = slot.used && slot.is_of(weight) && slot.is_alone();
      if (!slot.promised) continue;
      slot.wait_until_written();
      memory[s] = slot.copy.raw_data();
    }
    return {memory[0], memory[1]};
  }
  void wrote(const Tensor& weight) {
    const ProcessLock lock(LockOf::kWeight, this);
    for (Slot& slot : slots_) {
      if (!slot.promised) continue;
      slot.version = weight.version();
      slot.copy.impl().storage->bump_version();
      slot.copy_version = slot.copy.version();
      slot.set_version_in_graph(slot.version);
      slot.promised = slot.used = false;
    }
  }

  void clear() {
    const ProcessLock lock(LockOf::kWeight, this);
    for (Slot& slot : slots_) drop(slot);
  }

 private:
  static constexpr std::uint64_t kNoVersion = ~std::uint64_t{0};

  struct Slot {
    Tensor copy;
    // By the last cast, of which users do not know. A step that writes the copy needs no mark: a
    // program that reads a weight on another stream has to order that behind the step anyhow.
    StreamMark written;
    std::uint64_t version = 0;  // of the weight
    // The version of the copy. It changes if a user writes to a result that is the copy.
    std::uint64_t copy_version = 0;
    std::uint64_t graph = 0;    // whose memory it is; 0: none
    std::uint64_t capture = 0;  // the capture_id() of the last cast
    bool used = false;          // since it was last written with the weight
    bool promised = false;      // to be written with the weight
    std::weak_ptr<std::uint64_t> version_in_graph = {};  // GraphCopy::version(), if it is one

    void set_version_in_graph(std::uint64_t held) const {
      if (const auto known = version_in_graph.lock()) *known = held;
    }
    /// The current stream reads or writes the copy after it was written. If that was another
    /// stream, the allocator does not know that this one uses the copy's memory.
    void wait_until_written() const {
      if (written.wait(copy.device())) share(copy.device(), copy.raw_data());
    }
    /// Whether nothing else holds the copy, except the graph that it belongs to.
    bool is_alone() const {
      if (version_in_graph.expired()) return copy.unique();
      return copy.impl().unique() && copy.impl().storage->references() == 2;
    }

    bool is_of(const Tensor& weight) const {
      return copy.defined() && version == weight.version() && copy.version() == copy_version &&
             capture == capture_id() && copy.shape() == weight.shape();
    }
  };

  /// Whether `call` is a recording, and its work until now neither made nor wrote the weight: a
  /// copy that is cast before a replay then holds what the recorded work is to read.
  static bool is_weight_of_replay(const Tensor& weight, const Capture* call) {
    if (call == nullptr || !call->is_recording() || weight.device().type == kCPU) return false;
    const Storage& memory = *weight.impl().storage;
    return !call->contains(memory) && memory.made_in() != call->id();
  }

  static void drop(Slot& slot) {
    if (!slot.copy.defined()) return;
    CastCaches& registry = process_state<CastCaches>();
    --registry.entries;
    registry.bytes -= slot.copy.numel() * item_size(slot.copy.dtype());
    slot = Slot();
  }

  Slot slots_[2];  // float16, bfloat16
};

AMP_INLINE bool can_cache_cast(const Tensor& weight, DType dtype) {
  const TensorImpl& impl = weight.impl();
  return is_low_precision(dtype) && impl.storage->tracked() && !impl.is_view &&
         weight.is_contiguous();
}

AMP_INLINE WeightCopy low_precision_copy(const Tensor& weight, DType dtype) {
  std::atomic<StorageAttachment*>& attachment = weight.impl().storage->attachment();
  StorageAttachment* found = attachment.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto* const fresh = or_out_of_memory([] { return new CastCache; });
    if (attachment.compare_exchange_strong(found, fresh)) {
      found = fresh;
    } else {
      delete fresh;  // another thread was first
    }
  }
  return static_cast<CastCache*>(found)->get(weight, dtype);
}

AMP_INLINE kernels::LowPrecisionCopies copies_to_write(const Tensor& weight) {
  // The copy of a weight of 16 bits would not be that of the rounded one.
  if (weight.dtype() != kFloat32 || !can_cache_cast(weight, kFloat16)) return {};
  StorageAttachment* const found = weight.impl().storage->attachment().load();
  return found == nullptr ? kernels::LowPrecisionCopies{}
                          : static_cast<CastCache*>(found)->to_write(weight);
}
AMP_INLINE void wrote_copies(const Tensor& weight) {
  if (StorageAttachment* const found = weight.impl().storage->attachment().load())
    static_cast<CastCache*>(found)->wrote(weight);
}

}  // namespace detail

AMP_COLD AutocastCacheStats autocast_cache_stats() {
  const auto& registry = process_state<detail::CastCaches>();
  return {.entries = registry.entries,
          .bytes = registry.bytes,
          .hits = registry.hits,
          .refreshes = registry.refreshes};
}

AMP_COLD void clear_autocast_cache() {
  auto& registry = process_state<detail::CastCaches>();
  const detail::ProcessLock lock(detail::LockOf::kWeightCopies);
  for (detail::CastCache* cache : registry.all) cache->clear();
}

AMP_PROCESS_STATE(detail::CastCaches);

}  // namespace amp::inline v0
