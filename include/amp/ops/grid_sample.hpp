// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sampling images at any points, as spatial transformers do (Jaderberg et al. 2015, arXiv
// 1506.02025).
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Between which elements grid_sample() interpolates.
enum class GridSampleMode : std::uint8_t {
  kBilinear,  ///< the two neighbours along each dimension
  kNearest,   ///< none: the nearest one
  kBicubic,   ///< the four neighbours along each dimension, of images [N, C, H, W] only
};
/// What grid_sample() takes for elements beyond the image.
enum class PaddingMode : std::uint8_t {
  kZeros,       ///< 0
  kBorder,      ///< the element at the border
  kReflection,  ///< the image, reflected at its border
};

/// Options of grid_sample().
struct GridSampleOptions {
  GridSampleMode mode = GridSampleMode::kBilinear;
  PaddingMode padding_mode = PaddingMode::kZeros;
  /// Whether -1 and 1 are the places of the first and last elements, rather than their outer edges.
  bool align_corners = false;
};

/// Samples input [N, C, H, W] at grid [N, H', W', 2], or [N, C, D, H, W] at [N, D', H', W', 3];
/// the result is [N, C, H', W'] or [N, C, D', H', W']. A point of the grid is (x, y) or (x, y, z)
/// with -1 and 1 at the ends of W, H and D; one that is infinite or NaN lies far beyond the
/// image. Both have one floating-point dtype, which is that of the result, computed in float32
/// (float64) and rounded once. The gradients have the same bits every time: those of an element
/// of the input are added in the order of the points. Under autocast: the widest dtype of the
/// two.
AMP_LAZY [[nodiscard]] Tensor grid_sample(const Tensor& input, const Tensor& grid,
                                          const GridSampleOptions& options = {});

/// The grid of an affine map: theta [N, 2, 3] times (x, y, 1) for the points of an image of
/// `size` [N, C, H, W], with the result [N, H, W, 2]; or theta [N, 3, 4] times (x, y, z, 1) for
/// [N, C, D, H, W], with the result [N, D, H, W, 3]. Without `align_corners`, -1 and 1 are the
/// outer edges of the first and last elements. Floating point, in the dtype of `theta`. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor affine_grid(const Tensor& theta, const Shape& size,
                                          bool align_corners = false);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/grid_sample.ipp"
#endif
