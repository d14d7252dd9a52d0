// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// IEEE 754 binary16: 5 exponent bits, 10 fraction bits. It has three decimal digits between 2^-24
// (6.0e-8) and 65504. Larger values become infinite and those below 2^-25 become zero, which is why
// gradients in it need a loss scale.
#pragma once

#include "amp/types/limits.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

/// IEEE binary16: 5 bits of exponent and 10 of fraction.
using half = small_float<5, 10>;
static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);

}  // namespace amp::inline v0
