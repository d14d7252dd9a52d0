// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Low-precision copies of a weight, kept in slots of the weight's storage. A copy carries the
// version of the weight that it was made from and is refreshed when the weight moved on: it cannot
// be stale, whatever scope it is used in.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

/// What the low-precision copies of this process' weights hold and did.
struct AutocastCacheStats {
  std::int64_t entries = 0;    // copies alive
  std::int64_t bytes = 0;      // of memory they hold
  std::int64_t hits = 0;       // uses served without a cast
  std::int64_t refreshes = 0;  // casts, the first of each copy included
};

namespace detail {

class AMP_EXPORT Shadows;

struct AMP_EXPORT ShadowRegistry {
  std::mutex mutex;  // taken before any Shadows' own
  std::unordered_set<Shadows*> all;
  std::atomic<std::int64_t> entries = 0, bytes = 0, hits = 0, refreshes = 0;
};

/// The copies of one storage, one per dtype. Safe from several threads.
class AMP_EXPORT Shadows final : public StorageAttachment {
 public:
  Shadows() {
    ShadowRegistry& registry = process_state<ShadowRegistry>();
    const std::lock_guard lock(registry.mutex);
    registry.all.insert(this);
  }
  ~Shadows() override {
    ShadowRegistry& registry = process_state<ShadowRegistry>();
    const std::lock_guard lock(registry.mutex);
    registry.all.erase(this);
    clear();
  }
  Shadows(const Shadows&) = delete;
  Shadows& operator=(const Shadows&) = delete;

  /// The copy of `weight` in `dtype`, current. Reused in place unless somebody (a recorded graph)
  /// still holds it.
  Tensor get(const Tensor& weight, DType dtype) {
    ShadowRegistry& registry = process_state<ShadowRegistry>();
    const std::lock_guard lock(mutex_);
    Slot& slot = dtype == kFloat16 ? slots_[0] : slots_[1];
    const std::uint64_t version = weight.version();
    if (slot.copy.defined() && slot.version == version &&
        slot.copy.version() == slot.copy_version && slot.copy.shape() == weight.shape()) {
      ++registry.hits;
      return slot.copy.detach();
    }
    if (slot.copy.unique() && slot.copy.shape() == weight.shape()) {
      copy_elements(weight, slot.copy);
    } else {
      Tensor fresh = make_tensor(weight.shape(), dtype, weight.device());
      copy_elements(weight, fresh);  // where it throws, the slot holds no copy that was not made
      drop(slot);
      slot.copy = std::move(fresh);
      ++registry.entries;
      registry.bytes += weight.numel() * item_size(dtype);
    }
    slot.version = version;
    slot.copy_version = slot.copy.version();
    ++registry.refreshes;
    return slot.copy.detach();
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) drop(slot);
  }

 private:
  struct Slot {
    Tensor copy;
    std::uint64_t version = 0;  // of the weight
    std::uint64_t copy_version =
        0;  // of the copy: moves where a user writes to a result that is it
  };

  static void drop(Slot& slot) {
    if (!slot.copy.defined()) return;
    ShadowRegistry& registry = process_state<ShadowRegistry>();
    --registry.entries;
    registry.bytes -= slot.copy.numel() * item_size(slot.copy.dtype());
    slot.copy = Tensor();
  }

  std::mutex mutex_;
  Slot slots_[2];  // float16, bfloat16
};

/// Whether copies of this tensor can be kept: it is the whole of a storage whose writes are seen.
inline bool can_shadow(const Tensor& weight, DType dtype) {
  const TensorImpl& impl = weight.impl();
  return is_low_precision(dtype) && impl.storage->tracked() && !impl.is_view &&
         weight.is_contiguous();
}

inline Tensor low_precision_copy(const Tensor& weight, DType dtype) {
  std::atomic<StorageAttachment*>& attachment = weight.impl().storage->attachment();
  StorageAttachment* found = attachment.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto* const fresh = new Shadows;
    if (attachment.compare_exchange_strong(found, fresh)) {
      found = fresh;
    } else {
      delete fresh;  // another thread came first
    }
  }
  return static_cast<Shadows*>(found)->get(weight, dtype);
}

}  // namespace detail

inline AutocastCacheStats autocast_cache_stats() {
  const auto& registry = process_state<detail::ShadowRegistry>();
  return {.entries = registry.entries,
          .bytes = registry.bytes,
          .hits = registry.hits,
          .refreshes = registry.refreshes};
}

/// Frees every low-precision copy of the process, whichever thread made it; those that a recorded
/// graph holds live on in it.
inline void clear_autocast_cache() {
  auto& registry = process_state<detail::ShadowRegistry>();
  const std::lock_guard lock(registry.mutex);
  for (detail::Shadows* shadows : registry.all) shadows->clear();
}

}  // namespace amp::inline v0
