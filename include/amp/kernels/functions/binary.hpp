// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of two operands, a row each: name, dtypes, formula, derivatives.
#pragma once

#include "amp/kernels/functions/activation.hpp"
#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/row.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::functions {

// clang-format off
struct Add : Binary<"add", kNumbers> { AMP_FORMULA apply(C a, C b) { return a + b; }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrapping(bits_of(a) + bits_of(b)); } };
/// relu(a + b)
struct AddRelu : Binary<"add_relu", kFloating> { AMP_FORMULA apply(C a, C b) { return Relu::apply(a + b); } };
struct Sub : Binary<"sub", kNumbers> { AMP_FORMULA apply(C a, C b) { return a - b; }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrapping(bits_of(a) - bits_of(b)); } };
struct Mul : Binary<"mul", kNumbers> { AMP_FORMULA apply(C a, C b) { return a * b; }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrapping(bits_of(a) * bits_of(b)); } };
/// Its op divides the gradient instead of multiplying it by df/da.
struct Div : Binary<"div", kReal> { AMP_FORMULA apply(C a, C b) { return a / b; } AMP_FORMULA by_b(C a, C b) { return -(a / b) / b; } };
/// x^0 is constant, and 0^e for e >= 0, as in torch.
struct Pow : Binary<"pow", kNumbers> { AMP_FORMULA apply(C a, C b) { return pow(a, b); }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return integer_power(a, b); }
  AMP_FORMULA by_a(C x, C e) { return select(e == C{0}, C{0}, e * pow(x, e - C{1})); }
  AMP_FORMULA by_b(C x, C e) { return select(x == C{0} && e >= C{0}, C{0}, pow(x, e) * log(x)); } };
/// The angle of the point (b, a) in (-pi, pi]. At (0, 0) the derivatives are 0.
struct Atan2 : Binary<"atan2", kReal> { AMP_FORMULA apply(C a, C b) { return atan2(a, b); }
  AMP_FORMULA over(C x, C squares) { return select(squares == C{0}, C{0}, x / squares); }
  AMP_FORMULA by_a(C a, C b) { return over(b, a * a + b * b); } AMP_FORMULA by_b(C a, C b) { return over(-a, a * a + b * b); } };
/// a - b trunc(a / b), with the sign of a
struct Fmod : Binary<"fmod", kNumbers> { AMP_FORMULA apply(C a, C b) { return fmod(a, b); }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return integer_remainder(a, b); }
  AMP_FORMULA by_b(C a, C b) { return -trunc(a / b); } };
/// a - b floor(a / b), with the sign of b
struct Remainder : Binary<"remainder", kNumbers> {
  AMP_CONDITION other_sign(C r, C b) { return r != C{0} && (r < C{0}) != (b < C{0}) && b != C{0}; }
  AMP_FORMULA of(C r, C b) { return select(other_sign(r, b), r + b, r); } AMP_FORMULA apply(C a, C b) { return of(Fmod::apply(a, b), b); }
  AMP_FORMULA slope(C a, C b, C r) { return select(b == C{0}, -a / b, select(other_sign(r, b), C{1}, C{0}) - rint((a - r) / b)); }
  AMP_FORMULA by_b(C a, C b) { return slope(a, b, Fmod::apply(a, b)); } };
/// NaN wins. Equal numbers get half of the gradient each.
struct Maximum : Binary<"max", kNumbers> { AMP_FORMULA apply(C a, C b) { return select(is_nan(a), a, unless_unseen_nan(b, larger(a, b))); }
  AMP_FORMULA by_a(C a, C b) { return select(a == b, C(0.5), select(a < b, C{0}, C{1})); } AMP_FORMULA by_b(C a, C b) { return by_a(b, a); } };
struct Minimum : Binary<"min", kNumbers> { AMP_FORMULA apply(C a, C b) { return select(is_nan(a), a, unless_unseen_nan(b, smaller(a, b))); }
  AMP_FORMULA by_a(C a, C b) { return Maximum::by_a(b, a); } AMP_FORMULA by_b(C a, C b) { return Maximum::by_a(a, b); } };
/// a sigmoid(b)
struct Glu : Binary<"glu", kFloating> { AMP_FORMULA apply(C a, C b) { return a * Sigmoid::apply(b); }
  AMP_FORMULA by_a(C, C b) { return Sigmoid::apply(b); } AMP_FORMULA slope(C a, C s) { return a * (s * (C{1} - s)); } AMP_FORMULA by_b(C a, C b) { return slope(a, Sigmoid::apply(b)); } };
/// b a for a <= 0
struct Prelu : Binary<"prelu", kFloating> { AMP_FORMULA apply(C a, C b) { return select(a > C{0}, a, b * a); }
  AMP_FORMULA by_a(C a, C b) { return select(a > C{0}, C{1}, b); } AMP_FORMULA by_b(C a, C) { return select(a > C{0}, C{0}, a); } };

struct Eq : Binary<"eq", kTruth> { AMP_CONDITION apply(C a, C b) { return a == b; } };
struct Ne : Binary<"ne", kTruth> { AMP_CONDITION apply(C a, C b) { return a != b; } };
struct Lt : Binary<"lt", kTruth> { AMP_CONDITION apply(C a, C b) { return a < b; } };
struct Le : Binary<"le", kTruth> { AMP_CONDITION apply(C a, C b) { return a <= b; } };
struct Gt : Binary<"gt", kTruth> { AMP_CONDITION apply(C a, C b) { return a > b; } };
struct Ge : Binary<"ge", kTruth> { AMP_CONDITION apply(C a, C b) { return a >= b; } };
struct LogicalAnd : Binary<"logical_and", kTruth> { AMP_CONDITION apply(C a, C b) { return a != C{0} && b != C{0}; } };
struct LogicalOr : Binary<"logical_or", kTruth> { AMP_CONDITION apply(C a, C b) { return a != C{0} || b != C{0}; } };
struct LogicalXor : Binary<"logical_xor", kTruth> { AMP_CONDITION apply(C a, C b) { return (a != C{0}) != (b != C{0}); } };

// clang-format on

/// All that have a kernel of their own, in the order of the tables of devices.
using FunctionsOfTwo = List<Add, Sub, Mul, Div, Pow, Atan2, Fmod, Remainder, Maximum, Minimum, Eq,
                            Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr, LogicalXor, Glu, Prelu>;

}  // namespace amp::inline v0::kernels::functions
