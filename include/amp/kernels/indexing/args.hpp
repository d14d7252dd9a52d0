// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of index_select and index_add, and what they index.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output[..., i, ...] = input[..., index[i], ...]. Contiguous, index [n] int64 or int32. `subject`
/// begins the message about an index out of range: the op and its argument.
struct IndexSelectArgs {
  Operand input, index, output;
  int dim;
  std::string_view subject;
};
/// output[..., index[i], ...] = sum over i of source[..., i, ...]. Writes all of output.
struct IndexAddArgs {
  Operand source, index, output;
  int dim;
  std::string_view subject;
};

/// A contiguous array as slices [outer, length, inner]; the index selects along `length`.
struct Slices {
  std::int64_t outer = 1, length, inner = 1;

  Slices(const Operand& array, int dim) : length(array.sizes[dim]) {
    for (int d = 0; d < dim; ++d) outer *= array.sizes[d];
    for (int d = dim + 1; d < array.dims; ++d) inner *= array.sizes[d];
  }
};

}  // namespace amp::inline v0::kernels
