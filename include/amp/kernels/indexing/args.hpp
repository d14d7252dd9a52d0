// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of index_select and index_add.
#pragma once

#include <string_view>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output[..., i, ...] = input[..., index[i], ...]. Contiguous, index [n] int64 or int32.
/// `subject` begins the message about an index out of range: the op and its argument.
struct IndexSelectArgs {
  Operand input, index, output;
  int dim;
  std::string_view subject;
};
/// output[..., index[i], ...] = sum over i of source[..., i, ...]; output is written whole.
struct IndexAddArgs {
  Operand source, index, output;
  int dim;
  std::string_view subject;
};

}  // namespace amp::inline v0::kernels
