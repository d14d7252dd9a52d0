// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How a kernel goes over lines of elements, such as the rows that softmax, norms and losses reduce.
// A kernel is written once, for any of these sweeps:
//
//   Rows      contiguous lines of a plain format; a team of threads has one, in vectors of eight
//   Columns   lines side by side of a plain format; a thread has eight, in vectors across them
//   Singles   any lines and dtypes; a thread or a block has one, element by element
//
// Sweeps add in different orders, so the last bits of a sum depend on the layout and the dtype of
// the array. They do not change from run to run.
#pragma once

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/traversal/cuda/columns.cuh"
#include "amp/kernels/traversal/cuda/rows.cuh"
#include "amp/kernels/traversal/cuda/singles.cuh"

namespace amp::inline v0::kernels::cuda {

/// Calls visitor(sweep) with the best sweep for these lines. `arrays` are those that a tile reads
/// and writes: they have the shape that has the lines, or one element for each line, or one for
/// each position in a line. `dtype` decides what Singles compute in; Wide and Across are the Rows
/// and the Columns that the kernel wants.
template <class Wide, class Across, class Visitor, class... Arrays>
void visit_sweep(const Lines& lines, DType dtype, Visitor&& visitor, const Arrays&... arrays) {
  if (lines.stride == 1 && are_rows_of_vectors(lines.length, arrays...))
    return visitor(Wide(MatrixRows{lines.count, lines.length}));
  if (are_columns_of_vectors(lines, arrays...)) return visitor(Across(lines));
  visit_float_type(dtype, [&](auto tag) {
    visit_team(lines, [&](auto team) {
      visitor(Singles<decltype(team), typename decltype(tag)::type>(lines));
    });
  });
}

}  // namespace amp::inline v0::kernels::cuda
