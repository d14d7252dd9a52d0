// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the kernels that draw random numbers.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0::kernels {

enum class Distribution : std::uint8_t { kUniform, kNormal, kExponential };
/// output[i] is drawn from [0, 1), N(mean, deviation^2), or the exponential distribution with this
/// mean: a pure function of the range's begin and i.
struct RandomArgs {
  Operand output = {};
  Distribution distribution = Distribution::kUniform;
  RandomRange range = {};
  double mean = 0, deviation = 1;
};
/// output[i] is an integer of [low, low + span), likewise from words 2 i and 2 i + 1.
struct RandintArgs {
  Operand output;
  std::int64_t low;
  std::uint64_t span;
  RandomRange range;
};
/// Permutations of at most this many numbers are those that sort as many random numbers: each is
/// equally likely. That takes n^2 steps on a device.
inline constexpr std::int64_t kMostSorted = 1 << 14;
/// output is a permutation of 0, 1, ... n - 1, of int64: formula.hpp says which.
struct RandpermArgs {
  Operand output;
  RandomRange range;
};
/// output [rows, k], of int64: in each row, indices of weights [rows, n] drawn in proportion to
/// these. Contiguous.
struct MultinomialArgs {
  Operand weights, output;
  bool replacement;
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
