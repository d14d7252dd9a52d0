// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions of C on vectors of floats, within 2 units in the last place. Constants are those of
// minimax polynomials. NaN and infinity are tested on integers, which -ffast-math leaves alone;
// with it, fewer digits are correct. inverse.hpp has inverse functions, power.hpp those of two
// numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "amp/core/config.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

template <class Isa>
using Floats = Vec<float, Isa>;
template <class Isa>
using Integers = Vec<std::int32_t, Isa>;

/// c0 + c1 x + c2 x^2 + ...
template <class V, class C>
AMP_ALWAYS_INLINE V polynomial(const V&, C c0) {
  return c0;
}
template <class V, class C, class... Cs>
AMP_ALWAYS_INLINE V polynomial(const V& x, C c0, Cs... rest) {
  return polynomial(x, rest...) * x + c0;
}

template <class Isa>
AMP_ALWAYS_INLINE Integers<Isa> sign_bit(const Floats<Isa>& x) {
  return as<std::int32_t>(x) & (std::numeric_limits<std::int32_t>::min)();
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> with_sign(const Floats<Isa>& x, const Integers<Isa>& sign) {
  return as<float>(as<std::int32_t>(x) | sign);
}
template <class T, class Isa>
AMP_ALWAYS_INLINE Mask<T, Isa> is_finite(const Vec<T, Isa>& x) {
  return (magnitude_bits(x) - kInfinityBits<T>) >> static_cast<int>(8 * sizeof(T) - 1);
}
/// Whether x has the bits of a number: comparison that knows NaN even with -ffast-math.
template <class T, class Isa>
AMP_ALWAYS_INLINE Mask<T, Isa> has_bits_of(const Vec<T, Isa>& x, T number) {
  using I = typename IntegerOf<sizeof(T)>::type;
  return as<I>(x) == __builtin_bit_cast(I, number);
}
/// y, but NaN if x is NaN.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> unless_nan(const Floats<Isa>& x, const Floats<Isa>& y) {
  return as<float>(as<std::int32_t>(y) | is_nan(x));
}
template <class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> abs(const Vec<T, Isa>& x) {
  return as<T>(magnitude_bits(x));
}

/// x = n ln 2 + r, |r| <= ln 2 / 2. ln 2 is in two parts, the first with so few digits that its
/// multiples are exact.
template <class Isa>
struct ExpArgument {
  Integers<Isa> n;
  Floats<Isa> r;

  AMP_ALWAYS_INLINE ExpArgument(const Floats<Isa>& x, float lowest, float highest) {
    const Floats<Isa> bounded = smaller(larger(x, Floats<Isa>(lowest)), Floats<Isa>(highest));
    // Rounds to nearest by adding 1.5 * 2^23, whose unit in the last place is 1. A compiler with
    // -ffast-math must not see that it is subtracted again.
    n = as<std::int32_t>(bounded * 1.44269504F + 0x1.8p23F) -
        __builtin_bit_cast(std::int32_t, 0x1.8p23F);
    const Floats<Isa> whole = convert_lanes<float>(n);
    r = (bounded - whole * 0x1.62e4p-1F) - whole * 0x1.7f7d1cp-20F;
  }
};
/// 2^n for -126 <= n <= 127
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> power_of_two(const Integers<Isa>& n) {
  return as<float>((n + 127) << 23);
}

/// e^x, 0 below about -87 (near the subnormal results), infinity above 88.7. e^x = 2^n e^r; r^8 /
/// 8!, the first omitted term of e^r's series, is below 2^-27.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> exp(const Floats<Isa>& x) {
  const ExpArgument<Isa> of(x, -87.4F, 89.0F);
  // 2 e^r times 2^(n - 1), which is finite even if n is 128, and 0 if n is -126.
  const Floats<Isa> e =
      polynomial(of.r, 2.0F, 2.0F, 1.0F, 2.0F / 6, 2.0F / 24, 2.0F / 120, 2.0F / 720, 2.0F / 5040);
  return unless_nan(x, e * power_of_two<Isa>(of.n - 1));
}
/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1)
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> expm1(const Floats<Isa>& x) {
  const ExpArgument<Isa> of(x, -20.0F, 89.0F);
  const Floats<Isa> tail = polynomial(of.r, 0.5F, 1.0F / 6, 1.0F / 24, 1.0F / 120, 1.0F / 720,
                                      1.0F / 5040, 1.0F / 40320);
  const Floats<Isa> p = tail * of.r * of.r + of.r;  // e^r - 1
  const Floats<Isa> half_power = power_of_two<Isa>(of.n - 1);
  const Floats<Isa> y = (half_power * p + (half_power - 0.5F)) * 2.0F;
  return unless_nan(x, with_sign(y, sign_bit(x)));  // expm1(-0) is -0
}

