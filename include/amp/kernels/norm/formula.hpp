// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms of rows: layer norm (Ba et al. 2016, arXiv 1607.06450), group norm (Wu and He 2018, arXiv
// 1803.08494), RMS norm (Zhang and Sennrich 2019, arXiv 1910.07467); and of channels: batch norm
// (Ioffe and Szegedy 2015, arXiv 1502.03167). With x^ = (x - mean) * rstd and g = grad * weight,
//   y           = x^ * weight + bias,   rstd = 1 / sqrt(variance + eps)
//   grad_x      = rstd * (g - mean(g) - x^ * mean(g * x^))
//   grad_weight = sum(grad * x^),   grad_bias = sum(grad)
// Without the mean (RMS), mean(g) drops out.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// Formulas on numbers, or on vectors of them (simd::Vec), which are changed in place.
struct Norm {
  /// Replaces x by x^.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void to_normal(V& x, C mean, C rstd) {
    x = (x - mean) * rstd;
  }
  /// Replaces g by the gradient of x. `factor` is rstd. If a line has one weight for all elements,
  /// `factor` may be rstd * weight; then g and its means are those of grad.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void to_gradient(V& g, const V& normal, C mean_g,
                                                            C mean_dot, C factor) {
    g = (g - mean_g - normal * mean_dot) * factor;
  }
};

/// The shape of the rows and of their affine parameters (NormArgs).
struct NormShape {
  std::int64_t rows, length, groups, inner;

  AMP_HOST_DEVICE std::int64_t per_row() const { return length / inner; }
  AMP_HOST_DEVICE std::int64_t parameters() const { return groups * per_row(); }
  /// Returns the first parameter of a row, without a long division if there is one group.
  AMP_HOST_DEVICE std::int64_t first_parameter(std::int64_t row) const {
    return groups == 1 ? 0 : row % groups * per_row();
  }
  /// Returns the index of element i's parameter relative to that.
  AMP_HOST_DEVICE std::int64_t parameter_at(std::int64_t i) const {
    if (inner == 1) return i;
    if (length > 0x7fffffff) return i / inner;
    return static_cast<unsigned>(i) / static_cast<unsigned>(inner);
  }
};

}  // namespace amp::inline v0::kernels
