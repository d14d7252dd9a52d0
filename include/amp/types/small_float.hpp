// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One template for every low-precision floating-point format: a sign bit, ExponentBits of biased
// exponent, MantissaBits of fraction. The formats themselves are named in half.hpp, bfloat16.hpp
// and float8.hpp.
//
//   value = (-1)^sign * 2^(exponent - bias) * 1.mantissa      normal      0 < exponent
//   value = (-1)^sign * 2^(1 - bias)        * 0.mantissa      subnormal   exponent = 0
//   bias  = 2^(ExponentBits - 1) - 1
//
// Conversions from float and double round once, to nearest, ties to even (IEEE 754-2019, 4.3.1).
// Values are storage: arithmetic goes through float. Bodies use integer operations and literals
// only, so that they mean the same on the device, in constant expressions and under -ffast-math.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>  // std::hash, without all of <functional>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/types/rounding.hpp"

namespace amp::inline v0 {

/// What the largest exponent encodes.
enum class NonFinite {
  kIeee,     ///< infinities and NaNs, as in IEEE 754
  kNanOnly,  ///< finite values; only the all-ones code is NaN, also on overflow
};

namespace detail {

template <class Float>
struct ieee_layout;
template <>
struct ieee_layout<float> {
  using bits_type = std::uint32_t;
  static constexpr int mantissa_bits = 23, bias = 127;
};
template <>
struct ieee_layout<double> {
  using bits_type = std::uint64_t;
  static constexpr int mantissa_bits = 52, bias = 1023;
};

/// Converts to an integer by truncation toward zero. A value beyond the range of I becomes the
/// nearest end of the range, and NaN becomes 0; a plain cast of such a value is undefined.
template <std::integral I, std::floating_point Float>
AMP_HOST_DEVICE constexpr I to_integer(Float value) {
  using Limits = std::numeric_limits<I>;
  constexpr I kHalf = static_cast<I>(I{1} << (Limits::digits - 1));  // half of 2^digits
  constexpr I kMost = static_cast<I>(kHalf - 1 + kHalf);
  constexpr I kLeast = static_cast<I>(Limits::is_signed ? -kMost - 1 : 0);
  constexpr Float kLowest = static_cast<Float>(kLeast);  // a power of two, or 0
  constexpr Float kBeyond = 2 * static_cast<Float>(kHalf);
  using Tested = std::conditional_t<(sizeof(Float) > 8), double, Float>;
  using Bits = typename ieee_layout<Tested>::bits_type;
  constexpr Bits kInfinity =
      ((Bits{1} << (sizeof(Bits) * 8 - 1 - ieee_layout<Tested>::mantissa_bits)) - 1)
      << ieee_layout<Tested>::mantissa_bits;
  const Bits bits = __builtin_bit_cast(Bits, static_cast<Tested>(value));
  if ((bits & static_cast<Bits>(~Bits{0} >> 1)) > kInfinity) return 0;
  if (value <= kLowest) return kLeast;
  if (value >= kBeyond) return kMost;
  return static_cast<I>(value);
}

/// Returns a double that every small format rounds as it would round the number itself. If a double
/// cannot hold the number, this is the neighbour with an odd last bit, which is a tie of no shorter
/// format (rounding to odd; Boldo and Melquiond 2008, IEEE Trans. Computers 57(4)).
constexpr double round_to_odd(long double value) {
  const auto nearest = static_cast<double>(value);
  const auto bits = __builtin_bit_cast(std::uint64_t, nearest);
  const auto back = static_cast<long double>(nearest);
  if (back == value || (bits & 1) != 0 || value != value) return nearest;
  const bool grow = bits >> 63 != 0 ? value < back : value > back;  // away from zero
  return __builtin_bit_cast(double, grow ? bits + 1 : bits - 1);
}
template <std::integral I>
AMP_HOST_DEVICE constexpr double round_to_odd(I value) {
  if constexpr (sizeof(I) <= 4) {
    return static_cast<double>(value);
  } else {
    bool negative = false;
    if constexpr (std::signed_integral<I>) negative = value < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const std::uint64_t sticky = (magnitude >> 11) | ((magnitude & 0x7ff) != 0 ? 1u : 0u);
    const double rounded = (magnitude >> 53) == 0 ? static_cast<double>(magnitude)
                                                  : static_cast<double>(sticky) * 2048.0;
    return negative ? -rounded : rounded;
  }
}

}  // namespace detail

/// A floating-point number of 1 + ExponentBits + MantissaBits bits. Trivially copyable, no implicit
/// conversions.
template <int ExponentBits, int MantissaBits, NonFinite Special = NonFinite::kIeee>
class small_float {
 public:
  using bits_type =
      std::conditional_t<(1 + ExponentBits + MantissaBits > 8), std::uint16_t, std::uint8_t>;
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr NonFinite special = Special;

