// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The memory behind tensors, with the version that tells whether it changed.
//
// Convolutions run fastest on activations whose channels lie side by side, while everything else
// may rely on row-major memory. So a storage can be born laid out otherwise. Kernels that know of
// it read the elements as they lie; data() gives row-major memory, which it makes at the first
// call.
#pragma once

#include <atomic>
#include <cstdint>

#include "amp/core/refcount.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/device.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {
class PackedCopies;
struct PackedAt;
}  // namespace amp::inline v0::kernels

namespace amp::inline v0::detail {

/// Base of the object that a storage may carry: low-precision copies (tensor/cast_cache.hpp).
class AMP_EXPORT StorageAttachment {
 public:
  virtual ~StorageAttachment() = default;
};

/// Bytes on a device, shared by views. Memory that amp allocated is tracked: every write through
/// amp moves the version. Memory that amp does not own is tracked only once its owner has called
/// mark_modified(), which promises to do so after each write.
class AMP_EXPORT Storage final : public Replayable {
 public:
  Storage(Device device, std::int64_t bytes);
  /// Memory that amp does not own, which lives as long as `keeper` if there is one.
  Storage(Device device, void* foreign, std::int64_t bytes, Ref<RefCounted> keeper = {});
  /// For elements that lie as `layout` says, whose strides permute those of the row-major order;
  /// its `data` is not read.
  explicit Storage(const kernels::Operand& layout);

  /// The elements in row-major order. After a write there, bump_version() must be called.
  void* data() const {
    if (laid_out_ != nullptr) [[unlikely]]
      return row_major();
    return data_;
  }
  /// The elements as they lie if the storage was born laid out otherwise and was not written in
  /// row-major order since; else null. They stay in place as long as the storage, also once data() was asked for.
  const kernels::Operand* laid_out() const {
    return laid_out_ != nullptr && version() == laid_out_->version ? &laid_out_->elements : nullptr;
  }
  /// Whether the elements exist in row-major order. For a storage that was born laid out otherwise:
  /// a write to the elements as they lie would not reach that copy.
  bool has_row_major() const {
    return laid_out_ == nullptr || laid_out_->row_major.load(std::memory_order_acquire) != nullptr;
  }
  std::int64_t bytes() const { return bytes_; }
  Device device() const { return device_; }

  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// Says that the memory was written. If the write is part of a Graph, each replay writes, and the
  /// version moves after each.
  void bump_version();
  /// The same for a write to the elements as they lie, of which there must be no row-major copy.
  void bump_version_as_laid_out() {
    bump_version();
    laid_out_->version = version();
  }
  void after_replay() override { version_.fetch_add(1, std::memory_order_acq_rel); }
  /// The capture_id() under which the memory was allocated.
  std::uint64_t made_in() const { return made_in_; }
  /// Whether nothing but amp writes the memory, as far as amp knows.
  bool only_amp_writes() const { return only_amp_writes_; }
  /// Whether a write to one of the two may be one to the other: both may be over the same memory,
  /// which amp does not own.
  bool may_overlap(const Storage& other) const;
  bool tracked() const { return tracked_.load(std::memory_order_relaxed); }
  void track() { tracked_.store(true, std::memory_order_relaxed); }
  /// Says that only amp writes the memory, so that it is tracked. To be called before other threads
  /// use it.
  void claim() {
    only_amp_writes_ = true;
    track();
  }

  /// The place in which kernels may cache the elements in orders of their own. None if writes may
  /// go unnoticed: amp does not own the memory, or gave away a pointer to write to it.
  kernels::PackedAt packed();
  void give_away_to_write() { written_from_outside_.store(true, std::memory_order_relaxed); }

  /// Set once, by the first thread that needs it.
  std::atomic<StorageAttachment*>& attachment() { return attachment_; }

 private:
  struct LaidOut {
    explicit LaidOut(const kernels::Operand& layout) : elements(layout) {}
    kernels::Operand elements;
    std::uint64_t version = 0;               // after the last write to them
    std::atomic<void*> row_major = nullptr;  // the same elements, once data() was called
  };

  AMP_INLINE ~Storage() override;
  [[gnu::cold]] void* row_major() const;

  Device device_;
  std::int64_t bytes_;
  void* data_;                   // the elements as they lie
  LaidOut* laid_out_ = nullptr;  // null: row-major
  std::uint64_t made_in_;
  bool owned_ = false, only_amp_writes_ = false;
  std::atomic<bool> tracked_ = false, written_from_outside_ = false;
  std::atomic<std::uint64_t> version_ = 0;
  std::atomic<StorageAttachment*> attachment_ = nullptr;
  std::atomic<kernels::PackedCopies*> packed_ = nullptr;
  Ref<RefCounted> keeper_;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/tensor/storage.ipp"
#endif
