// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The memory behind tensors, with the version that tells whether it changed.
#pragma once

#include <atomic>
#include <cstdint>

#include "amp/core/refcount.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"

namespace amp::inline v0::detail {

/// What a storage may carry for the layer above: low-precision copies (tensor/shadow.hpp).
class AMP_EXPORT StorageAttachment {
 public:
  virtual ~StorageAttachment() = default;
};

/// Bytes on a device, shared by views. Memory that amp allocated is tracked: every write through
/// amp moves the version. Memory of somebody else is tracked only once its owner called
/// mark_modified(), which promises to do so after each write.
class AMP_EXPORT Storage final : public RefCounted {
 public:
  Storage(Device device, std::int64_t bytes)
      : device_(device),
        bytes_(bytes),
        data_(allocate(device, bytes)),
        owned_(true),
        tracked_(true) {}
  Storage(Device device, void* foreign, std::int64_t bytes)
      : device_(device), bytes_(bytes), data_(foreign) {}

  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }
  Device device() const { return device_; }

  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// Says that the memory was written. What a device was told to write within a capture, it writes
  /// at each replay.
  void bump_version() {
    version_.fetch_add(1, std::memory_order_acq_rel);
    if (Capture* const capture = current_capture(); capture != nullptr && device_.type != kCPU)
        [[unlikely]] {
      capture->wrote(*this, [](RefCounted& storage) {
        static_cast<Storage&>(storage).version_.fetch_add(1, std::memory_order_acq_rel);
      });
    }
  }
  /// The capture in whose recorded function the memory was asked for; 0: none.
  std::uint64_t made_in() const { return made_in_; }
  bool tracked() const { return tracked_.load(std::memory_order_relaxed); }
  void track() { tracked_.store(true, std::memory_order_relaxed); }

  /// Set once, by whichever thread comes first.
  std::atomic<StorageAttachment*>& attachment() { return attachment_; }

 private:
  ~Storage() override {
    delete attachment_.load();
    if (owned_) deallocate(device_, data_, bytes_);
  }

  Device device_;
  std::int64_t bytes_;
  void* data_;
  std::uint64_t made_in_ = capture_id();
  bool owned_ = false;
  std::atomic<bool> tracked_ = false;
  std::atomic<std::uint64_t> version_ = 0;
  std::atomic<StorageAttachment*> attachment_ = nullptr;
};

}  // namespace amp::inline v0::detail
