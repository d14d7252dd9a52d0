// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions of C and a few more, for float and double, on host and device; what -ffast-math
// hides of NaN; and arithmetic of integers that wraps around. Vectors have theirs in
// core/simd/math.hpp, so a formula calls them by their plain names.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::functions {

// Integers wrap around, on every device: computed without a sign, since that is defined.
AMP_HOST_DEVICE constexpr std::int64_t wrapping(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}
AMP_HOST_DEVICE constexpr std::uint64_t bits_of(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}

// clang-format off
#define AMP_MATH(name) \
  AMP_HOST_DEVICE inline float name(float x) { return ::name##f(x); } \
  AMP_HOST_DEVICE inline double name(double x) { return ::name(x); }
#define AMP_MATH_OF_TWO(name) \
  AMP_HOST_DEVICE inline float name(float x, float y) { return ::name##f(x, y); } \
  AMP_HOST_DEVICE inline double name(double x, double y) { return ::name(x, y); }
AMP_MATH(exp) AMP_MATH(expm1) AMP_MATH(log) AMP_MATH(log1p) AMP_MATH(log2) AMP_MATH(log10)
AMP_MATH(sqrt) AMP_MATH(erf) AMP_MATH(erfc)
AMP_MATH(sin) AMP_MATH(cos) AMP_MATH(tan) AMP_MATH(asin) AMP_MATH(acos) AMP_MATH(atan)
AMP_MATH(sinh) AMP_MATH(cosh) AMP_MATH(tanh)
AMP_MATH(floor) AMP_MATH(ceil) AMP_MATH(trunc) AMP_MATH(rint)
AMP_MATH_OF_TWO(pow) AMP_MATH_OF_TWO(fmax) AMP_MATH_OF_TWO(fmod) AMP_MATH_OF_TWO(atan2)
#undef AMP_MATH
#undef AMP_MATH_OF_TWO
AMP_HOST_DEVICE inline float abs(float x) { return ::fabsf(x); }
AMP_HOST_DEVICE inline double abs(double x) { return ::fabs(x); }
AMP_HOST_DEVICE inline std::int64_t abs(std::int64_t x) { return x < 0 ? wrapping(0 - bits_of(x)) : x; }
// clang-format on

AMP_HOST_DEVICE AMP_ALWAYS_INLINE double to_double(float x) { return static_cast<double>(x); }
AMP_HOST_DEVICE AMP_ALWAYS_INLINE double to_double(double x) { return x; }
/// x^e as a double, for x >= 0.
AMP_HOST_DEVICE AMP_ALWAYS_INLINE double wide_power(double x, double e) { return ::pow(x, e); }

/// condition ? a : b, for numbers; vectors have their own. Both are computed.
template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE C select(bool condition, C a, C b) {
  return condition ? a : b;
}

/// The larger number, or b if one is NaN.
template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE C larger(C a, C b) {
  return a > b ? a : b;
}
template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE C smaller(C a, C b) {
  return a < b ? a : b;
}

/// Whether x is a NaN that comparisons do not see, because of -ffast-math.
AMP_EITHER_SIDE
template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE auto is_unseen_nan([[maybe_unused]] C x) -> decltype(is_nan(x)) {
#if __FINITE_MATH_ONLY__
  return is_nan(x);
#else
  return false;
#endif
}
/// y, or x if that is such a NaN.
AMP_EITHER_SIDE
template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE C unless_unseen_nan([[maybe_unused]] C x, C y) {
#if __FINITE_MATH_ONLY__
  return select(is_nan(x), x, y);
#else
  return y;
#endif
}

/// The inverse of erf: infinite at -1 and 1, NaN beyond. Starts from polynomials in log(1 - x^2)
/// with an error of 1e-6 (Giles, "Approximating the erfinv function", GPU Computing Gems, 2011),
/// and corrects by Halley's method, in which erfc keeps the digits near 1.
template <class C>
AMP_HOST_DEVICE inline C erfinv(C x) {
  constexpr float kNear[] = {2.81022636e-08F,  3.43273939e-07F, -3.5233877e-06F,
                             -4.39150654e-06F, 0.00021858087F,  -0.00125372503F,
                             -0.00417768164F,  0.246640727F,    1.50140941F};
  constexpr float kFar[] = {-0.000200214257F, 0.000100950558F, 0.00134934322F,
                            -0.00367342844F,  0.00573950773F,  -0.0076224613F,
                            0.00943887047F,   1.00167406F,     2.83297682F};
  const C magnitude = abs(x);
  if (magnitude == C{1}) return x / (C{1} - magnitude);
  const C w = -log((C{1} - magnitude) * (C{1} + magnitude));
  const bool is_near = w < C{5};
  const C t = is_near ? w - C(2.5) : sqrt(w) - C{3};
  C y = C{0};
  for (int i = 0; i < 9; ++i) y = y * t + static_cast<C>(is_near ? kNear[i] : kFar[i]);
  y *= magnitude;
  for (int step = 0; step < (sizeof(C) == sizeof(double) ? 2 : 1); ++step) {
    const C error = magnitude < C(0.5) ? erf(y) - magnitude : (C{1} - magnitude) - erfc(y);
    const C newton = error / (C(1.12837916709551257390) * exp(-y * y));  // over the derivative
    y -= newton / (C{1} + y * newton);
  }
  return x < C{0} ? -y : y;
}

/// Returns base^exponent by squaring, modulo 2^64. A negative exponent gives the integer part of
/// the reciprocal.
AMP_HOST_DEVICE constexpr std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  std::uint64_t power = 1, square = static_cast<std::uint64_t>(base);
  for (; exponent != 0; exponent /= 2, square *= square) {
    if (exponent % 2 != 0) power *= square;
  }
  return static_cast<std::int64_t>(power);
}

/// a - b trunc(a / b); a if b is 0. -1 divides everything, also the lowest integer, which C++ may
/// not divide by it.
AMP_HOST_DEVICE constexpr std::int64_t integer_remainder(std::int64_t a, std::int64_t b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}

}  // namespace amp::inline v0::kernels::functions
