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
#include <functional>
#include <iosfwd>
#include <type_traits>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// What the largest exponent encodes.
enum class NonFinite {
  kIeee,     ///< infinities and NaNs, as in IEEE 754
  kNanOnly,  ///< finite values, but for the all-ones code, which is NaN: overflow becomes NaN
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

/// x / 2^shift rounded to nearest, ties to even, for 0 < shift < width: adding half of the unit
/// less one, plus the bit that will be last, carries exactly when the discarded part is above one
/// half, or is one half below an odd last bit.
template <class U>
AMP_HOST_DEVICE constexpr U shift_right_nearest_even(U x, int shift) {
  return static_cast<U>((x + ((U{1} << (shift - 1)) - 1) + ((x >> shift) & 1)) >> shift);
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
  AMP_HOST_DEVICE explicit constexpr small_float(float value) : bits_(encode(value)) {}
  AMP_HOST_DEVICE explicit constexpr small_float(double value) : bits_(encode(value)) {}
  /// Integers round once too: beyond 2^53 the bits that a double drops are kept as one sticky bit.
  template <std::integral I>
  AMP_HOST_DEVICE explicit constexpr small_float(I value) : bits_(encode(exact_double(value))) {}
  template <int E, int M, NonFinite S>
    requires(E != ExponentBits || M != MantissaBits || S != Special)
  AMP_HOST_DEVICE explicit constexpr small_float(small_float<E, M, S> other)
      : small_float(static_cast<float>(other)) {}

  AMP_HOST_DEVICE static constexpr small_float from_bits(bits_type bits) {
    small_float result{};
    result.bits_ = bits;
    return result;
  }
  AMP_HOST_DEVICE constexpr bits_type bits() const { return bits_; }

  /// Exact: every value of the format is a float.
  AMP_HOST_DEVICE explicit constexpr operator float() const { return decode(bits_); }
  AMP_HOST_DEVICE explicit constexpr operator double() const {
    return static_cast<double>(decode(bits_));
  }
  template <std::integral I>
  AMP_HOST_DEVICE explicit constexpr operator I() const {
    return static_cast<I>(decode(bits_));
  }

  AMP_HOST_DEVICE friend constexpr small_float operator+(small_float a) { return a; }
  AMP_HOST_DEVICE friend constexpr small_float operator-(small_float a) {
    return from_bits(static_cast<bits_type>(a.bits_ ^ kSignBit));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator+(small_float a, small_float b) {
    return small_float(decode(a.bits_) + decode(b.bits_));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator-(small_float a, small_float b) {
    return small_float(decode(a.bits_) - decode(b.bits_));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator*(small_float a, small_float b) {
    return small_float(decode(a.bits_) * decode(b.bits_));
  }
  AMP_HOST_DEVICE friend constexpr small_float operator/(small_float a, small_float b) {
    return small_float(decode(a.bits_) / decode(b.bits_));
  }
  AMP_HOST_DEVICE constexpr small_float& operator+=(small_float b) { return *this = *this + b; }
  AMP_HOST_DEVICE constexpr small_float& operator-=(small_float b) { return *this = *this - b; }
  AMP_HOST_DEVICE constexpr small_float& operator*=(small_float b) { return *this = *this * b; }
  AMP_HOST_DEVICE constexpr small_float& operator/=(small_float b) { return *this = *this / b; }

  AMP_HOST_DEVICE friend constexpr bool operator==(small_float a, small_float b) {
    return decode(a.bits_) == decode(b.bits_);
  }
  AMP_HOST_DEVICE friend constexpr bool operator!=(small_float a, small_float b) {
    return !(a == b);
  }
  AMP_HOST_DEVICE friend constexpr bool operator<(small_float a, small_float b) {
    return decode(a.bits_) < decode(b.bits_);
  }
  AMP_HOST_DEVICE friend constexpr bool operator>(small_float a, small_float b) { return b < a; }
  AMP_HOST_DEVICE friend constexpr bool operator<=(small_float a, small_float b) {
    return decode(a.bits_) <= decode(b.bits_);
  }
  AMP_HOST_DEVICE friend constexpr bool operator>=(small_float a, small_float b) { return b <= a; }

  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                                      small_float value) {
    return stream << decode(value.bits_);
  }

  static constexpr bits_type kSignBit = static_cast<bits_type>(1u << (ExponentBits + MantissaBits));
  static constexpr bits_type kMantissaMask = static_cast<bits_type>((1u << MantissaBits) - 1);
  /// The largest exponent with a zero fraction: infinity where the format has one.
  static constexpr bits_type kTopExponent =
      static_cast<bits_type>(((1u << ExponentBits) - 1) << MantissaBits);
  static constexpr bits_type kMaxFinite = static_cast<bits_type>(
      Special == NonFinite::kIeee ? kTopExponent - 1 : (kTopExponent | kMantissaMask) - 1);
  static constexpr bits_type kQuietNan =
      static_cast<bits_type>(Special == NonFinite::kIeee ? kTopExponent | (1u << (MantissaBits - 1))
                                                         : kTopExponent | kMantissaMask);
  static constexpr bits_type kOverflow = Special == NonFinite::kIeee ? kTopExponent : kQuietNan;

 private:
  template <class Float>
  AMP_HOST_DEVICE static constexpr bits_type encode(Float value) {
    using Layout = detail::ieee_layout<Float>;
    using U = typename Layout::bits_type;
    constexpr int kWidth = static_cast<int>(sizeof(U) * 8);
    constexpr U kInfinity = ((U{1} << (kWidth - 1 - Layout::mantissa_bits)) - 1)
                            << Layout::mantissa_bits;
    constexpr int kShift = Layout::mantissa_bits - MantissaBits;  // fraction bits to round away
    constexpr U kRebias = static_cast<U>(Layout::bias - bias) << Layout::mantissa_bits;

    const U bits = __builtin_bit_cast(U, value);
    const bits_type sign = (bits >> (kWidth - 1)) != 0 ? kSignBit : bits_type{0};
    const U magnitude = bits & ~(U{1} << (kWidth - 1));
    if (magnitude > kInfinity) {  // NaN: keep the sign and the leading payload bits, make it quiet
      const U payload = Special == NonFinite::kIeee ? (magnitude >> kShift) & kMantissaMask : U{0};
      return static_cast<bits_type>(sign | kQuietNan | payload);
    }
    U rounded = 0;
    if (magnitude >= kRebias + (U{1} << Layout::mantissa_bits) || bias == Layout::bias) {
      // Normal here (or the exponents coincide, and subnormals with them): rounding the packed code
      // carries into the exponent.
      rounded = detail::shift_right_nearest_even<U>(magnitude - kRebias, kShift);
    } else {
      // Subnormal here: the significand with its leading one, shifted by the missing exponent as
      // well.
      const int exponent = static_cast<int>(magnitude >> Layout::mantissa_bits);
      const int shift = kShift + (Layout::bias - bias) + 1 - exponent;
      const U significand = (magnitude & ((U{1} << Layout::mantissa_bits) - 1)) |
                            (exponent != 0 ? U{1} << Layout::mantissa_bits : U{0});
      rounded = shift < Layout::mantissa_bits + 2
                    ? detail::shift_right_nearest_even<U>(significand, shift)
                    : U{0};
    }
    return static_cast<bits_type>(sign | (rounded > kMaxFinite ? U{kOverflow} : rounded));
  }

  AMP_HOST_DEVICE static constexpr float decode(bits_type bits) {
    constexpr int kShift = 23 - MantissaBits;
    const std::uint32_t sign = (bits & kSignBit) != 0 ? 0x8000'0000u : 0u;
    const std::uint32_t magnitude =
        static_cast<std::uint32_t>(bits & static_cast<bits_type>(~kSignBit));
    if constexpr (bias == 127) return __builtin_bit_cast(float, sign | (magnitude << kShift));
    const bool special_code =
        Special == NonFinite::kIeee ? magnitude >= kTopExponent : magnitude > kMaxFinite;
    if (special_code) {  // NaNs become quiet, as the instructions make them
      const std::uint32_t payload = (magnitude & kMantissaMask) << kShift;
      const std::uint32_t quiet = payload != 0 ? 0x0040'0000u : 0u;
      return __builtin_bit_cast(float, sign | 0x7f80'0000u | quiet | payload);
    }
    if (magnitude <= kMantissaMask) {  // subnormal: mantissa * 2^(1 - bias - MantissaBits), normal
                                       // and exact as a float
      const float unit = __builtin_bit_cast(
          float, static_cast<std::uint32_t>(127 + 1 - bias - MantissaBits) << 23);
      const float value = static_cast<float>(magnitude) * unit;
      return sign != 0 ? -value : value;
    }
    return __builtin_bit_cast(
        float, sign | ((magnitude << kShift) + (static_cast<std::uint32_t>(127 - bias) << 23)));
  }

  template <std::integral I>
  AMP_HOST_DEVICE static constexpr double exact_double(I value) {
    if constexpr (sizeof(I) <= 4) {
      return static_cast<double>(value);
    } else {
      const bool negative = value < 0;
      const std::uint64_t magnitude =
          negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
      const std::uint64_t sticky = (magnitude >> 11) | ((magnitude & 0x7ff) != 0 ? 1u : 0u);
      const double rounded = (magnitude >> 53) == 0 ? static_cast<double>(magnitude)
                                                    : static_cast<double>(sticky) * 2048.0;
      return negative ? -rounded : rounded;
    }
  }

  bits_type bits_;
};

template <class T>
inline constexpr bool is_small_float = false;
template <int E, int M, NonFinite S>
inline constexpr bool is_small_float<small_float<E, M, S>> = true;

/// Whether the value is neither infinite nor NaN. Tests exponent bits, so -ffast-math cannot fold
/// it.
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

/// Likewise for NaN. Integers are none.
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

/// Equal values hash equally: both zeros to one hash.
template <int E, int M, amp::NonFinite S>
struct std::hash<amp::small_float<E, M, S>> {
  std::size_t operator()(amp::small_float<E, M, S> value) const noexcept {
    return std::hash<float>{}(static_cast<float>(value));
  }
};
