// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the kernels that take each element from another place, dimension by dimension:
// flip, roll, repeat and pad; and of those that keep a triangle of a matrix.
#pragma once

#include <array>
#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/remap/formula.hpp"

namespace amp::inline v0::kernels {

/// A map for each dimension.
using DimMaps = std::array<DimMap, kMaxDims>;

/// output[o0, o1, ...] = input[source(o0), source(o1), ...], or `value` if one of these is nowhere.
/// One dtype; the output is contiguous.
struct RemapArgs {
  Operand input, output;
  DimMaps maps;
  double value = 0;
};
/// grad_input[i] = the sum of grad_output over all places to which RemapArgs takes element i.
/// Contiguous.
struct RemapBackwardArgs {
  Operand grad_output, grad_input;
  DimMaps maps;
};

/// output[..., r, c] = input[..., r, c] if c - r <= diagonal (`upper`: >=), else 0. Contiguous, of
/// one dtype.
struct TriangleArgs {
  Operand input, output;
  std::int64_t diagonal;
  bool upper;
};

}  // namespace amp::inline v0::kernels
