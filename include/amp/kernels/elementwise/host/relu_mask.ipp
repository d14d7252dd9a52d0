// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/host/relu_mask.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The bits of n <= kBlock elements of a floating-point format.
template <class U>
void mask_block(const U* y, std::int64_t n, std::uint8_t* mask) {
  std::uint8_t passes[kBlock];
  for (std::int64_t i = 0; i < n; ++i) passes[i] = static_cast<U>(y[i] + y[i]) != 0;  // no sign
  for (std::int64_t i = n; i % 8 != 0; ++i) passes[i] = 0;
  for (std::int64_t i = 0; i < n; i += 8) {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, passes + i, sizeof eight);
      // Byte j moves to bit 56 + j; no two sums collide.
      mask[i / 8] = static_cast<std::uint8_t>(eight * 0x0102040810204080U >> 56);
    } else {
      unsigned bits = 0;
      for (int j = 0; j < 8; ++j) bits |= static_cast<unsigned>(passes[i + j]) << j;
      mask[i / 8] = static_cast<std::uint8_t>(bits);
    }
  }
}

/// Elements from i on: those of the gradient whose bits are set, and 0 for the others.
template <class U>
AMP_ALWAYS_INLINE void pass_masked(const U* gradient, const std::uint8_t* mask, std::int64_t i,
                                   std::int64_t n, U* output) {
  AMP_NO_UNROLL
  for (; i < n; ++i) output[i] = (mask[i / 8] >> i % 8 & 1) != 0 ? gradient[i] : U{0};
}
/// The same in vectors, for elements of two and four bytes. The others, float64 and float8, are
/// rare here, and would have six more kernels.
struct PassMasked {
  template <class Isa, class U>
  AMP_ALWAYS_INLINE static void run(const U* gradient, const std::uint8_t* mask, std::int64_t n,
                                    U* output) {
    static constexpr std::uint32_t kBits[] = {1,   2,   4,    8,    16,   32,   64,    128,
                                              256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    const auto bits = simd::load<Isa>(kBits);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      unsigned passes = static_cast<unsigned>(mask[i / 8]) >> i % 8;
      if constexpr (kLanes == 16) passes |= static_cast<unsigned>(mask[i / 8 + 1]) << 8;
      auto passing = bits;  // the number is an operand: g++ makes initialisers lane by lane
      passing.low &= passes;
      passing = simd::as<std::uint32_t>(passing != 0);
      const auto x = simd::load<Isa>(gradient + i);
      if constexpr (sizeof(U) == 4)
        simd::store(x & passing, output + i);
      else
        simd::store(simd::narrow<U>(simd::widen<std::uint32_t>(x) & passing), output + i);
    }
    pass_masked(gradient, mask, i, n, output);
  }
};

struct ReluOfCodes {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(std::uint16_t* y, std::int64_t n, std::int16_t infinity) {
    std::int64_t i = 0;
    for (; i + simd::kLanes<Isa> <= n; i += simd::kLanes<Isa>)
      simd::store(apply(simd::load<Isa>(y + i), infinity), y + i);
    simd::store_first(apply(simd::load_first<Isa>(y + i, n - i), infinity), y + i, n - i);
  }

 private:
  template <class Isa>
  AMP_ALWAYS_INLINE static simd::Vec<std::uint16_t, Isa> apply(
      const simd::Vec<std::uint16_t, Isa>& codes, std::int16_t infinity) {
    const auto v = simd::as<std::int16_t>(codes);
    const auto is_nan = (v & std::int16_t{0x7fff}) > infinity;
    return simd::as<std::uint16_t>(v & (~(v >> std::int16_t{15}) | is_nan));
  }
};

}  // namespace detail

AMP_LAZY_DEFINITION void relu_of_codes(std::uint16_t* y, std::int64_t n, std::int16_t infinity) {
  simd::on_widest<detail::ReluOfCodes>(y, n, infinity);
}

namespace detail {

/// Calls body(begin, n) for blocks of [0, n) on all threads.
template <class Body>
void for_each_block(std::int64_t n, const Body& body) {
  parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
      body(block * kBlock, (std::min)(kBlock, n - block * kBlock));
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void relu_mask(const Operand& output, std::uint8_t* mask) {
  detail::for_each_block(output.numel(), [&](std::int64_t begin, std::int64_t n) {
    visit_bits(output.dtype, [&](auto tag) {
      using U = typename decltype(tag)::type;
      detail::mask_block(output.as<const U>() + begin, n, mask + begin / 8);
    });
  });
}

AMP_LAZY_DEFINITION void pass_relu_mask(const Operand& gradient, const std::uint8_t* mask,
                                        const Operand& output) {
  detail::for_each_block(output.numel(), [&](std::int64_t begin, std::int64_t n) {
    visit_bits(output.dtype, [&](auto tag) {
      using U = typename decltype(tag)::type;
      const U* const from = gradient.as<const U>() + begin;
      U* const to = output.as<U>() + begin;
      if constexpr (sizeof(U) == 2 || sizeof(U) == 4)
        simd::on_widest<detail::PassMasked>(from, mask + begin / 8, n, to);
      else
        detail::pass_masked(from, mask + begin / 8, 0, n, to);
    });
  });
}

}  // namespace amp::inline v0::kernels::host
