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

#include "amp/core/error.hpp"
#include "amp/core/function_ref.hpp"

namespace amp::inline v0 {

template <class T>
class HostBuffer;

namespace kernels {

/// What a copy was made for: equal keys mean equal orders.
using PackKey = std::array<std::int64_t, 20>;

/// The copies of the weights in one storage. Safe from several threads.
class PackedCopies {
 public:
  using Copy = std::shared_ptr<const HostBuffer<std::byte>>;
  using Pack = FunctionRef<void(std::byte* memory)>;
  static constexpr int kMost = 4;  // orders of one weight

  /// The copy of the weight at this version, made by pack(memory) unless there is one.
  Copy get(std::uint64_t version, const PackKey& key, std::int64_t bytes, Pack pack);

  /// A copy that nothing keeps.
  static Copy make(std::int64_t bytes, Pack pack);

 private:
  struct Entry {
    PackKey key = {};
    Copy copy = {};
    bool used = false;
  };

  /// That of the key, or the place for it.
  Entry& entry_of(const PackKey& key);

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

}  // namespace kernels
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/kernels/onednn/packed_copies.ipp"
#endif
