// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax:  softmax(x)_i = exp(x_i) / sum_j exp(x_j)
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// exp(x_i - max x) / sum_j exp(x_j - max x) along `dim`: numbers in [0, 1] that sum to 1. The
/// result has the shape and dtype of `input`, which must be floating point; it is computed in
/// float32, or in float64 for float64, and rounded once. Under autocast: float32. A line along
/// `dim` that has a NaN or +infinity, or only -infinity, becomes NaN.
AMP_LAZY [[nodiscard]] Tensor softmax(const Tensor& input, std::int64_t dim);

/// log(softmax(input, dim)), computed as (x - max x) - log(sum(exp(x - max x))): it is finite even
/// if softmax underflows, and no digit of a large x is lost. Shapes, dtypes and NaN are those of
/// softmax. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor log_softmax(const Tensor& input, std::int64_t dim);

/// softmax(-input, dim). Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor softmin(const Tensor& input, std::int64_t dim);

/// Options of gumbel_softmax().
struct GumbelSoftmaxOptions {
  double tau = 1;     // positive; the smaller, the nearer the result is to one-hot
  bool hard = false;  // one-hot results, with the gradients of soft ones
  std::int64_t dim = -1;
};
/// softmax((logits + g) / tau) with noise g of the Gumbel distribution: samples of the categories
/// with these logits, or nearly so, with gradients (Jang et al. 2016, arXiv 1611.01144). Shapes and
/// dtypes are those of softmax. Uses the random generator of the device. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor gumbel_softmax(const Tensor& logits,
                                             const GumbelSoftmaxOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/softmax.ipp"
#endif
