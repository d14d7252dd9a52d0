// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A weight in the orders in which libraries want it. A copy is kept from the second use of a weight
// that was not written in between: inference and accumulation of gradients pack once, and a
// training that writes its weights in each step holds no copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "amp/core/process_lock.hpp"
#include "amp/device/host_memory.hpp"

namespace amp::inline v0::kernels {

/// What a copy was made for: equal keys mean equal orders.
using PackKey = std::array<std::int64_t, 20>;

/// The copies of the weights in one storage. Safe from several threads.
class PackedCopies {
 public:
  using Copy = std::shared_ptr<const HostBuffer<std::byte>>;
  static constexpr int kMost = 4;  // orders of one weight

  /// The copy of the weight at this version, made by pack(memory) unless there is one.
  template <class Pack>
  Copy get(std::uint64_t version, const PackKey& key, std::int64_t bytes, const Pack& pack) {
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

  /// A copy that nothing keeps.
  template <class Pack>
  static Copy make(std::int64_t bytes, const Pack& pack) {
    const auto made = amp::detail::or_out_of_memory(
        [&] { return std::make_shared<HostBuffer<std::byte>>(bytes); });
    pack(made->data());
    return made;
  }

 private:
  struct Entry {
    PackKey key = {};
    Copy copy = {};
    bool used = false;
  };

  /// That of the key, or the place for it.
  Entry& entry_of(const PackKey& key) {
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

  std::array<Entry, kMost> entries_;
  std::uint64_t version_ = 0;
  int next_ = 0;
};

/// The place for copies of a weight, and the weight's version. Null if none can be kept, because
/// amp may not see every write to the weight.
struct PackedAt {
  PackedCopies* copies = nullptr;
  std::uint64_t version = 0;
};

}  // namespace amp::inline v0::kernels
