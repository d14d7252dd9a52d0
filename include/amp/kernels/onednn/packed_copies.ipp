// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/process_lock.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/onednn/packed_copies.hpp"

namespace amp::inline v0::kernels {

AMP_INLINE PackedCopies::Copy PackedCopies::get(std::uint64_t version, const PackKey& key,
                                                std::int64_t bytes, Pack pack) {
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kLayout, this);
  if (version != version_) entries_ = {};
  version_ = version;
  Entry& entry = entry_of(key);
  if (entry.copy != nullptr) return entry.copy;
  Copy made = make(bytes, pack);
  if (entry.used) {
    entry.copy = made;
  } else {
    entry = {key, {}, true};
  }
  return made;
}

AMP_INLINE PackedCopies::Copy PackedCopies::make(std::int64_t bytes, Pack pack) {
  const auto made =
      amp::detail::or_out_of_memory([&] { return std::make_shared<HostBuffer<std::byte>>(bytes); });
  pack(made->data());
  return made;
}

AMP_INLINE PackedCopies::Entry& PackedCopies::entry_of(const PackKey& key) {
  for (Entry& entry : entries_) {
    if (entry.used && entry.key == key) return entry;
  }
  for (Entry& entry : entries_) {
    if (!entry.used) return entry;
  }
  Entry& oldest = entries_[static_cast<std::size_t>(next_)];
  next_ = (next_ + 1) % kMost;
  oldest = {};
  return oldest;
}

}  // namespace amp::inline v0::kernels
