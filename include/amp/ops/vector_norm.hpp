// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms of vectors and matrices, and vectors of norm 1.
#pragma once

#include <optional>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The norm of order `p` over `dim`, sum(|x|^p)^(1/p): the length for 2, the number of elements
/// that are not zero for 0, the largest magnitude for infinity, the smallest for -infinity. `dim`
/// is one dimension or several, as for sum(); none means all. The result lacks these dimensions, or
/// has extent 1 there if `keepdim`. Of floating point, in the dtype of `input`: computed in float32
/// or wider and rounded once. Under autocast: float32. Over nothing it is 0; an infinite or
/// negative `p` throws. The gradient is sign(x) (|x| / norm)^(p - 1), and 0 if the norm is 0 or `p`
/// is; elements that equal a norm of infinite order share it evenly.
AMP_LAZY [[nodiscard]] Tensor norm(const Tensor& input, double p = 2, const Dims& dim = {},
                                   bool keepdim = false);

/// The same norms in the order of torch.linalg's arguments. With a `dtype`, which must hold all
/// values of that of `x`, the result has it. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor linalg_vector_norm(const Tensor& x, double ord = 2,
                                                 const Dims& dim = {}, bool keepdim = false,
                                                 std::optional<DType> dtype = {});

/// The norms of matrices, whose rows and columns are the two dimensions `dim`. `ord` is 1, the
/// largest sum of magnitudes of a column, infinity, the same of a row, or -1 or -infinity, the
/// smallest one. (2, -2 and "nuc" need singular values, and throw.) Of floating point; computed in
/// float32 or wider and rounded once. With a `dtype`, as linalg_vector_norm. Under autocast:
/// float32. Equal sums share the gradient.
AMP_LAZY [[nodiscard]] Tensor linalg_matrix_norm(const Tensor& A, double ord,
                                                 const Dims& dim = Dims(-2, -1),
                                                 bool keepdim = false,
                                                 std::optional<DType> dtype = {});
/// The Frobenius norm, "fro": the root of the sum of squares.
AMP_LAZY [[nodiscard]] Tensor linalg_matrix_norm(const Tensor& A, std::string_view ord = "fro",
                                                 const Dims& dim = Dims(-2, -1),
                                                 bool keepdim = false,
                                                 std::optional<DType> dtype = {});

/// x / max(norm(x, p, dim), eps): vectors along `dim`, one dimension or several, of norm 1. The
/// result has the shape and dtype of `input`, which must be floating point; it is computed in
/// float32, or in float64 for float64, and rounded once. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor normalize(const Tensor& input, double p = 2, const Dims& dim = 1,
                                        double eps = 1e-12);

namespace detail {

/// norm() of an op, in `dtype`, without autocast.
AMP_LAZY Tensor vector_norm(std::string_view op, const Tensor& x, double p, const Dims& dim,
                            bool keepdim, DType dtype);
/// The gradient in `dtype` of x, which is not empty and has the norms y.
AMP_LAZY Tensor norm_backward(const Tensor& grad, const Tensor& x, const Tensor& y, double p,
                              DType dtype);
/// Throws if p is NaN, or if it needs an element and there is none.
AMP_LAZY void check_order(std::string_view op, const Tensor& input, double p, const Dims& dim);

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/vector_norm.ipp"
#endif