  small_float() = default;
  /// Rounds to nearest even.
  AMP_HOST_DEVICE explicit constexpr small_float(float value) : bits_(encode(value)) {}
  AMP_HOST_DEVICE explicit constexpr small_float(double value) : bits_(encode(value)) {}
  /// On the host only: devices have no type wider than double.
  explicit constexpr small_float(long double value) : bits_(encode(detail::round_to_odd(value))) {}
  template <std::integral I>
  AMP_HOST_DEVICE explicit constexpr small_float(I value)
      : bits_(encode(detail::round_to_odd(value))) {}
  template <int E, int M, NonFinite S>
    requires(E != ExponentBits || M != MantissaBits || S != Special)
  AMP_HOST_DEVICE explicit constexpr small_float(small_float<E, M, S> other)
      : small_float(static_cast<float>(other)) {}

  /// The number with this code.
  AMP_HOST_DEVICE static constexpr small_float from_bits(bits_type bits) {
    small_float result{};
    result.bits_ = bits;
    return result;
  }
  /// The code of the number.
  AMP_HOST_DEVICE constexpr bits_type bits() const { return bits_; }

  /// The conversion with a given rule of rounding and a given code for overflow. cast.hpp has names
  /// for the useful ones.
  template <class Float, class Rule>
  AMP_HOST_DEVICE static constexpr small_float rounded(Float value, Rule rule, bits_type overflow) {
    return from_bits(encode(value, rule, overflow));
  }

  /// Exact: float holds every value of the format.
  AMP_HOST_DEVICE explicit constexpr operator float() const { return decode<float>(bits_); }
  AMP_HOST_DEVICE explicit constexpr operator double() const { return decode<double>(bits_); }
  explicit constexpr operator long double() const { return decode<double>(bits_); }
  /// Truncates toward zero; out of range gives the nearest end of the range, NaN gives 0. To bool:
  /// whether not 0.
  template <std::integral I>
  AMP_HOST_DEVICE explicit constexpr operator I() const {
    if constexpr (std::is_same_v<I, bool>)
      return decode<float>(bits_) != 0;
    else
      return detail::to_integer<I>(decode<float>(bits_));
  }