/// e^x / 2 for x >= 0, which is finite for a while after e^x is infinite.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> half_exp(const Floats<Isa>& x) {
  const ExpArgument<Isa> of(x, 0.0F, 90.0F);
  const Floats<Isa> e =
      polynomial(of.r, 2.0F, 2.0F, 1.0F, 2.0F / 6, 2.0F / 24, 2.0F / 120, 2.0F / 720, 2.0F / 5040);
  return unless_nan(x, e * power_of_two<Isa>(of.n - 2));
}
/// Below 1, the series to x^9.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> sinh(const Floats<Isa>& x) {
  const Floats<Isa> s = x * x, half = half_exp(abs(x));
  const Floats<Isa> small =
      polynomial(s, 1.0F / 6, 1.0F / 120, 1.0F / 5040, 1.0F / 362880) * s * x + x;
  const Integers<Isa> is_small = magnitude_bits(x) < __builtin_bit_cast(std::int32_t, 1.0F);
  return select(is_small, small, with_sign(half - 0.25F / half, sign_bit(x)));
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> cosh(const Floats<Isa>& x) {
  const Floats<Isa> half = half_exp(abs(x));
  return half + 0.25F / half;
}

/// log(1 + f) = f - f^2 / 2 + f^3 p(f), for 1 + f in [sqrt(1/2), sqrt(2)). The polynomial is that
/// of the Cephes library.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> log_cubic_part(const Floats<Isa>& f) {
  const Floats<Isa> p = polynomial(f, 3.3333331174E-1F, -2.4999993993E-1F, 2.0000714765E-1F,
                                   -1.6668057665E-1F, 1.4249322787E-1F, -1.2420140846E-1F,
                                   1.1676998740E-1F, -1.1514610310E-1F, 7.0376836292E-2F);
  return p * f * (f * f);
}
// The logarithms of 2^e (1 + f). Factors of f and e are in two parts, the larger one with few
// digits.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> log_of_parts(const Integers<Isa>& e, const Floats<Isa>& f) {
  const Floats<Isa> s = f * f, exponent = convert_lanes<float>(e);
  return (f + ((log_cubic_part(f) + exponent * -2.12194440e-4F) - s * 0.5F)) +
         exponent * 0.693359375F;
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> log2_of_parts(const Integers<Isa>& e, const Floats<Isa>& f) {
  const Floats<Isa> rest = log_cubic_part(f) - f * f * 0.5F;
  return (((rest + f) * 0.442695041F + rest) + f) + convert_lanes<float>(e);
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> log10_of_parts(const Integers<Isa>& e, const Floats<Isa>& f) {
  const Floats<Isa> rest = log_cubic_part(f) - f * f * 0.5F, exponent = convert_lanes<float>(e);
  return ((((rest + f) * 7.00731903E-4F + exponent * 2.48745664E-4F) + rest * 0.43359375F) +
          f * 0.43359375F) +
         exponent * 0.30078125F;
}
/// The exponent e of those parts, from a number's bits.
template <class Isa>
AMP_ALWAYS_INLINE Integers<Isa> exponent_of(const Integers<Isa>& bits) {
  return (bits - __builtin_bit_cast(std::int32_t, 0.70710678F)) >> 23;
}
/// `result`, but for x that are not positive and finite: infinity and NaN stay, 0 gives -infinity,
/// and negative numbers NaN.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> log_or_limit(const Integers<Isa>& bits, const Floats<Isa>& result) {
  constexpr std::int32_t kMinusInfinity = static_cast<std::int32_t>(0xff80'0000u);
  const Integers<Isa> of_negative =
      select((bits & 0x7fff'ffff) == 0, Integers<Isa>(kMinusInfinity), bits | 0x7fc0'0000);
  const Integers<Isa> limit = select(bits < 1, of_negative, bits);
  const Integers<Isa> has_limit = bits < 1 || bits >= 0x7f80'0000;
  return as<float>(select(has_limit, limit, as<std::int32_t>(result)));
}

/// A number's e and f.
template <class Isa>
struct LogParts {
  Integers<Isa> e;
  Floats<Isa> f;

  AMP_ALWAYS_INLINE LogParts(const Integers<Isa>& bits) {
    // The bits of a subnormal number, as an integer, are the number times 2^149.
    const Integers<Isa> is_subnormal = bits < 0x0080'0000;
    const Integers<Isa> scaled =
        select(is_subnormal, as<std::int32_t>(convert_lanes<float>(bits)), bits);
    const Integers<Isa> exponent = exponent_of<Isa>(scaled);
    f = as<float>(scaled - (exponent << 23)) - 1.0F;
    e = select(is_subnormal, exponent - 149, exponent);
  }
};
#define AMP_LOGARITHM(name)                                           \
  template <class Isa>                                                \
  AMP_ALWAYS_INLINE Floats<Isa> name(const Floats<Isa>& x) {          \
    const Integers<Isa> bits = as<std::int32_t>(x);                   \
    const LogParts<Isa> of(bits);                                     \
    return log_or_limit<Isa>(bits, name##_of_parts<Isa>(of.e, of.f)); \
  }
AMP_LOGARITHM(log)
AMP_LOGARITHM(log2)
AMP_LOGARITHM(log10)
#undef AMP_LOGARITHM
/// log(1 + x). What the sum 1 + x loses is added to f.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> log1p(const Floats<Isa>& x) {
  const Floats<Isa> sum = x + 1.0F, lost = x - (sum - 1.0F);
  const Integers<Isa> bits = as<std::int32_t>(sum), e = exponent_of<Isa>(bits & 0x7fff'ffff);
  const Integers<Isa> scaling = select(e > 126, Integers<Isa>(-126), -e);
  const Floats<Isa> f = (as<float>(bits - (e << 23)) - 1.0F) + lost * power_of_two<Isa>(scaling);
  const Floats<Isa> result = log_of_parts<Isa>(e, select(e == 0, x, f));
  return with_sign(log_or_limit<Isa>(bits, result), sign_bit(x));  // log1p(-0) is -0
}

/// Below 0.625, an odd polynomial of degree 11 (relative error below 2^-27); else (1 - e^-2|x|) /
/// (1 + e^-2|x|) with the sign of x.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> tanh(const Floats<Isa>& x) {
  const Floats<Isa> magnitude = abs(x), s = x * x;
  const Floats<Isa> p =
      polynomial(s, -0.3333328F, 0.13331442F, -0.053739715F, 0.020639086F, -0.0057049864F);
  const Floats<Isa> small = p * s * magnitude + magnitude, e = exp(magnitude * -2.0F);
  const Floats<Isa> large = (1.0F - e) / (1.0F + e);
  const Integers<Isa> is_small = magnitude_bits(x) < __builtin_bit_cast(std::int32_t, 0.625F);
  return with_sign(select(is_small, small, large), sign_bit(x));
}

/// Below 1.1, an odd polynomial; else 1 - p(|x|)^8 with the sign of x. From 4 on, erf is 1.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> erf(const Floats<Isa>& x) {
  const Floats<Isa> magnitude = abs(x), s = x * x;
  const Floats<Isa> small = polynomial(s, 1.1283791F, -0.37612599F, 0.11283292F, -0.026841443F,
                                       0.0051648645F, -0.00078058004F, 7.1880175e-05F) *
                            x;
  const Floats<Isa> t = smaller(magnitude, Floats<Isa>(4.0F));
  Floats<Isa> p = polynomial(t, 1.0010864F, -0.14599591F, -0.060005486F, -0.012501642F,
                             0.013419173F, -0.0025823142F, 0.00016031938F);
  p = p * p;
  p = p * p;
  const Floats<Isa> large = unless_nan(x, with_sign(1.0F - p * p, sign_bit(x)));
  const Integers<Isa> is_small = magnitude_bits(x) < __builtin_bit_cast(std::int32_t, 1.1F);
  return select(is_small, small, large);
}

// y, but in lanes for which a condition holds, the function of C.
#define AMP_LANE_BY_LANE(name)                                                         \
  template <class Isa>                                                                 \
  AMP_ALWAYS_INLINE Floats<Isa> name##_of_lanes(const Integers<Isa>& condition,        \
                                                const Floats<Isa>& x, Floats<Isa> y) { \
    for (int l = 0; l < kLanes<Isa>; ++l) {                                            \
      if (condition[l] != 0) y.low[l] = ::name##f(x[l]);                               \
    }                                                                                  \
    return y;                                                                          \
  }
