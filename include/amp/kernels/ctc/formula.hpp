// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The states of ctc_loss, and a step from one row of them to the next.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/kernels/ctc/args.hpp"
#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/row.hpp"

namespace amp::inline v0::kernels {

/// The logarithm of 0.
template <class C>
inline constexpr C kLogOfZero = -std::numeric_limits<C>::infinity();
/// Whether a loss is infinite: no way leads through the states. (Also with -ffast-math.)
template <class C>
AMP_HOST_DEVICE bool is_impossible(C nll) {
  return nll > C(1e30);
}

namespace functions {

/// log_p + log(e^stay + e^next + e^(skip + allowed)), in which any may be -infinity; `allowed` is 0
/// or that.
struct CtcStep : Binary<"ctc_loss", kFloating> {
  /// 0 for -infinity, which is not to be subtracted from itself.
  AMP_FORMULA base(C largest) { return select(largest < C(-1e30), C{0}, largest); }
  AMP_FORMULA log_sum(C a, C b, C c, C m) { return m + log(exp(a - m) + exp(b - m) + exp(c - m)); }
  AMP_FORMULA sum(C a, C b, C c) { return log_sum(a, b, c, base(larger(a, larger(b, c)))); }
  AMP_FORMULA apply(C stay, C next, C skip, C allowed, C log_p) {
    return log_p + sum(stay, next, skip + allowed);
  }
};
/// The share of the ways that are in a state at a step: both logarithms have the step's own.
struct CtcShare : Binary<"ctc_loss", kFloating, 1> {
  AMP_CONDITION is_reached(C alpha, C beta) { return alpha > C(-1e30) && beta > C(-1e30); }
  AMP_FORMULA apply(C alpha, C beta, C log_p, C nll) {
    return select(is_reached(alpha, beta), exp((alpha - log_p) + (beta + nll)), C{0});
  }
};

}  // namespace functions

/// The states of a sample.
struct CtcStates {
  const std::int64_t* labels;
  std::int64_t count, blank;  // of labels

  AMP_HOST_DEVICE std::int64_t size() const { return 2 * count + 1; }
  AMP_HOST_DEVICE std::int64_t label(std::int64_t i) const {
    return i % 2 == 0 ? blank : labels[i / 2];
  }
  /// Whether state i may follow state i - 2.
  AMP_HOST_DEVICE bool skips_to(std::int64_t i) const {
    return i % 2 == 1 && i >= 3 && i < size() && labels[i / 2] != labels[i / 2 - 1];
  }
};

}  // namespace amp::inline v0::kernels
