// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the hashes of tensors.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/device.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"

namespace amp::inline v0::kernels {

inline constexpr std::int64_t kHashedBytes = 4;  // of a word

/// The bytes of a dense tensor, at any address that its dtype allows.
struct HashSpan {
  const void* data;
  std::int64_t bytes;

  /// The number of words. The last one may be incomplete.
  AMP_HOST_DEVICE std::int64_t words() const {
    return bytes / kHashedBytes + (bytes % kHashedBytes > 0 ? 1 : 0);
  }
  friend bool operator==(const HashSpan&, const HashSpan&) = default;
};

/// hashes[i] = the sum over the words w_k of tensor i of hash_of_word(w_k, k), modulo 2^64
/// (formula.hpp); 0 if there are none. The order of a sum does not matter, so a hash has the same
/// bits on every device. Two tensors that differ in one word never have the same hash; other
/// different tensors have the same hash with a probability of about 2^-64. The last word is padded
/// with 0 to 4 bytes, so only the number of words is part of the hash. `hashes` is on the device of
/// the tensors.
struct HashArgs {
  Device device;
  const HashSpan* tensors;
  std::int64_t count;
  std::uint64_t* hashes;
  DescriptorTable* table = nullptr;
};

}  // namespace amp::inline v0::kernels
