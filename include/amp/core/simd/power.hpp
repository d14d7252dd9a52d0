// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of two floats whose steps need more digits than floats have: powers and fmod. In
// between they compute in double.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// log2, from the series of log((1 + s) / (1 - s)), to 10 digits.
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> log2_in_double(const Floats<Isa>& x) {
  const Integers<Isa> bits = as<std::int32_t>(x);
  const LogParts<Isa> of(bits);
  const Vec<double, Isa> f = to_double(of.f), s = f / (f + 2.0), square = s * s;
  constexpr double kScale = 2 * 1.44269504088896340736;
  return polynomial(square, kScale, kScale / 3, kScale / 5, kScale / 7, kScale / 9, kScale / 11,
                    kScale / 13) *
             s +
         to_double(log_or_limit<Isa>(bits, convert_lanes<float>(of.e)));
}

/// 2^t, rounded to subnormal numbers, too.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> exp2_of_double(const Vec<double, Isa>& t) {
  using D = Vec<double, Isa>;
  const D bounded = smaller(larger(t, D(-160.0)), D(140.0));
  const Integers<Isa> n =
      as<std::int32_t>(to_float(bounded) + 0x1.8p23F) - __builtin_bit_cast(std::int32_t, 0x1.8p23F);
  const Floats<Isa> r = to_float(bounded - to_double(convert_lanes<float>(n)));
  const Floats<Isa> e =
      polynomial(r, 1.0F, 0.693147181F, 0.240226507F, 0.0555041087F, 0.00961812911F, 0.00133335581F,
                 0.000154035304F, 1.52527338e-05F);
  const Integers<Isa> half = n >> 1;
  return e * power_of_two<Isa>(half) * power_of_two<Isa>(n - half);
}

/// With all limits of C's.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> pow(const Floats<Isa>& x, const Floats<Isa>& y) {
  constexpr std::int32_t kOne = __builtin_bit_cast(std::int32_t, 1.0F);
  const Floats<Isa> magnitude = abs(x);
  const Integers<Isa> size = magnitude_bits(x), whole = convert_lanes<std::int32_t>(y);
  const Integers<Isa> is_limit = size == 0 || size == kInfinityBits<float>;
  // The power of a limit is the same limit, or, if the exponent is negative, the other one.
  const Integers<Isa> negative = as<std::int32_t>(y) >> 31;
  const Integers<Isa> limit = select(negative != 0, kInfinityBits<float> - size, size);
  const Floats<Isa> base = select(is_limit, Floats<Isa>(1.0F), magnitude);
  const Floats<Isa> finite = exp2_of_double<Isa>(log2_in_double(base) * to_double(y));
  const Floats<Isa> power =
      select(size == kOne, Floats<Isa>(1.0F), select(is_limit, as<float>(limit), finite));
  // From 2^23 on, numbers are whole, and from 2^24 on they are even.
  const Integers<Isa> is_whole = magnitude_bits(y) >= __builtin_bit_cast(std::int32_t, 0x1p23F) ||
                                 convert_lanes<float>(whole) == y;
  const Integers<Isa> is_odd =
      is_whole && (whole & 1) != 0 && magnitude_bits(y) < __builtin_bit_cast(std::int32_t, 0x1p24F);
  const Integers<Isa> has_none = as<std::int32_t>(x) < 0 && !is_limit && !is_whole;
  const Floats<Isa> with_its_sign = with_sign(power, sign_bit(x) & is_odd);
  const Integers<Isa> result = as<std::int32_t>(with_its_sign) | has_none | is_nan(x) | is_nan(y);
  return select(as<std::int32_t>(x) == kOne || magnitude_bits(y) == 0, Floats<Isa>(1.0F),
                as<float>(result));
}

/// x^e as doubles, whose sums do not overflow if those of floats would, for x >= 0 and a finite e
/// that is not 0. Results below about 2^-1022 are 0.
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> wide_power(const Floats<Isa>& x, double e) {
  using Doubles = Vec<double, Isa>;
  const Doubles t = log2_in_double(x) * e;
  // Rounds to nearest, as ExpArgument does. 2^t is 2^(n - 1) times 2^(1 + r).
  constexpr double kRounding = 0x1.8p52;
  const Doubles bounded = smaller(larger(t, Doubles(-1022.0)), Doubles(1025.0));
  const Vec<std::int64_t, Isa> rounded = as<std::int64_t>(bounded + kRounding);
  const Doubles n =
      as<double>((rounded & 0x000f'ffff'ffff'ffff) | 0x4330'0000'0000'0000) - kRounding;
  const Doubles r = bounded - n;
  const Doubles power_of_r =
      polynomial(r, 2.0, 1.3862943611198906, 0.48045301391820139, 0.11100821702164434,
                 0.019236258821909152, 0.0026667116295633377, 0.00030807062783115434,
                 3.0505467496164346e-05, 2.6430988001463014e-06, 2.0355873131498164e-07);
  const Doubles result = power_of_r * as<double>((rounded + 1022) << 52);
  return as<double>(as<std::int64_t>(result) | is_nan(t));
}
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> wide_power(const Vec<double, Isa>& x, double e) {
  Vec<double, Isa> y;
  for (int l = 0; l < kLanes<Isa> / 2; ++l) {
    y.low[l] = ::pow(x.low[l], e);
    y.high[l] = ::pow(x.high[l], e);
  }
  return y;
}

template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> fmod_by_lane(const Floats<Isa>& x, const Floats<Isa>& y) {
  Floats<Isa> z;
  for (int l = 0; l < kLanes<Isa>; ++l) z.low[l] = ::fmodf(x[l], y[l]);
  return z;
}
/// |x| - q |y| with the sign of x. Quotients below 2^23 times y are exact in double; for others,
/// and for 0, infinity and NaN, C is asked.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> fmod(const Floats<Isa>& x, const Floats<Isa>& y) {
  const Floats<Isa> a = abs(x), b = abs(y), q = a / b;
  if (any(magnitude_bits(q) >= __builtin_bit_cast(std::int32_t, 0x1p23F) ||
          magnitude_bits(y) >= kInfinityBits<float>)) [[unlikely]]
    return fmod_by_lane(x, y);
  const Floats<Isa> whole = convert_lanes<float>(convert_lanes<std::int32_t>(q));
  const Floats<Isa> r = to_float(to_double(a) - to_double(whole) * to_double(b));
  // q may be rounded up to the next integer.
  return with_sign(abs(select(as<std::int32_t>(r) < 0 && r != 0.0F, r + b, r)), sign_bit(x));
}

}  // namespace amp::inline v0::simd
