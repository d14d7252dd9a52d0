// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/host/relu_mask.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

// Spelled out, since some compilers allow no template parameter in the attribute.
template <class U>
struct EightOf;
// clang-format off
template <> struct EightOf<std::uint8_t> { using vector [[gnu::vector_size(8)]] = std::uint8_t; };
template <> struct EightOf<std::uint16_t> { using vector [[gnu::vector_size(16)]] = std::uint16_t; };
template <> struct EightOf<std::uint32_t> { using vector [[gnu::vector_size(32)]] = std::uint32_t; };
template <> struct EightOf<std::uint64_t> { using vector [[gnu::vector_size(64)]] = std::uint64_t; };
// clang-format on

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

template <class U>
void pass_block(const U* gradient, const std::uint8_t* mask, std::int64_t n, U* output) {
  using V = typename EightOf<U>::vector;
  constexpr V kBits = {1, 2, 4, 8, 16, 32, 64, 128};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    V values;
    std::memcpy(&values, gradient + i, sizeof values);
    values &= reinterpret_cast<V>((kBits & U{mask[i / 8]}) != 0);
    std::memcpy(output + i, &values, sizeof values);
  }
  for (; i < n; ++i) output[i] = (mask[i / 8] >> i % 8 & 1) != 0 ? gradient[i] : U{0};
}

struct EightCodes {
  using Signed [[gnu::vector_size(16)]] = std::int16_t;
};

}  // namespace detail

AMP_LAZY_DEFINITION void relu_of_codes(std::uint16_t* y, std::int64_t n, std::int16_t infinity) {
  using V = detail::EightCodes::Signed;
  const auto apply = [infinity](V& v) {
    const V is_nan = V((v & std::int16_t{0x7fff}) > infinity);
    v &= ~(v >> 15) | is_nan;
  };
  V v;
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    std::memcpy(&v, y + i, sizeof v);
    apply(v);
    std::memcpy(y + i, &v, sizeof v);
  }
  if (i == n) return;
  v = V{};
  std::memcpy(&v, y + i, static_cast<std::size_t>(n - i) * 2);
  apply(v);
  std::memcpy(y + i, &v, static_cast<std::size_t>(n - i) * 2);
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
  visit_bits(output.dtype, [&](auto tag) {
    using U = typename decltype(tag)::type;
    detail::for_each_block(output.numel(), [&](std::int64_t begin, std::int64_t n) {
      detail::mask_block(output.as<const U>() + begin, n, mask + begin / 8);
    });
  });
}

AMP_LAZY_DEFINITION void pass_relu_mask(const Operand& gradient, const std::uint8_t* mask,
                                        const Operand& output) {
  visit_bits(output.dtype, [&](auto tag) {
    using U = typename decltype(tag)::type;
    detail::for_each_block(output.numel(), [&](std::int64_t begin, std::int64_t n) {
      detail::pass_block(gradient.as<const U>() + begin, mask + begin / 8, n,
                         output.as<U>() + begin);
    });
  });
}

}  // namespace amp::inline v0::kernels::host
