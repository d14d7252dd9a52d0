// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Dropout (Srivastava et al. 2014, JMLR 15).
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Sets each element to 0 with probability p and multiplies the others by 1 / (1 - p), so that the
/// expectation stays; the gradient likewise. Returns `input` itself if not `training` or if p is 0.
/// Floating point, in the dtype of `input`. Under autocast: unchanged. Which elements are dropped
/// is a function of the process' generator (manual_seed), the same on every device and in every
/// dtype.
AMP_LAZY [[nodiscard]] Tensor dropout(const Tensor& input, double p = 0.5, bool training = true);

/// residual + dropout(input, p, training), for two tensors of one shape: the end of a residual
/// branch, in one pass over memory and with one rounding. Drops what dropout() would. Floating
/// point; dtypes promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor dropout_add(const Tensor& input, const Tensor& residual,
                                          double p = 0.5, bool training = true);

namespace detail {

/// Without checks and policy; p > 0.
AMP_LAZY Tensor dropout(const Tensor& input, double p);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/dropout.ipp"
#endif
