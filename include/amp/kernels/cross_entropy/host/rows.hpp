// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy of one row in vectors.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/cross_entropy/formula.hpp"
#include "amp/kernels/softmax/host/rows.hpp"

namespace amp::inline v0::kernels::host::detail {

template <class C>
struct LogSum {
  C maximum, log_sum;
};
struct LogSumOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static LogSum<C> run(const C* x, std::int64_t n) {
    const C maximum = MaximumOfRow::run<Isa>(x, n);
    C* const none = nullptr;
    return {maximum, finished_sum<true, Isa>(x, none, n, maximum)};
  }
};

/// The sum of weight * ((x - maximum) - log_sum); without weights they are 1.
struct WeightedLogs {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, const C* weights, std::int64_t n,
                                      LogSum<C> sums) {
    lanes::Sum<Isa> sum;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      typename Isa::F v, w{};
      w += C{1};
      lanes::load(v, x + i);
      if (weights != nullptr) lanes::load(w, weights + i);
      v = w * ((v - sums.maximum) - sums.log_sum);
      sum.add(v, n - i);
    }
    return sum.total();
  }
};

/// The gradient of one row. p is 0 if the row is `normalized`.
template <class C>
struct CrossEntropyRow {
  SmoothedTarget<C> q;
  const C* weights;
  C q_sum, grad, log_sum;
  std::int64_t target;
  bool normalized;
};
struct CrossEntropyGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* grad_x, std::int64_t n, CrossEntropyRow<C> row) {
    const C maximum = row.normalized ? C{0} : MaximumOfRow::run<Isa>(x, n);
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      lanes::Vector<typename Isa::F> p{}, q{p.value + row.q.share};
      if (!row.normalized) {
        lanes::load(p.value, x + i);
        p = (p - maximum) - row.log_sum;
        exponential_of<Isa>(p.value);
      }
      if (row.weights != nullptr) {
        lanes::Vector<typename Isa::F> w;
        lanes::load(w.value, row.weights + i);
        q = q * w;
      }
      row.q.to_gradient(p, q, row.q_sum, row.grad);
      lanes::store(p.value, grad_x + i);
    }
    // The target's q is another one.
    C p = row.normalized ? C{0} : std::exp((x[row.target] - maximum) - row.log_sum);
    const C weight = row.weights == nullptr ? C{1} : row.weights[row.target];
    row.q.to_gradient(p, row.q.of(weight, true), row.q_sum, row.grad);
    grad_x[row.target] = p;
  }
};

}  // namespace amp::inline v0::kernels::host::detail
