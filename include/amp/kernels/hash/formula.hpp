// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The hash of one word of a tensor, on every device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/hash/args.hpp"

namespace amp::inline v0::kernels {

/// fmix64 of MurmurHash3, which Austin Appleby placed in the public domain
/// (github.com/aappleby/smhasher): each bit of x changes each bit of the result in half of all
/// cases, and different x have different results.
AMP_HOST_DEVICE AMP_ALWAYS_INLINE constexpr std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51'afd7'ed55'8ccd;
  x ^= x >> 33;
  x *= 0xc4ce'b9fe'1a85'ec53;
  return x ^ x >> 33;
}

/// Mixes w + (k + 1) g; g is 2^64 divided by the golden ratio, as in SplitMix64. The same
/// word at another position, or another word at the same position, gives another number. The factor
/// is k + 1, so that a word 0 at the beginning counts, too.
AMP_HOST_DEVICE AMP_ALWAYS_INLINE constexpr std::uint64_t hash_of_word(std::uint32_t word,
                                                                       std::int64_t k) {
  return mixed((static_cast<std::uint64_t>(k) + 1) * 0x9e37'79b9'7f4a'7c15 + word);
}

/// Returns the last, incomplete word of a tensor. The first byte is the lowest, as in all words.
AMP_HOST_DEVICE inline std::uint32_t last_word(const HashSpan& tensor) {
  const auto* const byte = static_cast<const unsigned char*>(tensor.data);
  std::uint32_t word = 0;
  for (std::int64_t b = tensor.bytes / kHashedBytes * kHashedBytes; b < tensor.bytes; ++b)
    word |= static_cast<std::uint32_t>(byte[b]) << (b % kHashedBytes * 8);
  return word;
}

}  // namespace amp::inline v0::kernels