  AMP_HOST_DEVICE friend constexpr small_float operator+(small_float a) { return a; }
  AMP_HOST_DEVICE friend constexpr small_float operator-(small_float a) {
    return from_bits(static_cast<bits_type>(a.bits_ ^ kSignBit));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator+(small_float a, small_float b) {
    return small_float(decode<float>(a.bits_) + decode<float>(b.bits_));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator-(small_float a, small_float b) {
    return small_float(decode<float>(a.bits_) - decode<float>(b.bits_));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator*(small_float a, small_float b) {
    return small_float(decode<float>(a.bits_) * decode<float>(b.bits_));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator/(small_float a, small_float b) {
    return small_float(decode<float>(a.bits_) / decode<float>(b.bits_));
  }
  AMP_HOST_DEVICE constexpr small_float& operator+=(small_float b) { return *this = *this + b; }
  AMP_HOST_DEVICE constexpr small_float& operator-=(small_float b) { return *this = *this - b; }
  AMP_HOST_DEVICE constexpr small_float& operator*=(small_float b) { return *this = *this * b; }
  AMP_HOST_DEVICE constexpr small_float& operator/=(small_float b) { return *this = *this / b; }

  AMP_HOST_DEVICE friend constexpr bool operator==(small_float a, small_float b) {
    return decode<float>(a.bits_) == decode<float>(b.bits_);
  }
  AMP_HOST_DEVICE friend constexpr bool operator!=(small_float a, small_float b) {
    return !(a == b);
  }
  AMP_HOST_DEVICE friend constexpr bool operator<(small_float a, small_float b) {
    return decode<float>(a.bits_) < decode<float>(b.bits_);
  }
  AMP_HOST_DEVICE friend constexpr bool operator>(small_float a, small_float b) { return b < a; }
  AMP_HOST_DEVICE friend constexpr bool operator<=(small_float a, small_float b) {
    return decode<float>(a.bits_) <= decode<float>(b.bits_);
  }
  AMP_HOST_DEVICE friend constexpr bool operator>=(small_float a, small_float b) { return b <= a; }

  static constexpr bits_type kSignBit = static_cast<bits_type>(1u << (ExponentBits + MantissaBits));
  static constexpr bits_type kMantissaMask = static_cast<bits_type>((1u << MantissaBits) - 1);
  /// The largest exponent with a zero fraction: infinity, if the format has one.
  static constexpr bits_type kTopExponent =
      static_cast<bits_type>(((1u << ExponentBits) - 1) << MantissaBits);
  static constexpr bits_type kMaxFinite = static_cast<bits_type>(
      Special == NonFinite::kIeee ? kTopExponent - 1 : (kTopExponent | kMantissaMask) - 1);
  static constexpr bits_type kQuietNan =
      static_cast<bits_type>(Special == NonFinite::kIeee ? kTopExponent | (1u << (MantissaBits - 1))
                                                         : kTopExponent | kMantissaMask);
  static constexpr bits_type kOverflow = Special == NonFinite::kIeee ? kTopExponent : kQuietNan;

 private:
  template <class Float, class Rule = detail::NearestEven>
  AMP_HOST_DEVICE static constexpr bits_type encode(Float value, Rule round = {},
                                                    bits_type overflow = kOverflow) {
    using Layout = detail::ieee_layout<Float>;
    using U = typename Layout::bits_type;
    constexpr int kWidth = static_cast<int>(sizeof(U) * 8);
    constexpr U kHiddenBit = U{1} << Layout::mantissa_bits;
    constexpr U kInfinity = ((U{1} << (kWidth - 1 - Layout::mantissa_bits)) - 1)
                            << Layout::mantissa_bits;
    constexpr int kShift = Layout::mantissa_bits - MantissaBits;  // fraction bits to round away
    constexpr U kRebias = static_cast<U>(Layout::bias - bias);

    const U bits = __builtin_bit_cast(U, value);
    const bits_type sign = (bits >> (kWidth - 1)) != 0 ? kSignBit : bits_type{0};
    const U magnitude = bits & ~(U{1} << (kWidth - 1));
    if (magnitude > kInfinity) {  // NaN: keep the sign and the leading payload bits, make it quiet
      const U payload = Special == NonFinite::kIeee ? (magnitude >> kShift) & kMantissaMask : U{0};
      return static_cast<bits_type>(sign | kQuietNan | payload);
    }
    U rounded = 0;
    if (kRebias == 0 || magnitude >= kHiddenBit * (kRebias + 1)) {
      // The result is normal, or both formats have the same exponents: round the packed code.
      rounded = round(static_cast<U>(magnitude - kHiddenBit * kRebias), kShift);
    } else {
      // The result is subnormal: shift the significand, with its leading one, by the missing
      // exponent as well. Float's own subnormals, which have no leading one, are shifted out
      // altogether.
      const int exponent = static_cast<int>(magnitude >> Layout::mantissa_bits);
      const U significand = (magnitude & (kHiddenBit - 1)) | kHiddenBit;
      rounded = round(significand, kShift + static_cast<int>(kRebias) + 1 - exponent);
    }
    return static_cast<bits_type>(sign | (rounded > kMaxFinite ? U{overflow} : rounded));
  }

  template <class Float>
  AMP_HOST_DEVICE static constexpr Float decode(bits_type bits) {
    using Layout = detail::ieee_layout<Float>;
    using U = typename Layout::bits_type;
    constexpr int kWidth = static_cast<int>(sizeof(U) * 8);
    constexpr int kShift = Layout::mantissa_bits - MantissaBits;
    constexpr int kRebias = Layout::bias - bias;

    const U sign = (bits & kSignBit) != 0 ? U{1} << (kWidth - 1) : U{0};
    const U magnitude = static_cast<U>(bits & static_cast<bits_type>(~kSignBit));
    const bool special_code =
        Special == NonFinite::kIeee ? magnitude >= kTopExponent : magnitude > kMaxFinite;
    if (kRebias != 0 && special_code) {  // NaNs become quiet, as in the hardware's conversions
      constexpr U kInfinity = ((U{1} << (kWidth - 1 - Layout::mantissa_bits)) - 1)
                              << Layout::mantissa_bits;
      const U payload = (magnitude & kMantissaMask) << kShift;
      const U quiet = payload != 0 ? U{1} << (Layout::mantissa_bits - 1) : U{0};
      return __builtin_bit_cast(Float, sign | kInfinity | quiet | payload);
    }
    if (kRebias != 0 && magnitude <= kMantissaMask) {
      // A subnormal: mantissa * 2^(1 - bias - MantissaBits), which is normal and exact as a Float.
      const auto unit = __builtin_bit_cast(
          Float, static_cast<U>(Layout::bias + 1 - bias - MantissaBits) << Layout::mantissa_bits);
      const Float value = static_cast<Float>(magnitude) * unit;
      return sign != 0 ? -value : value;
    }
    return __builtin_bit_cast(
        Float, sign | ((magnitude << kShift) + (static_cast<U>(kRebias) << Layout::mantissa_bits)));
  }

  bits_type bits_;
};

template <class T>
inline constexpr bool is_small_float = false;
template <int E, int M, NonFinite S>
inline constexpr bool is_small_float<small_float<E, M, S>> = true;

/// Returns whether the value is neither infinite nor NaN. Tests exponent bits, so -ffast-math
/// cannot fold it.
template <int E, int M, NonFinite S>
AMP_HOST_DEVICE constexpr bool is_finite(small_float<E, M, S> value) {
  using T = small_float<E, M, S>;
  return static_cast<typename T::bits_type>(
             value.bits() & static_cast<typename T::bits_type>(~T::kSignBit)) <= T::kMaxFinite;
}
AMP_HOST_DEVICE constexpr bool is_finite(float value) {
  return (__builtin_bit_cast(std::uint32_t, value) & 0x7f80'0000u) != 0x7f80'0000u;
}
AMP_HOST_DEVICE constexpr bool is_finite(double value) {
  return (__builtin_bit_cast(std::uint64_t, value) & 0x7ff0'0000'0000'0000u) !=
         0x7ff0'0000'0000'0000u;
}

/// Returns whether the value is NaN, by its bits. Integers never are.
AMP_HOST_DEVICE constexpr bool is_nan(float value) {
  return (__builtin_bit_cast(std::uint32_t, value) & 0x7fff'ffffu) > 0x7f80'0000u;
}
AMP_HOST_DEVICE constexpr bool is_nan(double value) {
  return (__builtin_bit_cast(std::uint64_t, value) & 0x7fff'ffff'ffff'ffffu) >
         0x7ff0'0000'0000'0000u;
}
template <int E, int M, NonFinite S>
AMP_HOST_DEVICE constexpr bool is_nan(small_float<E, M, S> value) {
  return is_nan(static_cast<float>(value));
}
template <std::integral I>
AMP_HOST_DEVICE constexpr bool is_nan(I) {
  return false;
}

}  // namespace amp::inline v0

/// Equal values hash equally: both zeros have one hash.
template <int E, int M, amp::NonFinite S>
struct std::hash<amp::small_float<E, M, S>> {
  std::size_t operator()(amp::small_float<E, M, S> value) const noexcept {
    return std::hash<float>{}(static_cast<float>(value));
  }
};
