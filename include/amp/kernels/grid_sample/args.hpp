// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of sampling images at the points of a grid.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// How a point is sampled (formula.hpp). The enumerators are those of the op's options.
struct SamplingRule {
  enum Mode : std::uint8_t { kBilinear, kNearest, kBicubic } mode;
  enum Padding : std::uint8_t { kZeros, kBorder, kReflection } padding;
  bool align_corners;
};

/// output[n, c, p] = sum over i of w(grid[n, p], i) input[n, c, i]: input [N, C, (D,) H, W], grid
/// [N, points..., 2 or 3], output [N, C, points...]. All contiguous.
struct GridSampleArgs {
  Operand input, grid, output;
  SamplingRule rule;
};
/// The gradients by the input and the grid; one that is not wanted is absent.
struct GridSampleBackwardArgs {
  Operand grad_output, input, grid, grad_input, grad_grid;
  SamplingRule rule;
};

/// The extents of both.
struct SampledShape {
  std::int64_t batch, channels, points, elements;  // points and elements of one image
  std::int64_t extents[3] = {1, 1, 1};             // depth, height, width
  int dims;

  SampledShape(const Operand& input, const Operand& grid)
      : batch(input.sizes[0]),
        channels(input.sizes[1]),
        points(1),
        elements(1),
        dims(input.dims - 2) {
    for (int d = 1; d + 1 < grid.dims; ++d) points *= grid.sizes[d];
    for (int d = 0; d < dims; ++d) {
      extents[3 - dims + d] = input.sizes[2 + d];
      elements *= input.sizes[2 + d];
    }
  }
};

}  // namespace amp::inline v0::kernels
