// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Powers with exponents for which products, quotients and roots suffice.
#pragma once

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/function_kernels.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::host::detail {

// clang-format off
struct Cube : functions::Unary<"pow", functions::kFloating, functions::kNothing> { AMP_FORMULA apply(C x) { return x * x * x; } };
struct SlopeOfSquare : functions::Binary<"pow", functions::kFloating> { AMP_FORMULA apply(C grad, C x) { return grad * (x + x); } };
struct SlopeOfCube : functions::Binary<"pow", functions::kFloating> { AMP_FORMULA apply(C grad, C x) { return grad * (C{3} * (x * x)); } };
// clang-format on

/// Whether the exponent is a number, and nothing is float64.
template <class Args>
bool is_fixed_power(const Args& args) {
  return args.b.immediate && args.a.dtype != kFloat64 && is_floating_point(args.a.dtype) &&
         args.output.dtype != kFloat64;
}

/// Returns the kernel of x^e; null if the exponent is another.
inline Kernel<UnaryArgs> power(double e) {
  if (e == 2) return unary<functions::Square>;
  if (e == 3) return unary<Cube>;
  if (e == 0.5) return unary<functions::Sqrt>;
  if (e == -0.5) return unary<functions::Rsqrt>;
  if (e == -1) return unary<functions::Reciprocal>;
  return nullptr;
}
/// The same of its derivative times a gradient.
inline Kernel<BinaryArgs> slope_of_power(double e) {
  if (e == 2) return binary<SlopeOfSquare>;
  if (e == 3) return binary<SlopeOfCube>;
  return nullptr;
}

}  // namespace amp::inline v0::kernels::host::detail
