// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Powers of arrays of floats with exponents for which products, quotients and roots suffice.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/host/loops.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::host::detail {

using PowerLoop = void (*)(const Parameters& parameters, float* y, std::int64_t n, Values<float> x);

// clang-format off
struct Cube { static constexpr int kParameters = 0; AMP_FORMULA apply(C x) { return x * x * x; } };
struct Twice { static constexpr int kParameters = 0; AMP_FORMULA apply(C x) { return x + x; } };
struct SquareByThree { static constexpr int kParameters = 0; AMP_FORMULA apply(C x) { return C{3} * (x * x); } };
// clang-format on

template <class Function>
inline constexpr bool kIsPower = std::is_same_v<Function, functions::Pow> ||
                                 std::is_same_v<Function, functions::ByA<functions::Pow>>;

/// Returns the loop of x^e, or of its derivative by x; null if the exponent is another.
template <class Function>
PowerLoop power_loop(double e) {
  if constexpr (std::is_same_v<Function, functions::Pow>) {
    if (e == 2) return loop<functions::Square, float, float, float>;
    if (e == 3) return loop<Cube, float, float, float>;
    if (e == 0.5) return loop<functions::Sqrt, float, float, float>;
    if (e == -0.5) return loop<functions::Rsqrt, float, float, float>;
    if (e == -1) return loop<functions::Reciprocal, float, float, float>;
  } else {
    if (e == 2) return loop<Twice, float, float, float>;
    if (e == 3) return loop<SquareByThree, float, float, float>;
  }
  return nullptr;
}

}  // namespace amp::inline v0::kernels::host::detail
