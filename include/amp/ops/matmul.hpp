// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls. Accumulated in float32, rounded once; transposed operands are read as they lie.
//   C = A B:   grad_A = grad_C B^T,   grad_B = A^T grad_C
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Multiplies matrices [M, K] @ [K, N], batches of them (leading dimensions broadcast), and
/// vectors, as in torch. Operands have one dtype; autocast takes care of it. 2 M N K flops.
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);

/// [B, M, K] @ [B, K, N]
[[nodiscard]] Tensor bmm(const Tensor& a, const Tensor& b);

/// input [..., K] @ weight^T [K, N] + bias [N], for a weight [N, K]; `bias` may be undefined. One
/// rounding, after the bias.
[[nodiscard]] Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

namespace detail {

/// What kernels see of matrices [B, M, N], or of one as a batch.
kernels::Operand batch_operand(const Tensor& x);

/// a [B, M, K] @ b [B, K, N] (+ bias [N]), or of two matrices, without history. B broadcasts from
/// 1. `dtype` of the result: that of a unless given. `row_sums` [M], where defined and B is 1,
/// become those of a.
Tensor matmul_no_grad(const Tensor& a, const Tensor& b, const Tensor& bias = {},
                      std::optional<DType> dtype = {}, const Tensor& row_sums = {});

/// The last two dimensions exchanged.
Tensor transpose_last(const Tensor& x);

/// The gradients of a weight [N, K] and, where a dtype is given for it, of a bias [N] that gave
/// y = x W^T + b: grad^T @ x for the gradient [M, N] of y and x [M, K], and the sums of grad.
std::array<Tensor, 2> weight_gradients(const Tensor& grad, const Tensor& x, DType weight_dtype,
                                       std::optional<DType> bias_dtype);

/// Throws unless both are floating point of one dtype, on one device.
void check_matmul(std::string_view op, const Tensor& a, const Tensor& b,
                  std::string_view name_a = "a", std::string_view name_b = "b");

/// As the public one, but without autocast and in a `dtype` that may be wider.
Tensor matmul(std::string_view op, const Tensor& a, const Tensor& b,
              std::optional<DType> dtype = {});

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/matmul.ipp"
#endif
