// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Powers with exponents for which products, quotients and roots suffice.
#pragma once

#include <type_traits>

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::host::detail {

// clang-format off
struct Cube : functions::Unary<"pow", functions::kFloating, functions::kNothing> { AMP_FORMULA apply(C x) { return x * x * x; } };
struct Twice : functions::Unary<"pow", functions::kFloating, functions::kNothing> { AMP_FORMULA apply(C x) { return x + x; } };
struct SquareByThree : functions::Unary<"pow", functions::kFloating, functions::kNothing> { AMP_FORMULA apply(C x) { return C{3} * (x * x); } };
// clang-format on

template <class Function>
inline constexpr bool kIsPower = std::is_same_v<Function, functions::Pow> ||
                                 std::is_same_v<Function, functions::ByA<functions::Pow>>;

/// Returns the kernel of x^e, or of its derivative by x; null if the exponent is another.
template <class Function>
void (*power(double e))(const UnaryArgs&) {
  if constexpr (std::is_same_v<Function, functions::Pow>) {
    if (e == 2) return unary<functions::Square>;
    if (e == 3) return unary<Cube>;
    if (e == 0.5) return unary<functions::Sqrt>;
    if (e == -0.5) return unary<functions::Rsqrt>;
    if (e == -1) return unary<functions::Reciprocal>;
  } else {
    if (e == 2) return unary<Twice>;
    if (e == 3) return unary<SquareByThree>;
  }
  return nullptr;
}

}  // namespace amp::inline v0::kernels::host::detail
