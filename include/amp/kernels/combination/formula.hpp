// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Combinations, a struct each: the number of operands, that of parameters, whether there are
// integers, and the formula (functions/row.hpp says how formulas are written).
#pragma once

#include "amp/kernels/combination/args.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels {

using functions::select;

template <int Operands, int Parameters = 0, bool Integers = false>
struct Combination {
  static constexpr int kOperands = Operands;
  static constexpr int kParameters = Parameters;
  static constexpr bool kIntegers = Integers;
};

/// scale a + value b c
struct Addcmul : Combination<3, 2, true> {
  AMP_FORMULA apply(C a, C b, C c, C value, C scale) {
    using functions::Mul;
    return functions::Add::apply(Mul::apply(scale, a), Mul::apply(Mul::apply(value, b), c));
  }
};
/// a + value b / c
struct Addcdiv : Combination<3, 1> {
  AMP_FORMULA apply(C a, C b, C c, C value) { return a + value * b / c; }
};
/// The gradient of addcdiv by c: -grad value b / c^2
struct AddcdivByDivisor : Combination<3, 1> {
  AMP_FORMULA apply(C grad, C b, C c, C value) { return -grad * (value * b / c / c); }
};
/// a + weight (b - a), from the nearer end, so that weights 0 and 1 give a and b.
struct Lerp : Combination<3> {
  AMP_FORMULA apply(C a, C b, C weight) {
    return select(functions::Abs::apply(weight) < C(0.5), a + weight * (b - a),
                  b - (b - a) * (C{1} - weight));
  }
};
/// factor (a - b)
struct TimesDifference : Combination<3> {
  AMP_FORMULA apply(C factor, C a, C b) { return factor * (a - b); }
};
/// a b - c d
struct Determinant : Combination<4, 0, true> {
  AMP_FORMULA apply(C a, C b, C c, C d) {
    using functions::Mul;
    return functions::Sub::apply(Mul::apply(a, b), Mul::apply(c, d));
  }
};
/// a b + c d
struct SumOfProducts : Combination<4> {
  AMP_FORMULA apply(C a, C b, C c, C d) { return a * b + c * d; }
};
/// The distance of points with these lengths and this product. NaN stays NaN.
struct DistanceOfProduct : Combination<3> {
  AMP_FORMULA root(C square) { return functions::Sqrt::apply(select(square < C{0}, C{0}, square)); }
  AMP_FORMULA apply(C product, C a, C b) { return root(a * a + b * b - (product + product)); }
};
/// grad / distance, and 0 at distance 0, which has no derivative.
struct OverDistance : Combination<2> {
  AMP_FORMULA apply(C grad, C distance) { return select(distance == C{0}, C{0}, grad / distance); }
};
/// a - b + offset
struct OffsetDifference : Combination<2, 1> {
  AMP_FORMULA apply(C a, C b, C offset) { return a - b + offset; }
};

/// Calls visitor(type_tag<C>) with the type in which the function computes: that of the widest
/// operand.
template <class Function, class Visitor>
void visit_combination_type(const CombinationArgs& args, Visitor&& visitor) {
  DType widest = args.output.dtype;
  for (int k = 0; k < Function::kOperands; ++k) {
    if (!args.inputs[k].immediate) widest = promote_types(widest, args.inputs[k].dtype);
  }
  if constexpr (Function::kIntegers) {
    visit_compute_type(widest, visitor);
  } else {
    visit_float_type(widest, visitor);
  }
}

}  // namespace amp::inline v0::kernels
