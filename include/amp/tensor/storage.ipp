// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/memory.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/onednn/packed_copies.hpp"
#include "amp/tensor/storage.hpp"

namespace amp::inline v0::detail {

AMP_INLINE Storage::Storage(Device device, std::int64_t bytes)
    : device_(device),
      bytes_(bytes),
      data_(allocate(device, bytes)),
      made_in_(capture_id()),
      owned_(true),
      only_amp_writes_(true),
      tracked_(true) {}

AMP_INLINE Storage::Storage(Device device, void* foreign, std::int64_t bytes,
                            Ref<RefCounted> keeper)
    : device_(device),
      bytes_(bytes),
      data_(foreign),
      made_in_(capture_id()),
      keeper_(std::move(keeper)) {}

AMP_INLINE Storage::Storage(const kernels::Operand& layout)
    : Storage(layout.device, layout.numel() * item_size(layout.dtype)) {
  laid_out_ = or_out_of_memory([&] { return new LaidOut(layout); });
  laid_out_->elements.data = data_;
}

AMP_INLINE Storage::~Storage() {
  delete attachment_.load();
  delete packed_.load();
  if (laid_out_ != nullptr) deallocate(device_, laid_out_->row_major.load(), bytes_);
  delete laid_out_;
  if (owned_) deallocate(device_, data_, bytes_);
}

AMP_INLINE void Storage::bump_version() {
  version_.fetch_add(1, std::memory_order_acq_rel);
  if (device_.type == kCPU) return;
  if (Capture* const call = Capture::current()) [[unlikely]]
    call->add(*this);
}

AMP_COLD bool Storage::may_overlap(const Storage& other) const {
  if (this == &other) return true;
  if (device_ != other.device_ || (only_amp_writes_ && other.only_amp_writes_)) return false;
  const auto begin = [](const Storage& storage) {
    const LaidOut* const laid_out = storage.laid_out_;  // others see the row-major copy alone
    return static_cast<const char*>(laid_out == nullptr ? storage.data_
                                                        : laid_out->row_major.load());
  };
  const std::less<const char*> before;
  return before(begin(*this), begin(other) + other.bytes_) &&
         before(begin(other), begin(*this) + bytes_);
}

AMP_INLINE kernels::PackedAt Storage::packed() {
  if (!only_amp_writes_ || written_from_outside_.load(std::memory_order_relaxed)) return {};
  kernels::PackedCopies* known = packed_.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto fresh = or_out_of_memory([] { return std::make_unique<kernels::PackedCopies>(); });
    if (packed_.compare_exchange_strong(known, fresh.get())) known = fresh.release();
  }
  return {known, version()};
}

AMP_COLD void* Storage::row_major() const {
  std::atomic<void*>& made = laid_out_->row_major;
  if (void* const known = made.load(std::memory_order_acquire)) return known;
  const ProcessLock lock(LockOf::kLayout, this);
  if (void* const known = made.load(std::memory_order_acquire)) return known;
  kernels::Operand copy = laid_out_->elements;
  std::int64_t stride = 1;
  for (int d = copy.dims - 1; d >= 0; stride *= copy.sizes[d--]) copy.strides[d] = stride;
  copy.data = allocate(device_, bytes_);
  try {
    const kernels::UnaryArgs args{.input = laid_out_->elements, .output = copy};
    kernels::copy(device_, args);
  } catch (...) {
    deallocate(device_, copy.data, bytes_);
    throw;
  }
  made.store(copy.data, std::memory_order_release);
  return copy.data;
}

}  // namespace amp::inline v0::detail
