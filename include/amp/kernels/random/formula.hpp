// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of random bits, on every device: the four numbers of a block, and dropout of four
// elements.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels {

/// Returns a number > 0 of the exponential distribution with mean 1. The logarithm is that of one
/// of 2^23 numbers evenly between 0 and 1, so that it is never 0.
AMP_HOST_DEVICE inline float exponential_float(std::uint32_t word) {
  return -functions::log(static_cast<float>(word >> 9 << 1 | 1) * 0x1p-24F);
}

/// Draws the numbers of one block. Normal ones come in pairs from the Box-Muller transform.
struct Draw {
  Distribution distribution;
  int shift = 8;  // leaves as many bits as the format has digits, so that none rounds up to 1
  float unit = 0x1p-24F;
  float mean, deviation;

  explicit Draw(const RandomArgs& args)
      : distribution(args.distribution),
        mean(static_cast<float>(args.mean)),
        deviation(static_cast<float>(args.deviation)) {
    visit_dtype(args.output.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (is_small_float<T>) {
        shift = 32 - std::numeric_limits<T>::digits;
        unit = 1.0F / static_cast<float>(1 << std::numeric_limits<T>::digits);
      }
    });
  }
  AMP_ALWAYS_INLINE AMP_HOST_DEVICE void operator()(const PhiloxBlock& bits, float* values) const {
    if (distribution == Distribution::kUniform) {
      for (int l = 0; l < 4; ++l)
        values[l] = static_cast<float>(static_cast<std::int32_t>(bits.word[l] >> shift)) * unit;
      return;
    }
    if (distribution == Distribution::kExponential) {
      for (int l = 0; l < 4; ++l) values[l] = mean * exponential_float(bits.word[l]);
      return;
    }
    for (int l = 0; l < 4; ++l) values[l] = uniform_float(bits.word[l]);
    for (int l = 0; l < 4; l += 2) {
      const float radius = functions::sqrt(-2.0F * functions::log(1.0F - values[l]));
      const float angle = 6.283185307179586F * values[l + 1];
      values[l] = radius * functions::cos(angle) * deviation + mean;
      values[l + 1] = radius * functions::sin(angle) * deviation + mean;
    }
  }
};

/// Returns 64 random bits: words 2 i and 2 i + 1 of a range.
AMP_HOST_DEVICE inline std::uint64_t random_bits(const PhiloxBlock& block, std::uint64_t i) {
  const std::uint32_t* const word = block.word + i % 2 * 2;
  return std::uint64_t{word[1]} << 32 | word[0];
}
AMP_HOST_DEVICE inline std::uint64_t random_bits(const RandomRange& range, std::uint64_t i) {
  return random_bits(range.block(i / 2), i);
}
/// Returns floor(a b / 2^64).
AMP_HOST_DEVICE inline std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffff'ffff, a1 = a >> 32, b0 = b & 0xffff'ffff, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + (((middle & 0xffff'ffff) + a0 * b1) >> 32);
}
/// Returns an integer of [low, low + span).
AMP_HOST_DEVICE inline std::int64_t random_integer(std::uint64_t bits, std::int64_t low,
                                                   std::uint64_t span) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + upper_product(bits, span));
}

/// Returns the number by which index i is sorted: random bits, and i in the lowest ones.
AMP_HOST_DEVICE inline std::uint64_t sort_key(std::uint64_t bits, std::int64_t i) {
  constexpr std::uint64_t kIndex = kMostSorted - 1;
  return (bits & ~kIndex) | static_cast<std::uint64_t>(i);
}
/// A permutation of more numbers is that of a cipher, which takes no memory and no order: a Feistel
/// network over the bits of an index, again and again until the result is below n (Black and
/// Rogaway 2002, "Ciphers with Arbitrary Finite Domains", section 4).
struct Permutation {
  static constexpr int kRounds = 8;  // as many keys are two blocks
  std::uint64_t n;
  int lower;  // bits of the lower half
  std::uint32_t upper_mask, lower_mask, keys[kRounds];

