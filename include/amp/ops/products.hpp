// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Products of matrices and vectors under their own names, and sums with them.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// The tensors of a product have one floating-point dtype, which is that of the result. It
// accumulates in float32 (float64) and is rounded once, after the sum.

/// The product of matrices: input [M, K] @ mat2 [K, N]. Does not broadcast. Under autocast: low
/// precision.
AMP_LAZY [[nodiscard]] Tensor mm(const Tensor& input, const Tensor& mat2);
/// The product input [M, K] @ vec [K], with the result [M]. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor mv(const Tensor& input, const Tensor& vec);
/// The sum of the products of two vectors of one length, 0-dimensional. Dtypes promote. Under
/// autocast: the wider dtype of the two.
AMP_LAZY [[nodiscard]] Tensor dot(const Tensor& input, const Tensor& tensor);
/// The same, as of all real numbers. Under autocast: the wider dtype of the two.
AMP_LAZY [[nodiscard]] Tensor vdot(const Tensor& input, const Tensor& other);
/// The sums of products along `dim`: x and y broadcast, but not in `dim`. Under autocast: low
/// precision.
AMP_LAZY [[nodiscard]] Tensor linalg_vecdot(const Tensor& x, const Tensor& y,
                                            std::int64_t dim = -1);

/// The product of matrices, in the order that takes the fewest flops. Under autocast: low
/// precision.
AMP_LAZY [[nodiscard]] Tensor chain_matmul(std::span<const Tensor> matrices);
/// The same of at least two; the first may be a vector, which is a row, and the last one, which is
/// a column: the result lacks these dimensions. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor linalg_multi_dot(std::span<const Tensor> tensors);
template <std::same_as<Tensor>... Tensors>
[[nodiscard]] Tensor chain_matmul(const Tensor& matrix, const Tensors&... matrices) {
  const Tensor all[] = {matrix, matrices...};
  return chain_matmul(std::span<const Tensor>(all));
}
template <std::same_as<Tensor>... Tensors>
[[nodiscard]] Tensor linalg_multi_dot(const Tensor& tensor, const Tensors&... tensors) {
  const Tensor all[] = {tensor, tensors...};
  return linalg_multi_dot(std::span<const Tensor>(all));
}

/// All products of an element of a vector [M] and one of a vector [N], as [M, N]. Of any dtypes,
/// which promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor outer(const Tensor& input, const Tensor& vec2);
/// The Kronecker product: `other` times each element of `input`, side by side. The one of fewer
/// dimensions gets leading ones. Of any dtypes, which promote. Under autocast: unchanged. At most 8
/// of all dimensions may be longer than 1.
AMP_LAZY [[nodiscard]] Tensor kron(const Tensor& input, const Tensor& other);

/// The cross products of vectors of 3 elements along `dim`; without it, along the first dimension
/// of extent 3. Both have the same number of dimensions, and broadcast. Of any dtypes but bool,
/// which promote. Under autocast: the wider dtype of the two.
AMP_LAZY [[nodiscard]] Tensor cross(const Tensor& input, const Tensor& other,
                                    std::optional<std::int64_t> dim = {});

/// sum over i and j of input1 [..., I] weight [O, I, J] input2 [..., J], plus bias [O], which may
/// be undefined; the result is [..., O]. Dtypes promote. Computed in float32 or wider and rounded
/// once. Under autocast: the widest dtype of all.
AMP_LAZY [[nodiscard]] Tensor bilinear(const Tensor& input1, const Tensor& input2,
                                       const Tensor& weight, const Tensor& bias = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/products.ipp"
#endif
