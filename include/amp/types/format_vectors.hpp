// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Conversion between vectors of floats and of the codes of a small format. Results have the same
// bits as small_float, on all instruction sets: rounded to nearest even whatever the thread's
// rounding mode, NaNs made quiet, subnormals kept even if the thread flushes them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"

namespace amp::inline v0::detail {

template <class Format, class Isa>
using Codes = simd::Vec<typename Format::bits_type, Isa>;

/// Whether kernels convert formats of 16 bits in registers. Without instructions for half precision,
/// which the sets from AVX2 on have, a pass that converts costs less code.
inline bool has_vectors_of_16_bits() {
  return simd::instruction_set() >= simd::InstructionSet::kAvx2;
}

/// NearestEven of rounding.hpp, for shifts from 1 to 31. A shift by 0 is allowed and means nothing.
template <class Isa>
AMP_ALWAYS_INLINE simd::Vec<std::uint32_t, Isa> shift_right_nearest_even(
    const simd::Vec<std::uint32_t, Isa>& x, const simd::Vec<std::uint32_t, Isa>& shift) {
  const simd::Vec<std::uint32_t, Isa> half_unit = (simd::Vec<std::uint32_t, Isa>(1) << shift) >> 1;
  return (x + (half_unit - 1) + ((x >> shift) & 1)) >> shift;
}

/// small_float's encode, with selections in place of branches.
template <class Format, class Isa>
AMP_ALWAYS_INLINE Codes<Format, Isa> encode(const simd::Vec<float, Isa>& x) {
  using U = simd::Vec<std::uint32_t, Isa>;
  using I = simd::Vec<std::int32_t, Isa>;
  if constexpr (std::is_same_v<Format, half> && Isa::kHasHalf) {
    return simd::to_half(x);
  } else if constexpr (std::is_same_v<Format, bfloat16>) {
    return simd::to_bfloat16(x);
  } else {
    const I bits = simd::as<std::int32_t>(x), magnitude = bits & 0x7fff'ffff;
    const U of_magnitude = simd::as<std::uint32_t>(magnitude);
    const I is_nan = simd::is_nan(x);
    constexpr int kShift = 23 - Format::mantissa_bits, kRebias = 127 - Format::bias;
    constexpr int kSignShift = 31 - Format::exponent_bits - Format::mantissa_bits;
    constexpr int kPayload = Format::special == NonFinite::kIeee ? Format::kMantissaMask : 0;
    const I exponent = magnitude >> 23;
    const U normal = shift_right_nearest_even(of_magnitude - (kRebias << 23), U(kShift));
    const U significand = (of_magnitude & 0x007f'ffff) | 0x0080'0000;
    // Shifts of 25 and more give 0. float's subnormals have no leading one, but their shift is
    // about 100.
    const I wanted = (kShift + kRebias + 1) - exponent;
    const I shift = select(wanted > 31, I(31), wanted) & 31;  // below 1 only of normal numbers
    const U subnormal = shift_right_nearest_even(significand, simd::as<std::uint32_t>(shift));
    const U rounded = select(exponent > kRebias, normal, subnormal);
    const I too_large = simd::as<std::int32_t>(rounded) > static_cast<int>(Format::kMaxFinite);
    const U finite = select(too_large, U(Format::kOverflow), rounded);
    const U nan = ((of_magnitude >> kShift) & kPayload) | Format::kQuietNan;
    const U sign = (simd::as<std::uint32_t>(bits) >> kSignShift) & Format::kSignBit;
    return simd::narrow<typename Format::bits_type>(sign | select(is_nan, nan, finite));
  }
}

/// small_float's decode. It is exact.
template <class Format, class Isa>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> decode(const Codes<Format, Isa>& codes) {
  using U = simd::Vec<std::uint32_t, Isa>;
  using I = simd::Vec<std::int32_t, Isa>;
  if constexpr (std::is_same_v<Format, bfloat16>) {
    return simd::as<float>(simd::widen<std::uint32_t>(codes) << 16);
  } else if constexpr (Isa::kHasHalf && std::is_same_v<Format, half>) {
    return simd::from_half(codes);
  } else if constexpr (Isa::kHasHalf && std::is_same_v<Format, float8_e5m2>) {
    return simd::from_half(simd::widen<std::uint16_t>(codes) << 8);  // the upper byte of a half
  } else if constexpr (Isa::kHasHalf) {
    // The bits of a float8_e4m3fn, placed in a half, give the value times 2^(7 - 15), except for
    // NaN, whose code decodes to 480. Setting all exponent bits makes it a NaN with the same three
    // bits of payload.
    static_assert(std::is_same_v<Format, float8_e4m3fn>);
    const auto words = simd::as<std::int16_t>(simd::widen<std::uint16_t>(codes) << 8);
    const auto halves = simd::as<std::uint16_t>(words >> 1) & 0xbfff;  // the sign is twice there
    const simd::Vec<float, Isa> value = simd::from_half(halves) * 256.0F;
    const I bits = simd::as<std::int32_t>(value);
    const I above_448 = (0x43e0'0000 - (bits & 0x7fff'ffff)) >> 31;  // cheaper than a comparison
    return simd::as<float>(bits | (above_448 & 0x7ff0'0000));
  } else {
    constexpr int kShift = 23 - Format::mantissa_bits, kRebias = 127 - Format::bias;
    constexpr int kSignShift = 31 - Format::exponent_bits - Format::mantissa_bits;
    constexpr float kUnit = 1.0F / (1 << (Format::bias + Format::mantissa_bits - 1));
    const U code = simd::widen<std::uint32_t>(codes);
    const U sign = (code & Format::kSignBit) << kSignShift;
    const I magnitude = simd::as<std::int32_t>(code & (Format::kSignBit - 1));
    const I normal = (magnitude << kShift) + (kRebias << 23);
    const I subnormal = simd::as<std::int32_t>(simd::convert_lanes<float>(magnitude) * kUnit);
    const I finite = select(magnitude <= int{Format::kMantissaMask}, subnormal, normal);
    const I payload = (magnitude & int{Format::kMantissaMask}) << kShift;
    const I special = payload | select(payload != 0, I(0x0040'0000), I(0)) | 0x7f80'0000;
    const I result = select(magnitude > int{Format::kMaxFinite}, special, finite);
    return simd::as<float>(result | simd::as<std::int32_t>(sign));
  }
}

/// The numbers from x on as floats: those of 16 bits are widened in registers.
template <class Isa>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> load_floats(const float* x) {
  return simd::load<Isa>(x);
}
template <class Isa, class T>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> load_floats(const T* x) {
  return decode<T>(simd::load<Isa>(reinterpret_cast<const std::uint16_t*>(x)));
}

}  // namespace amp::inline v0::detail
