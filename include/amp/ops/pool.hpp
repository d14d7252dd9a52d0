// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling, over windows of k x k elements that lie `stride` apart. An extent H of `input` gives
//   H' = floor((H + 2 padding - k) / stride) + 1
// in the result. k and `stride` are at most 2^30, and `padding` is at most half of k.
#pragma once

#include "amp/ops/conv.hpp"  // Size2d
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The maximum of each window of input [N, C, H, W] (or [C, H, W]), with the result [N, C, H', W']
/// (or [C, H', W']), H' = floor((H + 2 padding - kernel) / stride) + 1. NaN if a window has a NaN;
/// padding counts as -infinity. The gradient goes to the first maximum of the window. Floating
/// point, in the dtype of `input`. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor max_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                         Size2d padding = 0);
/// The same with stride = kernel and no padding.
AMP_LAZY [[nodiscard]] Tensor max_pool2d(const Tensor& input, Size2d kernel);

/// The mean of each window, with shapes and dtypes as in max_pool2d: the sum of its elements
/// divided by the size of the kernel, so that padding counts as zeros. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor avg_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                         Size2d padding = 0);
/// The same with stride = kernel and no padding.
AMP_LAZY [[nodiscard]] Tensor avg_pool2d(const Tensor& input, Size2d kernel);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/pool.ipp"
#endif
