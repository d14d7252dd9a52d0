// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise ops: a loop over blocks around one scalar expression each.
#pragma once

#include "amp/kernels/elementwise/args.hpp"

namespace amp::inline v0::kernels::host {

void neg(const UnaryArgs& args);
void abs(const UnaryArgs& args);
void exp(const UnaryArgs& args);
void log(const UnaryArgs& args);
void log1p(const UnaryArgs& args);
void sqrt(const UnaryArgs& args);
void rsqrt(const UnaryArgs& args);
void tanh(const UnaryArgs& args);
void sigmoid(const UnaryArgs& args);
void relu(const UnaryArgs& args);
void silu(const UnaryArgs& args);
void gelu(const UnaryArgs& args);
void gelu_tanh(const UnaryArgs& args);
void abs_backward(const BinaryArgs& args);
void log1p_backward(const BinaryArgs& args);
void sqrt_backward(const BinaryArgs& args);
void rsqrt_backward(const BinaryArgs& args);
void tanh_backward(const BinaryArgs& args);
void sigmoid_backward(const BinaryArgs& args);
void relu_backward(const BinaryArgs& args);
void silu_backward(const BinaryArgs& args);
void gelu_backward(const BinaryArgs& args);
void gelu_tanh_backward(const BinaryArgs& args);
void add(const BinaryArgs& args);
void sub(const BinaryArgs& args);
void mul(const BinaryArgs& args);
void div(const BinaryArgs& args);
void maximum(const BinaryArgs& args);
void minimum(const BinaryArgs& args);
void pow_derivative_base(const BinaryArgs& args);
void pow_derivative_exponent(const BinaryArgs& args);
void maximum_share(const BinaryArgs& args);
void eq(const BinaryArgs& args);
void ne(const BinaryArgs& args);
void lt(const BinaryArgs& args);
void le(const BinaryArgs& args);
void gt(const BinaryArgs& args);
void ge(const BinaryArgs& args);
void squared_error(const BinaryArgs& args);
void binary_cross_entropy_with_logits(const BinaryArgs& args);
void binary_cross_entropy_derivative(const BinaryArgs& args);
/// Computes in int64 if the result is an integer.
void pow(const BinaryArgs& args);
void where(const WhereArgs& args);
/// Copies and converts. Equal dtypes copy bits, so NaN payloads survive.
void copy(const UnaryArgs& args);
void fill(const FillArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/elementwise/host.ipp"
#endif
