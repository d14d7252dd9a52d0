// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of resampling: of weighted sums along up to three dimensions, one after the other.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// How an output along a dimension weighs the inputs (formula.hpp).
enum class Resampling : std::uint8_t {
  kNearest,
  kNearestExact,
  kLinear,
  kCubic,
  kArea,
  kAntialiasedLinear,
  kAntialiasedCubic
};

/// A dimension of `input` elements that becomes one of `output`. Neighbours of the output are
/// `step` inputs apart.
struct ResampleAxis {
  std::int64_t input = 1, output = 1;
  Resampling rule = Resampling::kNearest;
  bool align_corners = false;
  double step = 1;
};

/// output[..., o, ...] = sum over i of w(o, i) input[..., i, ...], along depth, height and width.
/// If `transposed`, the gradient: `input` has the extents of outputs, `output` those of inputs, and
/// the sum is over o. All contiguous, or, with two axes, all channels-last.
struct ResampleArgs {
  Operand input, output;
  ResampleAxis axes[3];  // depth, height, width: the last dimensions of the operands
  int dims;              // how many of them, from the last
  bool transposed;
};

}  // namespace amp::inline v0::kernels
