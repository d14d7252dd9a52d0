// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Dropout (Srivastava et al. 2014, JMLR 15).
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Each element is 0 with probability p, else input / (1 - p): the expectation is kept. Not
/// `training`: the input itself. What is dropped is a function of the process' generator
/// (manual_seed), the same on every device and in every dtype.
[[nodiscard]] Tensor dropout(const Tensor& input, double p = 0.5, bool training = true);

/// residual + dropout(input, p, training), of one shape: the end of a residual branch, in one pass
/// over memory and with one rounding. Drops what dropout() would. The result has the wider dtype.
[[nodiscard]] Tensor dropout_add(const Tensor& input, const Tensor& residual, double p = 0.5,
                                 bool training = true);

namespace detail {

Tensor dropout(const Tensor& input, double p);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/dropout.ipp"
#endif
