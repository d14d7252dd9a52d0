// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The expressions of elementwise ops (kernels/functions.hpp) on vectors of floats, and the loops
// over arrays that use them. Ops without a vector expression are computed one element at a time.
#pragma once

#include <cstdint>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/host/lanes.hpp"

namespace amp::inline v0::kernels::host::lanes {

/// Returns x if the mask is all ones, else y.
template <class Isa>
AMP_ALWAYS_INLINE void choose(const typename Isa::I& mask, const typename Isa::F& x,
                              const typename Isa::F& y, typename Isa::F& result) {
  using I = typename Isa::I;
  const I bits = (__builtin_bit_cast(I, x) & mask) | (__builtin_bit_cast(I, y) & ~mask);
  result = __builtin_bit_cast(typename Isa::F, bits);
}

/// Sets the mask to all ones if x > 0 or x is NaN.
template <class Isa>
AMP_ALWAYS_INLINE void positive_mask(const typename Isa::F& x, typename Isa::I& mask) {
  using I = typename Isa::I;
  I is_nan;
  nan_mask<Isa>(x, is_nan);
  const I bits = __builtin_bit_cast(I, x);
  mask = ((-bits) & ~bits) >> 31 | is_nan;  // positive: -bits is negative, bits are not
}

/// e = e^-|x|. No divisor below becomes infinite, since -ffast-math divides by means of a
/// reciprocal.
template <class Isa>
AMP_ALWAYS_INLINE void decay(const typename Isa::F& x, typename Isa::F& e) {
  using I = typename Isa::I;
  const I bits = __builtin_bit_cast(I, x) | static_cast<std::int32_t>(0x8000'0000u);
  e = __builtin_bit_cast(typename Isa::F, bits);
  exponential<Isa>(e);
}

/// x = 1 / (1 + e^-x)
template <class Isa>
AMP_ALWAYS_INLINE void sigmoid(typename Isa::F& x) {
  using F = typename Isa::F;
  using I = typename Isa::I;
  F e, one{}, above;
  decay<Isa>(x, e);
  one += 1.0F;
  const I is_negative = __builtin_bit_cast(I, x) >> 31;
  choose<Isa>(is_negative, e, one, above);
  x = above / (one + e);
}

/// x = tanh x. Below 0.625, an odd polynomial of degree 11 (relative error below 2^-27); else (1 -
/// e^-2|x|) / (1 + e^-2|x|) with the sign of x.
template <class Isa>
AMP_ALWAYS_INLINE void hyperbolic_tangent(typename Isa::F& x) {
  using F = typename Isa::F;
  using I = typename Isa::I;
  const I sign = __builtin_bit_cast(I, x) & static_cast<std::int32_t>(0x8000'0000u);
  const F magnitude = __builtin_bit_cast(F, I(__builtin_bit_cast(I, x) & 0x7fff'ffff));
  const F s = x * x;
  F small = s * -0.0057049864F + 0.020639086F;
  small = small * s - 0.053739715F;
  small = small * s + 0.13331442F;
  small = small * s - 0.3333328F;
  small = small * s * magnitude + magnitude;
  F e = -2.0F * magnitude;
  exponential<Isa>(e);
  F large = (1.0F - e) / (1.0F + e);
  const I is_small = (__builtin_bit_cast(I, magnitude) - 0x3f20'0000) >> 31;  // below 0.625
  choose<Isa>(is_small, small, large, x);
  x = __builtin_bit_cast(F, I(__builtin_bit_cast(I, x) | sign));
}

/// x = erf x. Below 0.9375, x times a polynomial of x^2 (relative error below 2^-25); else 1 -
/// e^-p(|x|) with the sign of x, for a polynomial p near -log erfc.
template <class Isa>
AMP_ALWAYS_INLINE void error_function(typename Isa::F& x) {
  using F = typename Isa::F;
  using I = typename Isa::I;
  I is_nan;
  nan_mask<Isa>(x, is_nan);
  const I sign = __builtin_bit_cast(I, x) & static_cast<std::int32_t>(0x8000'0000u);
  const F magnitude = __builtin_bit_cast(F, I(__builtin_bit_cast(I, x) & 0x7fff'ffff));
  const F s = x * x;
  F small = s * -0.0005919419F + 0.0049791303F;
  small = small * s - 0.026757035F;
  small = small * s + 0.11281552F;
  small = small * s - 0.37612468F;
  small = small * s + 1.1283791F;
  small = small * x;
  F farthest{};      // not a constant, as in exponential()
  farthest += 4.5F;  // from 4 on, erf is 1 in float32
  const F t = magnitude < farthest ? magnitude : farthest;
  F large = t * 1.1890378e-05F - 0.00032942093F;
  large = large * t + 0.0036694538F;
  large = large * t - 0.023819363F;
  large = large * t + 0.106303655F;
  large = large * t + 0.6351108F;
  large = large * t + 1.1286585F;
  large = large * -t;
  exponential<Isa>(large);
  large = 1.0F - large;
  large = __builtin_bit_cast(F, I(__builtin_bit_cast(I, large) | sign | is_nan));
  const I is_small = (__builtin_bit_cast(I, magnitude) - 0x3f70'0000) >> 31;  // below 0.9375
  choose<Isa>(is_small, small, large, x);
}

/// The vector form of an op: run<Isa>(x) or run<Isa>(a, b) writes its result into the first
/// argument.
template <class Function>
struct Vectors;

// clang-format off
#define AMP_LANES template <class Isa, class F = typename Isa::F> static AMP_ALWAYS_INLINE void run
template <> struct Vectors<functions::Neg> { AMP_LANES(F& x) { x = -x; } };
template <> struct Vectors<functions::Exp> { AMP_LANES(F& x) { exponential<Isa>(x); } };
template <> struct Vectors<functions::Tanh> { AMP_LANES(F& x) { hyperbolic_tangent<Isa>(x); } };
template <> struct Vectors<functions::Sigmoid> { AMP_LANES(F& x) { sigmoid<Isa>(x); } };
template <> struct Vectors<functions::Silu> { AMP_LANES(F& x) { F s = x; sigmoid<Isa>(s); x *= s; } };
template <> struct Vectors<functions::Relu> { AMP_LANES(F& x) { typename Isa::I mask; F zero{}; positive_mask<Isa>(x, mask); choose<Isa>(mask, x, zero, x); } };
template <> struct Vectors<functions::Add> { AMP_LANES(F& a, const F& b) { a += b; } };
template <> struct Vectors<functions::Sub> { AMP_LANES(F& a, const F& b) { a -= b; } };
template <> struct Vectors<functions::Mul> { AMP_LANES(F& a, const F& b) { a *= b; } };
template <> struct Vectors<functions::Derivative<functions::Exp>> : Vectors<functions::Mul> {};
template <> struct Vectors<functions::ByA<functions::SquaredError>> : Vectors<functions::Sub> {};
template <> struct Vectors<functions::SquaredError> { AMP_LANES(F& a, const F& b) { a -= b; a *= a; } };
template <> struct Vectors<functions::Derivative<functions::Tanh>> { AMP_LANES(F& g, const F& y) { g *= 1.0F - y * y; } };
template <> struct Vectors<functions::Derivative<functions::Sigmoid>> { AMP_LANES(F& g, const F& y) { g *= y * (1.0F - y); } };
template <> struct Vectors<functions::Derivative<functions::Relu>> { AMP_LANES(F& g, const F& y) { typename Isa::I mask; F zero{}; positive_mask<Isa>(y, mask); choose<Isa>(mask, g, zero, g); } };
template <> struct Vectors<functions::Derivative<functions::Silu>> { AMP_LANES(F& g, const F& x) { F s = x; sigmoid<Isa>(s); g *= s * (1.0F + x * (1.0F - s)); } };
// clang-format on

template <class Isa>
AMP_ALWAYS_INLINE void normal_cdf(const typename Isa::F& x, typename Isa::F& cdf) {
  cdf = x * 0.70710678118654752440F;
  error_function<Isa>(cdf);
  cdf = 0.5F * (1.0F + cdf);
}
template <>
struct Vectors<functions::Gelu> {
  AMP_LANES(F& x) {
    F cdf;
    normal_cdf<Isa>(x, cdf);
    x *= cdf;
  }
};
template <>
struct Vectors<functions::Derivative<functions::Gelu>> {
  AMP_LANES(F& g, const F& x) {
    F cdf, density = -0.5F * x * x;
    normal_cdf<Isa>(x, cdf);
    exponential<Isa>(density);
    g *= cdf + x * (0.39894228040143267794F * density);
  }
};
/// inner = sqrt(2 / pi) (x + 0.044715 x^3), replaced by its tanh.
template <class Isa>
AMP_ALWAYS_INLINE void gelu_tangent(const typename Isa::F& x, typename Isa::F& t) {
  t = 0.79788456080286535588F * (x + 0.044715F * x * x * x);
  hyperbolic_tangent<Isa>(t);
}
template <>
struct Vectors<functions::GeluTanh> {
  AMP_LANES(F& x) {
    F t;
    gelu_tangent<Isa>(x, t);
    x = 0.5F * x * (1.0F + t);
  }
};
template <>
struct Vectors<functions::Derivative<functions::GeluTanh>> {
  AMP_LANES(F& g, const F& x) {
    F t;
    gelu_tangent<Isa>(x, t);
    const F inner_derivative = 0.79788456080286535588F * (1.0F + 3 * 0.044715F * x * x);
    g = g * 0.5F * (1.0F + t + x * (1.0F - t * t) * inner_derivative);
  }
};
#undef AMP_LANES

/// y[i] = f(x[i]); y may be x.
template <class Function>
struct Unary {
  template <class Isa>
  static AMP_ALWAYS_INLINE void run(const float* x, float* y, std::int64_t n) {
    typename Isa::F v;
    std::int64_t i = 0;
    for (; i + kLanes<Isa> <= n; i += kLanes<Isa>) {
      load(v, x + i);
      Vectors<Function>::template run<Isa>(v);
      store(v, y + i);
    }
    if (i == n) return;
    const auto bytes = static_cast<std::size_t>(n - i) * sizeof(float);
    typename Isa::F tail{};
    __builtin_memcpy(&tail, x + i, bytes);
    Vectors<Function>::template run<Isa>(tail);
    __builtin_memcpy(y + i, &tail, bytes);
  }
};
/// y[i] = f(a[i], b[i]); y may be either.
template <class Function>
struct Binary {
  template <class Isa>
  static AMP_ALWAYS_INLINE void run(const float* a, const float* b, float* y, std::int64_t n) {
    typename Isa::F v, w;
    std::int64_t i = 0;
    for (; i + kLanes<Isa> <= n; i += kLanes<Isa>) {
      load(v, a + i);
      load(w, b + i);
      Vectors<Function>::template run<Isa>(v, w);
      store(v, y + i);
    }
    if (i == n) return;
    const auto bytes = static_cast<std::size_t>(n - i) * sizeof(float);
    typename Isa::F tail{}, other{};
    __builtin_memcpy(&tail, a + i, bytes);
    __builtin_memcpy(&other, b + i, bytes);
    Vectors<Function>::template run<Isa>(tail, other);
    __builtin_memcpy(y + i, &tail, bytes);
  }
};

template <class Function>
concept HasUnaryVectors = requires(Generic::F& x) {
  Vectors<Function>::template run<Generic>(x);
};
template <class Function>
concept HasBinaryVectors = requires(Generic::F& a, const Generic::F& b) {
  Vectors<Function>::template run<Generic>(a, b);
};

}  // namespace amp::inline v0::kernels::host::lanes
