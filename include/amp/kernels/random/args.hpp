// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the kernels that draw random numbers.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0::kernels {

enum class Distribution : std::uint8_t { kUniform, kNormal };
/// output[i] is drawn from [0, 1) or N(0, 1): a pure function of the range's begin and i.
struct RandomArgs {
  Operand output;
  Distribution distribution;
  RandomRange range;
};

/// output[i] = residual[i] + (0 with probability p, else input[i] / (1 - p)), decided by element i
/// of the uniform stream as in RandomArgs. An absent residual is 0. Contiguous; `output` may be
/// input or residual.
struct DropoutArgs {
  Operand input, residual, output;
  double p;
  RandomRange range;
};

}  // namespace amp::inline v0::kernels
