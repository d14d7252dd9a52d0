// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Softmax of rows (rows.hpp), in vectors. A NaN anywhere, and an
// infinite maximum, make the sum of the exponentials NaN, and with it what is computed of it.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host::detail {

template <class Isa>
AMP_ALWAYS_INLINE void exponential_of(typename Isa::F& x) {
  if constexpr (std::is_same_v<Isa, lanes::Float64>) {
    x = typename Isa::F{std::exp(x[0]), std::exp(x[1])};
  } else {
    lanes::exponential<Isa>(x);
  }
}

/// The largest element; any element if one is NaN.
struct MaximumOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* x, std::int64_t n) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    if (n < kLanes) {
      C maximum = x[0];
      for (std::int64_t i = 1; i < n; ++i) maximum = x[i] > maximum ? x[i] : maximum;
      return maximum;
    }
    typename Isa::F maximum, v;
    lanes::load(maximum, x);
    for (std::int64_t i = kLanes; i + kLanes <= n; i += kLanes) {
      lanes::load(v, x + i);
      maximum = v > maximum ? v : maximum;
    }
    lanes::load(v, x + n - kLanes);  // the last ones, some of them again
    maximum = v > maximum ? v : maximum;
    return lanes::fold<kLanes>(maximum, lanes::Larger{});
  }
};

/// The sum of exp(x - maximum), and these in y, if that is not null.
struct ExponentialsOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, C* y, std::int64_t n, C maximum) {
    lanes::Sum<Isa> sum;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      typename Isa::F v;
      lanes::load(v, x + i);
      v = v - maximum;
      exponential_of<Isa>(v);
      if (y != nullptr) lanes::store(v, y + i);
      sum.add(v, n - i);
    }
    return sum.total();
  }
};

/// log(sum(exp(x - maximum))). Kept apart from the maximum: their sum would cost log-probabilities
/// of large x their last digits.
template <class Isa, class C>
AMP_ALWAYS_INLINE C log_sum_exp(const C* x, std::int64_t n, C maximum) {
  C* const none = nullptr;
  return static_cast<C>(std::log(ExponentialsOfRow::run<Isa>(x, none, n, maximum)));
}

/// softmax: y = exp(x - maximum) / sum;  log_softmax: y = (x - maximum) - log(sum)
template <bool Log>
struct SoftmaxRows {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* y, std::int64_t n, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row, x += n, y += n) {
      const C maximum = MaximumOfRow::run<Isa>(x, n);
      C sum{};
      if constexpr (Log)
        sum = log_sum_exp<Isa>(x, n, maximum);
      else
        sum = static_cast<C>(1 / ExponentialsOfRow::run<Isa>(x, y, n, maximum));
      for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
        typename Isa::F v;
        lanes::load(v, Log ? x + i : y + i);
        if constexpr (Log)
          v = (v - maximum) - sum;
        else
          v = v * sum;
        lanes::store(v, y + i);
      }
    }
  }
};

/// softmax:      grad_x = y * (grad - sum(grad * y))
/// log_softmax:  grad_x = grad - exp(y) * sum(grad)
template <bool Log>
struct SoftmaxGradients {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* grad, const C* y, C* grad_x, std::int64_t n,
                                    std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row, grad += n, y += n, grad_x += n) {
      lanes::Sum<Isa> total;
      typename Isa::F g, v;
      for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
        lanes::load(g, grad + i);
        if constexpr (!Log) {
          lanes::load(v, y + i);
          g = g * v;
        }
        total.add(g, n - i);
      }
      const C sum = static_cast<C>(total.total());
      for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
        lanes::load(g, grad + i);
        lanes::load(v, y + i);
        if constexpr (Log) {
          exponential_of<Isa>(v);
          g = g - v * sum;
        } else {
          g = v * (g - sum);
        }
        lanes::store(g, grad_x + i);
      }
    }
  }
};

}  // namespace amp::inline v0::kernels::host::detail
