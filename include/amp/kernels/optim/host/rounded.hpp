// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The numbers that the host's optimizers compute with. Each operation is rounded separately, on
// every machine and in every build, so that single elements, vectors and the device agree bit for
// bit. (Not with -ffast-math.) Otherwise compilers would fuse a product and the sum that it is
// added to into one multiply-add, which rounds once; g++ fuses even intrinsics if the build allows
// FMA. Steps wait for memory, so the second rounding costs nothing measurable. But if every
// function may use FMA (-march=haswell), loops over float64 stay scalar.
#pragma once

#include <cmath>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/kernels/traversal/host/lanes.hpp"

#if AMP_X86
#include <immintrin.h>
#endif

namespace amp::inline v0::kernels::host {

namespace detail {

template <class S>
struct NumberOf {
  using type = S;
};
template <>
struct NumberOf<lanes::Avx2::F> {
  using type = float;
};

AMP_ALWAYS_INLINE void square_root(const float& x, float& root) { root = std::sqrt(x); }
AMP_ALWAYS_INLINE void square_root(const double& x, double& root) { root = std::sqrt(x); }
#if AMP_X86
// Not AMP_ALWAYS_INLINE: formulas, which are compiled for no particular set of instructions, call
// it.
__attribute__((target("avx2"))) inline void square_root(const lanes::Avx2::F& x,
                                                        lanes::Avx2::F& root) {
  root = _mm256_sqrt_ps(x);
}
#endif

}  // namespace detail

/// S is float, double, or lanes::Avx2::F; the last only in functions compiled for AVX2.
template <class S>
struct Rounded {
  using Number = typename detail::NumberOf<S>::type;  // the type of coefficients
  using Double = Rounded<double>;

  S value;

  // clang-format off
  friend AMP_ALWAYS_INLINE Rounded operator+(const Rounded& a, const Rounded& b) { return {a.value + b.value}; }
  friend AMP_ALWAYS_INLINE Rounded operator+(const Rounded& a, Number b) { return {a.value + b}; }
  friend AMP_ALWAYS_INLINE Rounded operator-(const Rounded& a, const Rounded& b) { return {a.value - b.value}; }
  friend AMP_ALWAYS_INLINE Rounded operator-(Number a, const Rounded& b) { return {a - b.value}; }
  friend AMP_ALWAYS_INLINE Rounded operator*(const Rounded& a, const Rounded& b) { S product = a.value * b.value; AMP_ROUND_PRODUCT(product); return {product}; }
  friend AMP_ALWAYS_INLINE Rounded operator*(Number a, const Rounded& b) { S product = a * b.value; AMP_ROUND_PRODUCT(product); return {product}; }
  friend AMP_ALWAYS_INLINE Rounded operator/(const Rounded& a, const Rounded& b) { return {a.value / b.value}; }
  friend AMP_ALWAYS_INLINE Rounded sqrt(const Rounded& a) { Rounded root; detail::square_root(a.value, root.value); return root; }
  /// Returns -1, 0 or 1; NaN stays NaN.
  friend AMP_ALWAYS_INLINE Rounded sign(const Rounded& a) { const S zero{}; return {a.value > zero ? zero + 1 : a.value < zero ? zero - 1 : a.value}; }
  // clang-format on
};

}  // namespace amp::inline v0::kernels::host
