// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Copies of a weight in the orders that libraries prefer. A copy is cached from the second use of a
// weight that was not written in between. So inference and accumulation of gradients pack once, and
// training that writes its weights in each step holds no copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "amp/core/error.hpp"
#include "amp/core/function_ref.hpp"

namespace amp::inline v0 {

template <class T>
class HostBuffer;

namespace kernels {

/// The key of a copy: equal keys mean equal orders.
using PackKey = std::array<std::int64_t, 29>;

/// The copies of the weights in one storage. Thread-safe.
class PackedCopies {
 public:
  using Copy = std::shared_ptr<const HostBuffer<std::byte>>;
  using Pack = FunctionRef<void(std::byte* memory)>;
  static constexpr int kMost = 4;  // orders of one weight

  /// Returns the copy of the weight at this version. pack(memory) makes it if there is none.
  Copy get(std::uint64_t version, const PackKey& key, std::int64_t bytes, Pack pack);

  /// Makes a copy that is not cached.
  static Copy make(std::int64_t bytes, Pack pack);

 private:
  struct Entry {
    PackKey key = {};
    Copy copy = {};
    bool used = false;
  };

  /// Returns the entry of the key, or a free entry for it.
  Entry& entry_of(const PackKey& key);

  std::array<Entry, kMost> entries_;
  std::uint64_t version_ = 0;
  int next_ = 0;
};

/// The cache for copies of a weight, and the weight's version. Null if no copy may be cached,
/// because amp may not see every write to the weight.
struct PackedAt {
  PackedCopies* copies = nullptr;
  std::uint64_t version = 0;
};

}  // namespace kernels
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/kernels/onednn/packed_copies.ipp"
#endif
