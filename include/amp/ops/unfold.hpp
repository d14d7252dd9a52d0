// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The patches of images as columns, and their sums.
#pragma once

#include "amp/ops/window.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of unfold() and fold().
struct UnfoldOptions {
  Size2d dilation = 1;
  Size2d padding = 0;
  Size2d stride = 1;
};

/// The patches that the windows of a conv2d see in input [N, C, H, W] (or [C, H, W]): the result is
/// [N, C * KH * KW, L] (or [C * KH * KW, L]) with a column for each of the L = H' W' windows.
/// Padding counts as 0. Floating point, in the dtype of `input`. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor unfold(const Tensor& input, Size2d kernel,
                                     const UnfoldOptions& options = {});

/// The gradient of unfold() by its input: each pixel of the result [N, C, H, W] (or [C, H, W]),
/// with {H, W} = output_size, is the sum of what columns [N, C * KH * KW, L] (or [C * KH * KW, L])
/// have of it. Summed in float32 (float64), and rounded once. Floating point, in the dtype of
/// `input`. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor fold(const Tensor& input, Size2d output_size, Size2d kernel,
                                   const UnfoldOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/unfold.ipp"
#endif
