// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of kernels that put elements in order, or look numbers up in an order.
//
// The order: ascending; -0 equals 0; NaN counts as the largest; equal elements keep the order of
// their positions, also if the order is descending.
#pragma once

#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels {

/// The first elements of each line of `input` in the order, as many as `values` has in `dim`, and
/// their positions (int64). The input has any strides; values and indices are contiguous.
struct SortArgs {
  Operand input, values, indices;
  int dim;
  bool descending;
};
/// The element of each line that has `rank` elements before it in the ascending order, and its
/// position. If `prefers_nan`, it is the first NaN of a line that has one. values and indices have
/// extent 1 in `dim`.
struct SelectArgs {
  Operand input, values, indices;
  int dim;
  std::int64_t rank;
  bool prefers_nan;
};
/// output[..., indices[..., i, ...], ...] = source[..., i, ...], 0 elsewhere. All contiguous. The
/// indices (int64) of a line lie within the output, and differ.
struct PutArgs {
  Operand source, indices, output;
  int dim;
};
/// The number of boundaries below each value, or not above it if `right`. Boundaries are ascending
/// along their last dimension, one line for all values, or one for each line of them. All have one
/// dtype; the output is int64. All contiguous.
struct SearchArgs {
  Operand boundaries, values, output;
  bool right;
};
/// begins[r] = the first i with runs[i] = r, of numbers that ascend from 0 by at most 1; and, last,
/// how many there are. Both are int64.
struct RunsArgs {
  Operand runs, begins;
};
/// How many elements lie in each of output.numel() equal bins between `low` and `high`, both
/// included, which have one element each. If low = high, the bins reach from low - 1 to high + 1.
/// NaN lies in none. All contiguous, input and output of one dtype.
struct CountArgs {
  Operand input, low, high, output;
};

}  // namespace amp::inline v0::kernels
