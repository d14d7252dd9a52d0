// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Conversions other than the plain one, each by its name: saturate_cast and stochastic_cast. What
// they do is part of the call, never a mode that is set elsewhere.
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

/// What the named conversions take: a double, or what is a float without loss.
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

/// To(value), but what lies beyond the largest finite value, infinities included, becomes the
/// largest finite value with its sign. NaN stays NaN. This is the saturating mode of OCP's 8-bit
/// formats (OFP8 1.0) and CUDA's __NV_SATFINITE; ml_dtypes's `saturate` differs, it keeps
/// infinities.
template <SmallFloat To, CastSource From>
[[nodiscard]] AMP_HOST_DEVICE constexpr To saturate_cast(From value) {
  return detail::cast_by<To>(value, detail::NearestEven{}, To::kMaxFinite);
}

/// `value` rounded to one of its two neighbours in the format, away from zero with the probability
/// that is its distance from the nearer-to-zero one, in units of the gap between them: on average,
/// nothing is lost, so that sums of small updates arrive (Gupta et al. 2015, arXiv 1502.02551).
///
/// `random` is uniform on all 32 bits: the result depends on it and `value` alone, on the host as
/// on the device. It grows with `random`; 0 truncates. Values of the format stay as they are. The
/// mean is exact where 32 bits hold the discarded fraction (every normal result of a float), else
/// off by less than 2^-32 of the gap.
///
/// Above the largest finite value the next neighbour is the one that more exponents would have;
/// what reaches it overflows as in To(value): to infinity, or to NaN where there is none.
template <SmallFloat To, CastSource From>
[[nodiscard]] AMP_HOST_DEVICE constexpr To stochastic_cast(From value, std::uint32_t random) {
  return detail::cast_by<To>(value, detail::Stochastic{random}, To::kOverflow);
}

/// stochastic_cast, but what overflows becomes the largest finite value, as in saturate_cast.
template <SmallFloat To, CastSource From>
[[nodiscard]] AMP_HOST_DEVICE constexpr To saturate_stochastic_cast(From value,
                                                                    std::uint32_t random) {
  return detail::cast_by<To>(value, detail::Stochastic{random}, To::kMaxFinite);
}

}  // namespace amp::inline v0
