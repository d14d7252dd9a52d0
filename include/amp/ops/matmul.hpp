// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls. They accumulate in float32 (float64) and round once; transposed operands are not copied.
//   C = A B:   grad_A = grad_C B^T,   grad_B = A^T grad_C
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Multiplies matrices [M, K] @ [K, N], batches of them (leading dimensions broadcast), and
/// vectors, as in torch: a vector `a` is a row, a vector `b` a column, and the result lacks that
/// dimension. Both have one floating-point dtype, which is that of the result. Under autocast: low
/// precision. Takes 2 M N K flops.
AMP_LAZY [[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);

/// a [B, M, K] @ b [B, K, N], with the result [B, M, N], matrix by matrix. Does not broadcast. Both
/// have one floating-point dtype, which is that of the result. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor bmm(const Tensor& a, const Tensor& b);

/// input [..., K] @ weight^T + bias, for weight [N, K] and bias [N], with the result [..., N];
/// `bias` may be undefined. Rounds once, after the bias is added. All have one floating-point
/// dtype, which is that of the result. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor linear(const Tensor& input, const Tensor& weight,
                                     const Tensor& bias = {});

namespace detail {

/// The operand for matrices [B, M, N], or for one matrix as a batch of 1.
AMP_LAZY kernels::Operand batch_operand(const Tensor& x);

/// a [B, M, K] @ b [B, K, N] (+ bias [N]), or the same for two matrices, without history. B
/// broadcasts from 1. The result has the dtype of a unless `dtype` is given. If `row_sums` [M] is
/// defined, which needs a B of 1, the sums of the rows of a are written to it.
AMP_LAZY Tensor matmul_no_grad(const Tensor& a, const Tensor& b, const Tensor& bias = {},
                               std::optional<DType> dtype = {}, const Tensor& row_sums = {});

/// A view with the last two dimensions exchanged, without history.
AMP_LAZY Tensor transpose_last(const Tensor& x);

/// The gradients of a weight [N, K] and, if a dtype is given for it, of a bias [N] that gave
/// y = x W^T + b: grad^T @ x for the gradient [M, N] of y and x [M, K], and the sums of grad.
AMP_LAZY std::array<Tensor, 2> weight_gradients(const Tensor& grad, const Tensor& x,
                                                DType weight_dtype,
                                                std::optional<DType> bias_dtype);

/// Throws unless both are floating point of one dtype, on one device.
AMP_LAZY void check_matmul(std::string_view op, const Tensor& a, const Tensor& b,
                           std::string_view name_a = "a", std::string_view name_b = "b");

/// As the public matmul, but without autocast, and with a result in a `dtype` that may be wider.
AMP_LAZY Tensor matmul(std::string_view op, const Tensor& a, const Tensor& b,
                       std::optional<DType> dtype = {});

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/matmul.ipp"
#endif
