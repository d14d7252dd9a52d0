// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms of vectors, and vectors of norm 1.
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The norm of order `p` over `dim`, sum(|x|^p)^(1/p): the length for 2, the number of elements that
/// are not zero for 0, the largest magnitude for infinity, the smallest for -infinity. `dim` is one
/// dimension or several, as for sum(); none means all. The result lacks these dimensions, or has
/// extent 1 there if `keepdim`. Of floating point, in the dtype of `input`: computed in float32 or
/// wider and rounded once. Under autocast: float32. Over nothing it is 0; an infinite or negative
/// `p` throws. The gradient is sign(x) (|x| / norm)^(p - 1), and 0 if the norm is 0 or `p` is;
/// elements that equal a norm of infinite order share it evenly.
AMP_LAZY [[nodiscard]] Tensor norm(const Tensor& input, double p = 2, const Dims& dim = {},
                                   bool keepdim = false);

/// x / max(norm(x, p, dim), eps): vectors along `dim`, one dimension or several, of norm 1. The
/// result has the shape and dtype of `input`, which must be floating point; it is computed in
/// float32, or in float64 for float64, and rounded once. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor normalize(const Tensor& input, double p = 2, const Dims& dim = 1,
                                        double eps = 1e-12);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/vector_norm.ipp"
#endif
