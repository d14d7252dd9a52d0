// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// std::numeric_limits of every format, each constant derived from the format's parameters.
#pragma once

#include <limits>

#include "amp/types/small_float.hpp"

template <int E, int M, amp::NonFinite S>
class std::numeric_limits<amp::small_float<E, M, S>> {
  using T = amp::small_float<E, M, S>;
  using bits_type = typename T::bits_type;
  static constexpr bool kIeee = S == amp::NonFinite::kIeee;
  AMP_HOST_DEVICE static constexpr T code(unsigned bits) {
    return T::from_bits(static_cast<bits_type>(bits));
  }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = kIeee;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = kIeee && M > 1;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = kIeee;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int radix = 2;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  /// The implicit leading bit and the fraction bits.
  static constexpr int digits = M + 1;
  /// floor((digits - 1) * log10(2)): the decimal digits that survive text -> value -> text.
  static constexpr int digits10 = static_cast<int>((digits - 1) * 0.301029995663981195);
  /// ceil(1 + digits * log10(2)): the decimal digits that identify a value.
  static constexpr int max_digits10 = static_cast<int>(2 + digits * 0.301029995663981195);
  /// The smallest normal is 2^(1 - bias) = 2^(min_exponent - 1).
  static constexpr int min_exponent = 2 - T::bias;
  /// The top exponent code holds no finite values in IEEE formats, so the largest is below 2^(bias
  /// + 1); else below 2^(bias + 2).
  static constexpr int max_exponent = kIeee ? T::bias + 1 : T::bias + 2;
  /// The powers of ten that lie within [min(), max()].
  static constexpr int min_exponent10 = [] {
    int exponent = 0;
    for (double power = 1; power / 10 >= static_cast<double>(code(1u << M)); power /= 10)
      --exponent;
    return exponent;
  }();
  static constexpr int max_exponent10 = [] {
    int exponent = 0;
    for (double power = 1; power * 10 <= static_cast<double>(code(T::kMaxFinite)); power *= 10)
      ++exponent;
    return exponent;
  }();

  AMP_HOST_DEVICE static constexpr T(min)() noexcept { return code(1u << M); }
  AMP_HOST_DEVICE static constexpr T lowest() noexcept { return code(T::kSignBit | T::kMaxFinite); }
  AMP_HOST_DEVICE static constexpr T(max)() noexcept { return code(T::kMaxFinite); }
  /// The gap above 1: 2^-M.
  AMP_HOST_DEVICE static constexpr T epsilon() noexcept { return T(1.0 / (1 << M)); }
  AMP_HOST_DEVICE static constexpr T round_error() noexcept { return T(0.5); }
  AMP_HOST_DEVICE static constexpr T infinity() noexcept {
    return code(kIeee ? T::kTopExponent : T::kMaxFinite);
  }
  AMP_HOST_DEVICE static constexpr T quiet_NaN() noexcept { return code(T::kQuietNan); }
  AMP_HOST_DEVICE static constexpr T signaling_NaN() noexcept {
    return code(has_signaling_NaN ? T::kTopExponent | 1u : T::kQuietNan);
  }
  AMP_HOST_DEVICE static constexpr T denorm_min() noexcept { return code(1u); }
};
