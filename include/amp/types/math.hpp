// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions of <cmath> for the small formats, and literals. They are found by the argument's
// type, so code written for any number type (`using std::sqrt; sqrt(x)`) takes them too. The first
// group tests or changes bits: exact, also on the device, in constant expressions and under
// -ffast-math. The others compute in float and round the result once more, on the host.
#pragma once

#include "amp/core/config.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/half.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

// clang-format off
/// As the functions of <cmath> with these names, exact. On the host and on devices.
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr bool signbit(small_float<E, M, S> x) { return (x.bits() & x.kSignBit) != 0; }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr small_float<E, M, S> abs(small_float<E, M, S> x) { return signbit(x) ? -x : x; }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr small_float<E, M, S> fabs(small_float<E, M, S> x) { return abs(x); }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr small_float<E, M, S> copysign(small_float<E, M, S> x, small_float<E, M, S> sign) { return signbit(x) == signbit(sign) ? x : -x; }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr bool isnan(small_float<E, M, S> x) { return is_nan(x); }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr bool isfinite(small_float<E, M, S> x) { return is_finite(x); }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr bool isinf(small_float<E, M, S> x) { return !is_finite(x) && !is_nan(x); }
template <int E, int M, NonFinite S> AMP_HOST_DEVICE constexpr bool isnormal(small_float<E, M, S> x) { return is_finite(x) && abs(x).bits() > x.kMantissaMask; }

/// As the functions of <cmath> with these names, computed in float and rounded once more. On the
/// host.
template <int E, int M, NonFinite S> small_float<E, M, S> sqrt(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_sqrtf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> exp(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_expf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> log(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_logf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> sin(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_sinf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> cos(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_cosf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> tanh(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_tanhf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> floor(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_floorf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> ceil(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_ceilf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> round(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_roundf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> trunc(small_float<E, M, S> x) { return small_float<E, M, S>(__builtin_truncf(static_cast<float>(x))); }
template <int E, int M, NonFinite S> small_float<E, M, S> pow(small_float<E, M, S> x, small_float<E, M, S> y) { return small_float<E, M, S>(__builtin_powf(static_cast<float>(x), static_cast<float>(y))); }
template <int E, int M, NonFinite S> small_float<E, M, S> fmin(small_float<E, M, S> x, small_float<E, M, S> y) { return small_float<E, M, S>(__builtin_fminf(static_cast<float>(x), static_cast<float>(y))); }
template <int E, int M, NonFinite S> small_float<E, M, S> fmax(small_float<E, M, S> x, small_float<E, M, S> y) { return small_float<E, M, S>(__builtin_fmaxf(static_cast<float>(x), static_cast<float>(y))); }
/// Returns x * y + z, computed in float with one rounding.
template <int E, int M, NonFinite S> small_float<E, M, S> fma(small_float<E, M, S> x, small_float<E, M, S> y, small_float<E, M, S> z) { return small_float<E, M, S>(__builtin_fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))); }
// clang-format on

namespace literals {

/// 1.5_h is half(1.5), rounded once.
constexpr half operator""_h(long double value) { return half(value); }
constexpr half operator""_h(unsigned long long value) { return half(value); }
/// 1.5_bf is bfloat16(1.5), rounded once.
constexpr bfloat16 operator""_bf(long double value) { return bfloat16(value); }
constexpr bfloat16 operator""_bf(unsigned long long value) { return bfloat16(value); }

}  // namespace literals
}  // namespace amp::inline v0
