// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The two 8-bit formats of OCP's and Micikevicius et al. 2022 (arXiv 2209.05433).
#pragma once

#include "amp/types/limits.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

/// 4 exponent bits, 3 fraction bits, no infinities, values up to 448. Overflow, infinities
/// included, becomes NaN by default, as in ml_dtypes; saturate_cast<float8_e4m3fn>(x) gives 448, as
/// torch's conversion does. Used for weights and activations.
using float8_e4m3fn = small_float<4, 3, NonFinite::kNanOnly>;
/// 5 exponent bits, 2 fraction bits, IEEE-like, values up to 57344. Overflow becomes infinite, as
/// in torch; saturate_cast stops at 57344. Used for gradients.
using float8_e5m2 = small_float<5, 2>;
static_assert(sizeof(float8_e4m3fn) == 1 && sizeof(float8_e5m2) == 1);

}  // namespace amp::inline v0
