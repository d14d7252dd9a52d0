// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of elementwise kernels.
#pragma once

#include <array>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/functions/row.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = value
struct FillArgs {
  Operand output;
  double value;
};

/// The parameters of an op, as the slope of leaky_relu.
using Parameters = std::array<double, 2>;

/// output[i] = f(input[i]). The shapes are equal; `output` may be `input`. Conditions store bool.
struct UnaryArgs {
  Operand input, output;
  Parameters parameters = {};
};

/// output[i] = f(a[i], b[i]). a and b broadcast to the shape of the output, which may be one of
/// them. Conditions store bool. A derivative has its function's parameters.
struct BinaryArgs {
  Operand a, b, output;
  Parameters parameters = {};
};

/// output[i] = grad[i] df/da(a[i], b[i]), or df/db, of a function of two operands. All broadcast to
/// the shape of the output. a or b may be the output, or a number.
struct GradientArgs {
  Operand grad, a, b, output;
  Parameters parameters = {};
};

/// output[i] = condition[i] ? a[i] : b[i]. All broadcast to the shape of the output; condition is
/// bool.
struct WhereArgs {
  Operand condition, a, b, output;
};

/// The function with these parameters, to be computed in C.
template <class Function, class C>
functions::Bound<Function, C> bound(const Parameters& parameters) {
  return {static_cast<C>(parameters[0]), static_cast<C>(parameters[1])};
}

/// Calls visitor(type_tag<C>, type_tag<Result>) with the type in which the function computes, and
/// that of its result: the type of the operands, or, if the function knows floating point only, of
/// the output.
template <class Function, class Visitor>
void visit_types(DType operands, DType output, Visitor&& visitor) {
  if constexpr (Function::kDomain == functions::kTruth) {
    visit_compute_type(operands, [&](auto tag) { visitor(tag, type_tag<bool>{}); });
  } else if constexpr (Function::kDomain == functions::kNumbers) {
    visit_compute_type(operands, [&](auto tag) { visitor(tag, tag); });
  } else {
    visit_float_type(output, [&](auto tag) { visitor(tag, tag); });
  }
}

}  // namespace amp::inline v0::kernels
