// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What scans compute: a fold (fold/formula.hpp) of the elements of a line up to each place; and the
// gradients.
#pragma once

#include <cstdint>

#include "amp/kernels/fold/formula.hpp"
#include "amp/kernels/scan/args.hpp"

namespace amp::inline v0::kernels {

/// The sum: of floats in double, of integers modulo 2^64.
struct Sum {
  static constexpr bool kIntegers = true;
  template <class C>
  using State = decltype(widest(C{}));

  template <class C>
  AMP_HOST_DEVICE static State<C> none() {
    return 0;
  }
  template <class S, class C>
  AMP_HOST_DEVICE void add(S& sum, C x) const {
    sum = join(sum, widest(x));
  }
  template <class S>
  AMP_HOST_DEVICE static S join(S a, S b) {
    return functions::Add::apply(a, b);
  }
  template <class S>
  AMP_HOST_DEVICE S finish(S sum) const {
    return sum;
  }
};

/// Whether x takes the place of the extremum of the elements before it.
template <bool Largest>
struct ExtremumReplaces {
  AMP_CONDITION apply(C before, C x) {
    return is_nan(x) ||
           ((Largest ? x >= before : x <= before) && !functions::is_unseen_nan(before));
  }
};
/// The largest (smallest) element so far, and its position: -1 before the first.
template <bool Largest, class C>
struct ExtremumSoFar {
  C value;
  std::int64_t at;

  AMP_HOST_DEVICE void add(C x, std::int64_t i) {
    if (at >= 0 && !ExtremumReplaces<Largest>::apply(value, x)) return;
    value = x;
    at = i;
  }
};

// Gradients. s[i] is what place i gets from itself and all later ones; the decay of place i says
// how much of s[i + 1] it gets.

/// y[i] = x[0] ... x[i]. In the place of y stands the product of the elements before i: nothing is
/// divided by x, which may be 0.
struct ProductScanBackward {
  template <class C>
  using Element = C;  // of x
  template <class C>
  AMP_HOST_DEVICE static C decay(C, C, C next_x, std::int64_t) {
    return next_x;
  }
  template <class C>
  AMP_HOST_DEVICE static C factor(C, C before, std::int64_t) {
    return before;
  }
};
/// y[i] = log(exp(x[0]) + ... + exp(x[i]))
struct LogSumExpScanBackward {
  template <class C>
  using Element = C;
  template <class C>
  AMP_HOST_DEVICE static C decay(C y, C next_y, C, std::int64_t) {
    return y == next_y ? C{1} : functions::exp(y - next_y);
  }
  template <class C>
  AMP_HOST_DEVICE static C factor(C x, C y, std::int64_t) {
    return functions::exp(x - y);
  }
};
/// x is the position of the extremum so far: those with equal ones are neighbours, and the first of
/// them is that position. There is no y.
struct ExtremumScanBackward {
  template <class C>
  using Element = std::int64_t;
  template <class C>
  AMP_HOST_DEVICE static C decay(C, C, std::int64_t next_at, std::int64_t next) {
    return next_at == next ? C{0} : C{1};
  }
  template <class C>
  AMP_HOST_DEVICE static C factor(std::int64_t at, C, std::int64_t i) {
    return at == i ? C{1} : C{0};
  }
};

}  // namespace amp::inline v0::kernels