AMP_LANE_BY_LANE(sin)
AMP_LANE_BY_LANE(cos)
AMP_LANE_BY_LANE(tan)
#undef AMP_LANE_BY_LANE

/// x = q pi / 2 + r, |r| <= pi / 4. pi / 2 is in four parts. The multiples of the first three are
/// exact for |x| <= 8192; beyond, C is asked.
template <class Isa>
struct QuarterTurns {
  Integers<Isa> q;
  Floats<Isa> r;

  AMP_ALWAYS_INLINE QuarterTurns(const Floats<Isa>& x) {
    q = as<std::int32_t>(x * 0.636619772F + 0x1.8p23F) -
        __builtin_bit_cast(std::int32_t, 0x1.8p23F);
    const Floats<Isa> whole = convert_lanes<float>(q);
    r = ((x - whole * 0x1.92p0F) - whole * 0x1.fb4p-12F) - whole * 0x1.444p-24F -
        whole * 0x1.68c234p-39F;
  }
  static AMP_ALWAYS_INLINE Integers<Isa> are_inexact(const Floats<Isa>& x) {
    return magnitude_bits(x) > __builtin_bit_cast(std::int32_t, 8192.0F);
  }
};
/// sin(x + kQuarters pi / 2) = +-sin(r) or +-cos(r)
template <int kQuarters, class Isa>
AMP_ALWAYS_INLINE Floats<Isa> sine(const Floats<Isa>& x) {
  const QuarterTurns<Isa> of(x);
  const Floats<Isa> s = of.r * of.r;
  const Floats<Isa> sin = with_sign(  // of -0, the sum is 0
      polynomial(s, -1.6666654611E-1F, 8.3321608736E-3F, -1.9515295891E-4F) * s * of.r + of.r,
      sign_bit(of.r));
  const Floats<Isa> cos =
      polynomial(s, 4.166664568298827E-2F, -1.388731625493765E-3F, 2.443315711809948E-5F) * s * s -
      s * 0.5F + 1.0F;
  const Integers<Isa> quarter = of.q + kQuarters;
  const Floats<Isa> magnitude = select((quarter & 1) == 0, sin, cos);
  const Floats<Isa> result = as<float>(as<std::int32_t>(magnitude) ^ ((quarter & 2) << 30));
  const Integers<Isa> are_inexact = QuarterTurns<Isa>::are_inexact(x);
  if (any(are_inexact)) [[unlikely]]
    return kQuarters == 0 ? sin_of_lanes(are_inexact, x, result)
                          : cos_of_lanes(are_inexact, x, result);
  return result;
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> sin(const Floats<Isa>& x) {
  return sine<0>(x);
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> cos(const Floats<Isa>& x) {
  return sine<1>(x);
}
/// tan(r) or -1 / tan(r)
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> tan(const Floats<Isa>& x) {
  const QuarterTurns<Isa> of(x);
  const Floats<Isa> s = of.r * of.r;
  const Floats<Isa> t = polynomial(s, 3.33331568548E-1F, 1.33387994085E-1F, 5.34112807005E-2F,
                                   2.44301354525E-2F, 3.11992232697E-3F, 9.38540185543E-3F) *
                            s * of.r +
                        of.r;
  const Floats<Isa> result = select((of.q & 1) == 0, t, -1.0F / t);
  const Integers<Isa> are_inexact = QuarterTurns<Isa>::are_inexact(x);
  if (any(are_inexact)) [[unlikely]]
    return tan_of_lanes(are_inexact, x, result);
  return result;
}

/// Numbers from 2^23 on are whole.
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> if_not_whole(const Floats<Isa>& x, const Floats<Isa>& rounded) {
  const Integers<Isa> may_have_fraction =
      magnitude_bits(x) < __builtin_bit_cast(std::int32_t, 0x1p23F);
  return select(may_have_fraction, with_sign(rounded, sign_bit(x)), x);
}
/// The next whole number in a direction; to nearest, ties to even.
template <Direction kDirection, class Isa>
AMP_ALWAYS_INLINE Floats<Isa> round(const Floats<Isa>& x) {
  if constexpr (Isa::kHasRounding) {
    Floats<Isa> y;
    native::round<kDirection>(x.low, y.low);
    return y;
  } else if constexpr (kDirection == kToNearest) {
    const Floats<Isa> magnitude = abs(x);
    const Integers<Isa> whole = convert_lanes<std::int32_t>(magnitude);
    const Floats<Isa> t = convert_lanes<float>(whole), fraction = magnitude - t;
    const Integers<Isa> up = fraction > 0.5F || (fraction == 0.5F && (whole & 1) != 0);
    return if_not_whole(x, select(up, t + 1.0F, t));
  } else {
    const Floats<Isa> t = convert_lanes<float>(convert_lanes<std::int32_t>(x));
    if constexpr (kDirection == kDown) return if_not_whole(x, select(t > x, t - 1.0F, t));
    if constexpr (kDirection == kUp) return if_not_whole(x, select(t < x, t + 1.0F, t));
    return if_not_whole(x, t);
  }
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> rint(const Floats<Isa>& x) {
  return round<kToNearest>(x);
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> floor(const Floats<Isa>& x) {
  return round<kDown>(x);
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> ceil(const Floats<Isa>& x) {
  return round<kUp>(x);
}
template <class Isa>
AMP_ALWAYS_INLINE Floats<Isa> trunc(const Floats<Isa>& x) {
  return round<kTowardsZero>(x);
}

template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> exp(const Vec<double, Isa>& x) {
  return by_lane<::exp>(x);
}

}  // namespace amp::inline v0::simd
