// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The conversions other than the plain one: saturate_cast and stochastic_cast. The name in the call
// says how it rounds; there is no mode that is set elsewhere.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "amp/types/rounding.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

/// One of the small formats: half, bfloat16, float8_*.
template <class T>
concept SmallFloat = is_small_float<T>;

/// The types that saturate_cast and stochastic_cast take: double, or a type that converts to float
/// exactly.
template <class T>
concept CastSource = std::same_as<T, float> || std::same_as<T, double> || SmallFloat<T>;

namespace detail {

template <SmallFloat To, CastSource From, class Rule>
AMP_HOST_DEVICE constexpr To cast_by(From value, Rule rule, typename To::bits_type overflow) {
  if constexpr (is_small_float<From>)
    return To::rounded(static_cast<float>(value), rule, overflow);
  else
    return To::rounded(value, rule, overflow);
}

}  // namespace detail

/// Returns To(value), but magnitudes beyond the largest finite value, infinities included, become
/// the largest finite value with the sign of `value`. NaN stays NaN. This is the saturating mode of
/// OCP's 8-bit formats (OFP8 1.0) and CUDA's __NV_SATFINITE; `saturate` of ml_dtypes differs: it
/// keeps infinities.
template <SmallFloat To, CastSource From>
[[nodiscard]] AMP_HOST_DEVICE constexpr To saturate_cast(From value) {
  return detail::cast_by<To>(value, detail::NearestEven{}, To::kMaxFinite);
}

/// Rounds `value` to one of its two neighbours in the format. The probability of the neighbour away
/// from zero is the distance of `value` from the other one, divided by the gap between the two. So
/// the mean is `value`, and sums of small updates are not lost (Gupta et al. 2015, arXiv
/// 1502.02551).
///
/// `random` is uniform on all 32 bits. The result depends on it and `value` alone, on the host as
/// on the device. The magnitude grows with `random`; 0 truncates. Values of the format stay as they
/// are. The mean is exact if 32 bits hold the discarded fraction (as for every normal result from a
/// float), else off by less than 2^-32 of the gap.
///
/// Above the largest finite value, the next neighbour is the value that a wider exponent would
/// give. A result that reaches it overflows as To(value) does: to infinity, or to NaN if the format
/// has none.
template <SmallFloat To, CastSource From>
[[nodiscard]] AMP_HOST_DEVICE constexpr To stochastic_cast(From value, std::uint32_t random) {
  return detail::cast_by<To>(value, detail::Stochastic{random}, To::kOverflow);
}

/// stochastic_cast, but a result that overflows becomes the largest finite value, as in
/// saturate_cast.
template <SmallFloat To, CastSource From>
[[nodiscard]] AMP_HOST_DEVICE constexpr To saturate_stochastic_cast(From value,
                                                                    std::uint32_t random) {
  return detail::cast_by<To>(value, detail::Stochastic{random}, To::kMaxFinite);
}

}  // namespace amp::inline v0