  AMP_HOST_DEVICE Permutation(std::int64_t count, const RandomRange& range)
      : n(static_cast<std::uint64_t>(count)) {
    int bits = 2;
    while (bits < 63 && (n - 1) >> bits != 0) ++bits;
    lower = bits / 2;
    lower_mask = mask(lower);
    upper_mask = mask(bits - lower);
    for (int b = 0; b < kRounds / 4; ++b) {
      const PhiloxBlock block = range.block(static_cast<std::uint64_t>(b));
      for (int l = 0; l < 4; ++l) keys[4 * b + l] = block.word[l];
    }
  }
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const {
    auto x = static_cast<std::uint64_t>(i);
    do {
      x = encrypt(x);
    } while (x >= n);
    return static_cast<std::int64_t>(x);
  }

 private:
  AMP_HOST_DEVICE static std::uint32_t mask(int bits) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  }
  /// Every bit of the result depends on all of x and of the key.
  AMP_HOST_DEVICE static std::uint32_t mixed(std::uint32_t x, std::uint32_t key) {
    x = (x ^ key) * kPhiloxFactor0;
    x = (x ^ x >> 15) * kPhiloxFactor1;
    return x ^ x >> 16;
  }
  AMP_HOST_DEVICE std::uint64_t encrypt(std::uint64_t x) const {
    auto a = static_cast<std::uint32_t>(x) & lower_mask;
    auto b = static_cast<std::uint32_t>(x >> lower);
    for (int round = 0; round < kRounds; round += 2) {
      b ^= mixed(a, keys[round]) & upper_mask;
      a ^= mixed(b, keys[round + 1]) & lower_mask;
    }
    return std::uint64_t{b} << lower | a;
  }
};

/// Without replacement, the categories of a row are those that arrive first if each takes a time of
/// the exponential distribution, divided by its weight (Efraimidis and Spirakis 2006, "Weighted
/// Random Sampling with a Reservoir", algorithm A). A weight of 0 never arrives.
AMP_HOST_DEVICE inline double arrival(std::uint32_t word, double weight) {
  const double time = exponential_float(word);
  return weight > 0 ? time / weight : __builtin_huge_val();
}
/// With replacement, sample s of a row is the first category up to which the weights add up to more
/// than a random part of their sum. The sums are taken in parts of this many weights, and then of
/// the parts, which gives the same bits on every device.
inline constexpr std::int64_t kWeightsTogether = 256;
/// Returns that category, by the sums up to each.
AMP_HOST_DEVICE inline std::int64_t category(const double* sums, std::int64_t n,
                                             std::uint64_t bits) {
  const double part = static_cast<double>(bits >> 11) * 0x1p-53 * sums[n - 1];
  std::int64_t first = 0, last = n - 1;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    // Rounded up, the part may be all of the sum.
    const bool behind = sums[middle] <= part && sums[middle] < sums[n - 1];
    first = behind ? middle + 1 : first;
    last = behind ? last : middle;
  }
  return first;
}
/// Returns whether a number is no weight.
AMP_HOST_DEVICE inline bool is_no_weight(double weight) {
  return !(weight >= 0 && weight - weight == 0);
}

/// Returns the result of dropout.
template <class C>
struct Dropout {
  std::uint32_t limit;
  C scale;
  bool adds;

  explicit Dropout(const DropoutArgs& args)
      : limit(dropped_below(args.p)),
        scale(args.p < 1 ? static_cast<C>(1 / (1 - args.p)) : C{0}),
        adds(args.residual.present) {}
  /// Of numbers, or of vectors of them. (nvcc takes no variable of V here.)
  AMP_EITHER_SIDE
  template <class Word, class V>
  AMP_ALWAYS_INLINE AMP_HOST_DEVICE V operator()(const Word& word, const V& x,
                                                 const V& residual) const {
    using functions::select;
    return adds ? residual + select(is_dropped(word, limit), V(C{0}), x * scale)
                : select(is_dropped(word, limit), V(C{0}), x * scale);
  }
};

}  // namespace amp::inline v0::kernels
