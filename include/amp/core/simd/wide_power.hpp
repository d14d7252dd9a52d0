// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Powers of floats as doubles, whose sums do not overflow if those of floats would.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// x^e as doubles, for x >= 0 and a finite e that is not 0: 2^(e log2 x), to 10 digits if that
/// exponent is moderate. With x = 2^k m, m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1), log2
/// x is k + 2 / ln 2 (s + s^3 / 3 + ...). Results below about 2^-1022 are 0.
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> wide_power(const Floats<Isa>& x, double e) {
  using Doubles = Vec<double, Isa>;
  using Longs = Vec<std::int64_t, Isa>;
  const Integers<Isa> bits = as<std::int32_t>(x), is_subnormal = bits < 0x0080'0000;
  const Integers<Isa> scaled =
      select(is_subnormal, as<std::int32_t>(convert_lanes<float>(bits)), bits);
  const Integers<Isa> k = exponent_of<Isa>(scaled);
  const Floats<Isa> whole_log =
      log_or_limit<Isa>(bits, convert_lanes<float>(select(is_subnormal, k - 149, k)));
  const Doubles m = to_double(as<float>(scaled - (k << 23)));
  const Doubles s = (m - 1.0) / (m + 1.0), squares = s * s;
  constexpr double kLog = 2.8853900817779268;  // 2 / ln 2
  const Doubles log =
      polynomial(squares, kLog, kLog / 3, kLog / 5, kLog / 7, kLog / 9, kLog / 11, kLog / 13) * s +
      to_double(whole_log);
  const Doubles t = log * e;
  // Rounds to nearest, as ExpArgument does. 2^t is 2^(n - 1) times 2^(1 + r).
  constexpr double kRounding = 0x1.8p52;
  const Doubles bounded = smaller(larger(t, Doubles(-1022.0)), Doubles(1025.0));
  const Longs rounded = as<std::int64_t>(bounded + kRounding);
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
    y.low[l] = std::pow(x.low[l], e);
    y.high[l] = std::pow(x.high[l], e);
  }
  return y;
}

}  // namespace amp::inline v0::simd
