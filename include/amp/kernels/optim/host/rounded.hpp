// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The numbers that the host's optimizers compute with. Each operation is rounded separately, on
// every machine and in every build, so that single elements, vectors and the device agree bit for
// bit. (Not with -ffast-math.) Otherwise compilers would fuse a product and the sum that it is
// added to into one multiply-add, which rounds once. Steps wait for memory, so the second rounding
// costs nothing measurable.
#pragma once

#include <cmath>

#include "amp/core/config.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/kernels/functions/math.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <class S>
struct NumberOf {
  using type = S;
};
template <class T, class Isa>
struct NumberOf<simd::Vec<T, Isa>> {
  using type = T;
};

/// Keeps a product apart from the sum that it is added to.
AMP_ALWAYS_INLINE void round_product([[maybe_unused]] float& x) { AMP_ROUND_PRODUCT(x); }
AMP_ALWAYS_INLINE void round_product([[maybe_unused]] double& x) { AMP_ROUND_PRODUCT(x); }
template <class Isa>
AMP_ALWAYS_INLINE void round_product([[maybe_unused]] simd::Vec<float, Isa>& x) {
  AMP_ROUND_PRODUCT(x.low);
}
template <class Isa>
AMP_ALWAYS_INLINE void round_product([[maybe_unused]] simd::Vec<double, Isa>& x) {
  AMP_ROUND_PRODUCT(x.low);
  AMP_ROUND_PRODUCT(x.high);
}

template <class S>
AMP_ALWAYS_INLINE S root_of(S x) {
  using std::sqrt;
  return sqrt(x);
}
template <class S>
AMP_ALWAYS_INLINE S magnitude_of(S x) {
  using functions::abs;
  return abs(x);
}
/// Returns the larger number; NaN if one is NaN.
template <class S>
AMP_ALWAYS_INLINE S larger_of(S a, S b) {
  using functions::select;
  return select(is_nan(a), a, select(a > b, a, b));
}
/// Returns -1, 0 or 1; NaN stays NaN.
template <class S>
AMP_ALWAYS_INLINE S sign_of(S x) {
  using functions::select;
  const S zero = 0;
  return select(x > zero, S{1}, select(x < zero, S{-1}, x));
}

}  // namespace detail

/// S is float, double, or a vector of them.
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
  friend AMP_ALWAYS_INLINE Rounded operator*(const Rounded& a, const Rounded& b) { S product = a.value * b.value; detail::round_product(product); return {product}; }
  friend AMP_ALWAYS_INLINE Rounded operator*(Number a, const Rounded& b) { S product = a * b.value; detail::round_product(product); return {product}; }
  friend AMP_ALWAYS_INLINE Rounded operator/(const Rounded& a, const Rounded& b) { return {a.value / b.value}; }
  friend AMP_ALWAYS_INLINE Rounded sqrt(const Rounded& a) { return {detail::root_of(a.value)}; }
  friend AMP_ALWAYS_INLINE Rounded abs(const Rounded& a) { return {detail::magnitude_of(a.value)}; }
  friend AMP_ALWAYS_INLINE Rounded larger(const Rounded& a, const Rounded& b) { return {detail::larger_of(a.value, b.value)}; }
  friend AMP_ALWAYS_INLINE Rounded larger(const Rounded& a, Number b) { return {detail::larger_of(a.value, S(b))}; }
  friend AMP_ALWAYS_INLINE Rounded sign(const Rounded& a) { return {detail::sign_of(a.value)}; }
  // clang-format on
};

}  // namespace amp::inline v0::kernels::host
