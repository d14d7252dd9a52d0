// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Triangles and diagonals of matrices.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The lower (tril) or upper (triu) triangle of each matrix [..., R, C], and 0 elsewhere. The
/// triangle ends at the diagonal of elements [r, r + diagonal], which belongs to it. Any dtype,
/// which the result has. The gradient is the same triangle. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor tril(const Tensor& input, std::int64_t diagonal = 0);
AMP_LAZY [[nodiscard]] Tensor triu(const Tensor& input, std::int64_t diagonal = 0);

/// The sum of the elements on the diagonal of a matrix: in the dtype of `input`, summed in float32
/// (float64); int64 for integers. Not of bool. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor trace(const Tensor& input);

/// Of a line: the matrix with the line on its diagonal, and 0 elsewhere. Of a matrix: a copy of its
/// diagonal. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor diag(const Tensor& input, std::int64_t diagonal = 0);
/// Matrices with the lines along the last dimension of `input` on the diagonal that
/// Tensor::diagonal shows, and 0 elsewhere; dim1 and dim2 are their dimensions in the result. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor diag_embed(const Tensor& input, std::int64_t offset = 0,
                                         std::int64_t dim1 = -2, std::int64_t dim2 = -1);

/// The differences of neighbours along `dim`, `n` times: input[i + 1] - input[i]; of bools, whether
/// they differ. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor diff(const Tensor& input, std::int64_t n = 1, std::int64_t dim = -1);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/matrix_parts.ipp"
#endif
