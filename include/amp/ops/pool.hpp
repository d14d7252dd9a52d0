// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling.
#pragma once

#include "amp/ops/conv.hpp"  // Size2d
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The maximum of each kernel x kernel window of input [N, C, H, W] (or [C, H, W]), stride apart;
/// padding counts as -infinity. The gradient goes to the first maximum.
[[nodiscard]] Tensor max_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                Size2d padding = 0);
/// Windows side by side: stride = kernel.
[[nodiscard]] Tensor max_pool2d(const Tensor& input, Size2d kernel);

/// The mean of each window; padding counts as zeros that are averaged too.
[[nodiscard]] Tensor avg_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                Size2d padding = 0);
[[nodiscard]] Tensor avg_pool2d(const Tensor& input, Size2d kernel);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/pool.ipp"
#endif
