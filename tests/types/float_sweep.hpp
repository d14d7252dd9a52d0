// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checks a format on very many floats: the cast against an integer reference, and each instruction
// set of bulk conversion against the cast.
#pragma once

#include <amp/types.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "support/instruction_sets.hpp"
#include "types/reference.hpp"

namespace reference {

/// Rounding on the bits of floats, which order as their magnitudes do. The midpoints of a format
/// are floats, so the code of a magnitude is the number of midpoints below it. A table by the upper
/// 19 bits of 31, built by search, leaves at most one comparison: no two midpoints share them.
template <class T>
class FloatRounding {
 public:
  FloatRounding() : below_((1u << 19) + 1), midpoint_(1u << 19, kNone) {
    unsigned code = 0;
    for (std::uint32_t upper = 0; upper < 1u << 19; ++upper) {
      below_[upper] = static_cast<std::uint16_t>(code);
      if (code > kFormat<T>.max_finite()) continue;
      const auto middle =
          std::bit_cast<std::uint32_t>(static_cast<float>(kFormat<T>.midpoint(code)));
      if (middle >> 12 != upper) continue;
      midpoint_[upper] = middle;
      ++code;
    }
    complete_ = code == kFormat<T>.max_finite() + 1;
  }

  /// Whether the table took in every midpoint.
  bool complete() const { return complete_; }

  /// The code of the float with these bits; `beyond` if the number is a little larger than that, by
  /// less than the next float.
  unsigned operator()(std::uint32_t bits, bool beyond = false) const {
    constexpr Format format = kFormat<T>;
    const std::uint32_t magnitude = bits & 0x7fff'ffffu;
    const unsigned sign = bits >> 31 != 0 ? format.sign_bit() : 0u;
    if (magnitude > 0x7f80'0000u) {
      const unsigned payload = (magnitude & 0x007f'ffffu) >> (23 - format.mantissa_bits);
      const unsigned quiet = 1u << (format.mantissa_bits - 1);
      return sign | format.overflow() | (format.infinities ? payload | quiet : 0u);
    }
    unsigned code = below_[magnitude >> 12];
    const std::uint32_t middle = midpoint_[magnitude >> 12];
    if (middle < magnitude || (beyond && middle == magnitude))
      ++code;
    else if (middle == magnitude)
      code += code % 2;
    return sign | code;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffffu;
  std::vector<std::uint16_t> below_;     // how many midpoints have smaller upper bits
  std::vector<std::uint32_t> midpoint_;  // the one with these
  bool complete_ = false;
};

/// Feeds floats in blocks and counts what is wrong.
template <class T>
class FloatSweep {
 public:
  static constexpr std::size_t kBlock = 1 << 12;

  /// Checks the floats with these bits, kBlock at most.
  void check(std::span<const std::uint32_t> bits) {
    const std::size_t n = bits.size();
    std::memcpy(values_.data(), bits.data(), n * sizeof(float));
    for (std::size_t i = 0; i < n; ++i) {
      codes_[i] = T(values_[i]);
      if (codes_[i].bits() != rounding_(bits[i])) fail(bits[i]);
    }
    for (const auto set : sets_) {
      amp::detail::convert_n(set, values_.data(), bulk_.data(), n);
      if (std::memcmp(bulk_.data(), codes_.data(), n * sizeof(T)) == 0) continue;
      for (std::size_t i = 0; i < n; ++i) {
        if (bulk_[i].bits() != codes_[i].bits()) fail(bits[i]);
      }
    }
  }

  const FloatRounding<T>& rounding() const { return rounding_; }
  std::int64_t wrong() const { return wrong_; }
  std::uint32_t first() const { return first_; }

 private:
  void fail(std::uint32_t bits) {
    if (wrong_++ == 0) first_ = bits;
  }

  FloatRounding<T> rounding_;
  std::vector<amp::detail::InstructionSet> sets_ = instruction_sets();
  std::vector<float> values_ = std::vector<float>(kBlock);
  std::vector<T> codes_ = std::vector<T>(kBlock), bulk_ = std::vector<T>(kBlock);
  std::int64_t wrong_ = 0;
  std::uint32_t first_ = 0;
};

}  // namespace reference
