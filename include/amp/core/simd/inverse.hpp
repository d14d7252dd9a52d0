// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The inverse trigonometric functions on vectors of floats, and erfinv, as exact as those of
// math.hpp. The polynomials of the angles are those of the Cephes library.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

// pi / 2 is the float kHalfPi plus kHalfPiRest.
inline constexpr float kHalfPi = 1.57079633F, kHalfPiRest = -4.37113883E-8F;

/// The arc sine a(x) for |x| <= 1 / 2. Beyond, asin |x| = pi / 2 - 2 a(root), in which the root is
/// that of (1 - |x|) / 2: the sine of half of the angle's complement.
template <class Isa>
struct ArcSine {
  Integers<Isa> is_large;
  Floats<Isa> a;  // of |x|, or of the root

  AMP_ALWAYS_INLINE ArcSine(const Floats<Isa>& magnitude) {
    is_large = magnitude > 0.5F;
    const Floats<Isa> of_root = 0.5F - magnitude * 0.5F;
    const Floats<Isa> s = select(is_large, of_root, magnitude * magnitude);
    const Floats<Isa> t = select(is_large, sqrt(of_root), magnitude);
    a = polynomial(s, 1.6666752422E-1F, 7.4953002686E-2F, 4.5470025998E-2F, 2.4181311049E-2F,
                   4.2163199048E-2F) *
            s * t +
        t;
  }
};
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> asin(const Floats<Isa>& x) {
  const ArcSine<Isa> of(abs(x));
  const Floats<Isa> large = kHalfPi - (of.a * 2.0F - kHalfPiRest);
  return unless_nan(x, with_sign(select(of.is_large, large, of.a), sign_bit(x)));
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> acos(const Floats<Isa>& x) {
  const ArcSine<Isa> of(abs(x));
  const Integers<Isa> is_negative = as<std::int32_t>(x) < 0;
  const Floats<Isa> small = kHalfPi - (with_sign(of.a, sign_bit(x)) - kHalfPiRest);
  const Floats<Isa> large =
      select(is_negative, 2 * kHalfPi - (of.a * 2.0F - 2 * kHalfPiRest), of.a * 2.0F);
  return unless_nan(x, select(of.is_large, large, small));
}

/// The arc tangent of a quotient n / d >= 0 and +0, reduced to quotients of at most tan(pi / 8):
/// atan q = pi / 4 + atan((q - 1) / (q + 1)) = pi / 2 + atan(-1 / q).
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> atan_of_positive(const Floats<Isa>& q) {
  const Integers<Isa> is_middle = q > 0.414213562F, is_large = q > 2.41421356F;
  const Floats<Isa> above = select(is_large, Floats<Isa>(-1.0F), select(is_middle, q - 1.0F, q));
  const Floats<Isa> below = select(is_large, q, select(is_middle, q + 1.0F, Floats<Isa>(1.0F)));
  const Floats<Isa> t = above / below, s = t * t;
  const Floats<Isa> p =
      polynomial(s, -3.33329491539E-1F, 1.99777106478E-1F, -1.38776856032E-1F, 8.05374449538E-2F);
  const Floats<Isa> eighths =
      select(is_large, Floats<Isa>(2.0F), select(is_middle, Floats<Isa>(1.0F), Floats<Isa>(0.0F)));
  return eighths * (kHalfPi / 2) + ((p * s * t + eighths * (kHalfPiRest / 2)) + t);
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> atan(const Floats<Isa>& x) {
  return unless_nan(x, with_sign(atan_of_positive(abs(x)), sign_bit(x)));
}
/// The angle of the point (x, y), from that of the smaller coordinate over the larger one.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> atan2(const Floats<Isa>& y, const Floats<Isa>& x) {
  const Floats<Isa> a = abs(y), b = abs(x), least = smaller(a, b), most = larger(a, b);
  // Equal coordinates, which may be infinite, have the quotient 1, and zeros 0.
  const Floats<Isa> of_equals =
      select(magnitude_bits(x) == 0, Floats<Isa>(0.0F), Floats<Isa>(1.0F));
  const Floats<Isa> q = select(magnitude_bits(x) == magnitude_bits(y), of_equals, least / most);
  const Floats<Isa> angle = atan_of_positive(q);
  const Floats<Isa> acute = select(a > b, kHalfPi - (angle - kHalfPiRest), angle);
  const Floats<Isa> to_left = 2 * kHalfPi - (acute - 2 * kHalfPiRest);
  const Floats<Isa> turned = select(as<std::int32_t>(x) < 0, to_left, acute);
  return unless_nan(x, unless_nan(y, with_sign(turned, sign_bit(y))));
}

/// The inverse of erf: infinite at -1 and 1, NaN beyond. x times a polynomial in w = -log(1 - x^2)
/// below 5, and in its root above (after Giles, "Approximating the erfinv function", GPU Computing
/// Gems, 2011, with one more term).
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> erfinv(const Floats<Isa>& x) {
  const Floats<Isa> magnitude = abs(x);
  const Floats<Isa> w = -log((1.0F - magnitude) * (1.0F + magnitude));
  const Floats<Isa> near = w - 2.5F, far = sqrt(w) - 3.0F;
  const Floats<Isa> p = polynomial(
      near, 1.50140936F, 0.246640286F, -0.00417738678F, -0.00125274187F, 0.000218344441F,
      -4.96335252e-06F, -3.46270525e-06F, 4.66171686e-07F, 2.32326844e-08F, -8.79113063e-09F);
  const Floats<Isa> q = polynomial(far, 2.8329768F, 1.00167497F, 0.00944528658F, -0.00763728884F,
                                   0.00568697266F, -0.00359740549F, 0.00148509462F,
                                   -5.67774076e-05F, -0.000309574842F, 0.000115705145F);
  const Floats<Isa> inside = select(w < 5.0F, p, q) * x;
  const Integers<Isa> at_end = magnitude_bits(x) == __builtin_bit_cast(std::int32_t, 1.0F);
  const Floats<Isa> infinite = as<float>(sign_bit(x) | kInfinityBits<float>);
  const Integers<Isa> beyond = magnitude_bits(x) > __builtin_bit_cast(std::int32_t, 1.0F);
  return as<float>(as<std::int32_t>(select(at_end, infinite, inside)) | beyond);
}

}  // namespace amp::inline v0::simd
