// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// bfloat16: the upper half of a float, 8 exponent bits and 7 fraction bits (Kalamkar et al. 2019,
// arXiv 1905.12322). It has float's range with two decimal digits: gradients need no loss scale,
// but sums need a wider accumulator.
#pragma once

#include "amp/types/limits.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

/// 8 bits of exponent, as float has, and 7 of fraction.
using bfloat16 = small_float<8, 7>;
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

}  // namespace amp::inline v0
