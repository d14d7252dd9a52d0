// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The bin of a number, computed from its code, on every device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/histogram/args.hpp"
#include "amp/types/dtype.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

namespace detail {

/// The positions of the parts of a format's codes.
template <class T>
struct CodeOf {
  using Bits = typename T::bits_type;
  static constexpr int kFraction = T::mantissa_bits, kBias = T::bias;
  static constexpr bool kHasInfinity = T::special == NonFinite::kIeee;
};
template <class T>
  requires std::is_floating_point_v<T>
struct CodeOf<T> {
  using Bits = typename amp::detail::ieee_layout<T>::bits_type;
  static constexpr int kFraction = amp::detail::ieee_layout<T>::mantissa_bits;
  static constexpr int kBias = amp::detail::ieee_layout<T>::bias;
  static constexpr bool kHasInfinity = true;
};

}  // namespace detail

/// A format's codes as integers.
template <class T>
struct ExponentCode : detail::CodeOf<T> {
  using typename detail::CodeOf<T>::Bits;
  using detail::CodeOf<T>::kFraction;
  using detail::CodeOf<T>::kBias;

  static constexpr int kWidth = static_cast<int>(8 * sizeof(Bits));
  static constexpr int kExponent = kWidth - 1 - kFraction;
  static constexpr int kFields = 1 << kExponent;
  static constexpr Bits kMagnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  /// The first magnitude that is not finite.
  static constexpr Bits kNotFinite = detail::CodeOf<T>::kHasInfinity
                                         ? static_cast<Bits>(Bits{kFields - 1} << kFraction)
                                         : kMagnitude;

  /// Returns the field of the exponent; 0 for zeros and subnormal numbers.
  AMP_HOST_DEVICE static constexpr int field(Bits code) {
    return static_cast<int>((code & kMagnitude) >> kFraction);
  }
  /// Returns the bin of normal numbers.
  AMP_HOST_DEVICE static constexpr int bin_of_field(int field) {
    const int bin = field - kBias - kLeastExponent;
    return bin < 0 ? 0 : bin < kExponentBins ? bin : kExponentBins - 1;
  }
  AMP_HOST_DEVICE static constexpr int bin(Bits code) {
    const Bits magnitude = static_cast<Bits>(code & kMagnitude);
    if (magnitude == 0) return kZeroBin;
    if (magnitude >= kNotFinite)
      return detail::CodeOf<T>::kHasInfinity && magnitude == kNotFinite ? kInfinityBin : kNanBin;
    const int of_field = field(code);
    if (of_field != 0) return bin_of_field(of_field);
    if constexpr (kFraction > 23) {
      return 0;  // far below float32's smallest
    } else {     // the fraction is an integer, whose exponent a float knows
      const auto fraction = static_cast<float>(static_cast<std::int32_t>(magnitude));
      const auto bits = __builtin_bit_cast(std::uint32_t, fraction);
      return bin_of_field(static_cast<int>(bits >> 23) - 127 + 1 - kFraction);
    }
  }
};

}  // namespace amp::inline v0::kernels
