// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The number formats by definition, in double and by search: shares nothing with the library's bit
// arithmetic. Every finite value of a format, and the midpoint of every two neighbours, is exact in
// double.
#pragma once

#include <amp/types.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace reference {

struct Format {
  int exponent_bits, mantissa_bits;
  bool infinities;

  unsigned codes() const { return 2 * sign_bit(); }
  unsigned sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
  /// The code of infinity; in formats without, the one code of NaN.
  unsigned overflow() const {
    const unsigned top = ((1u << exponent_bits) - 1) << mantissa_bits;
    return infinities ? top : sign_bit() - 1;
  }
  unsigned max_finite() const { return overflow() - 1; }

  double decode(unsigned code) const {
    const double sign = (code & sign_bit()) != 0 ? -1 : 1;
    const unsigned magnitude = code & (sign_bit() - 1);
    if (magnitude > max_finite()) {
      return infinities && magnitude == overflow() ? sign * std::numeric_limits<double>::infinity()
                                                   : std::numeric_limits<double>::quiet_NaN();
    }
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned fraction = magnitude & ((1u << mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const unsigned significand = exponent == 0 ? fraction : fraction + (1u << mantissa_bits);
    return sign * std::ldexp(significand, std::max(exponent, 1) - bias - mantissa_bits);
  }

  /// Half way between the finite code and the next; behind the largest, the next is what would
  /// follow it.
  double midpoint(unsigned code) const {
    const double low = decode(code);
    if (code < max_finite()) return (low + decode(code + 1)) / 2;
    return low + (low - decode(code - 1)) / 2;
  }
};

template <class T>
inline constexpr Format kFormat{};
template <>
inline constexpr Format kFormat<amp::half>{5, 10, true};
template <>
inline constexpr Format kFormat<amp::bfloat16>{8, 7, true};
template <>
inline constexpr Format kFormat<amp::float8_e4m3fn>{4, 3, false};
template <>
inline constexpr Format kFormat<amp::float8_e5m2>{5, 2, true};

/// Rounds to nearest, ties to the even code: the code of a magnitude is the number of midpoints
/// below it.
template <class T>
class Rounding {
 public:
  Rounding() {
    for (unsigned code = 0; code <= format_.max_finite(); ++code)
      midpoints_.push_back(format_.midpoint(code));
  }

  /// Of any number but NaN: float, double, or long double for 64-bit integers.
  template <class Real>
  unsigned operator()(Real value) const {
    const Real magnitude = std::abs(value);
    const auto at = std::lower_bound(midpoints_.begin(), midpoints_.end(), magnitude);
    auto code = static_cast<unsigned>(at - midpoints_.begin());
    if (at != midpoints_.end() && static_cast<Real>(*at) == magnitude) code += code % 2;
    return code | (std::signbit(value) ? format_.sign_bit() : 0u);
  }

 private:
  Format format_ = kFormat<T>;
  std::vector<double> midpoints_;
};

}  // namespace reference
