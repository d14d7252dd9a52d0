// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Products of matrices and vectors, added to a tensor. All have one floating-point dtype, which is
// that of the result; it is rounded once, after the sum.
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of addmm and its relatives: beta input + alpha product. If beta is 0, `input` does not
/// count, whatever it holds.
struct AddmmOptions {
  double beta = 1, alpha = 1;
};

/// beta input + alpha mat1 [M, K] @ mat2 [K, N]; `input` broadcasts to [M, N]. A row `input` is
/// added within the matmul if both factors are 1. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2,
                                    const AddmmOptions& options = {});
/// beta input + alpha mat [M, K] @ vec [K]; `input` broadcasts to [M]. Under autocast: low
/// precision.
AMP_LAZY [[nodiscard]] Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec,
                                    const AddmmOptions& options = {});
/// beta input + alpha vec1 [M] vec2 [N]^T; `input` broadcasts to [M, N]. Dtypes promote. Under
/// autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor addr(const Tensor& input, const Tensor& vec1, const Tensor& vec2,
                                   const AddmmOptions& options = {});
/// beta input + alpha sum(batch1[b] @ batch2[b]) for batch1 [B, M, K] and batch2 [B, K, N]; `input`
/// broadcasts to [M, N]. One matmul, of inner extent B K. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor addbmm(const Tensor& input, const Tensor& batch1,
                                     const Tensor& batch2, const AddmmOptions& options = {});
/// beta input + alpha batch1 [B, M, K] @ batch2 [B, K, N]; `input` broadcasts to [B, M, N]. Under
/// autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor baddbmm(const Tensor& input, const Tensor& batch1,
                                      const Tensor& batch2, const AddmmOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/addmm.ipp"
#endif
