// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of one operand, a row each: name, dtypes, what backward keeps, formula, derivative.
// Activations stand in activation.hpp.
#pragma once

#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/row.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::functions {

/// Copies and converts.
struct Identity {
  static constexpr int kParameters = 0;
  AMP_FORMULA apply(C x) { return x; }
};

// clang-format off
/// Its op has the derivative, which needs nothing.
struct Neg : Unary<"neg", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return -x; }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return wrapping(0 - bits_of(x)); } };
struct Abs : Unary<"abs", kNumbers, kInput> { AMP_FORMULA apply(C x) { return abs(x); }
  AMP_FORMULA derivative(C grad, C x) { return select(x > C{0}, grad, select(x < C{0}, -grad, C{0})); } };
struct Sign : Unary<"sign", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return select(x > C{0}, C{1}, select(x < C{0}, C{-1}, C{0})); } };
struct Square : Unary<"square", kNumbers, kInput> { AMP_FORMULA apply(C x) { return x * x; }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return wrapping(bits_of(x) * bits_of(x)); }
  AMP_FORMULA derivative(C grad, C x) { return grad * (C{2} * x); } };
struct Sqrt : Unary<"sqrt", kReal, kOutput> { AMP_FORMULA apply(C x) { return select(is_unseen_nan(x), x, sqrt(x)); } AMP_FORMULA derivative(C grad, C y) { return grad / (C{2} * y); } };
struct Rsqrt : Unary<"rsqrt", kReal, kOutput> { AMP_FORMULA apply(C x) { return C{1} / sqrt(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C(-0.5) * y * y * y); } };
struct Reciprocal : Unary<"reciprocal", kReal, kInput> { AMP_FORMULA apply(C x) { return C{1} / x; } AMP_FORMULA derivative(C grad, C x) { return -(grad / x) / x; } };

struct Exp : Unary<"exp", kReal, kOutput> { AMP_FORMULA apply(C x) { return exp(x); } AMP_FORMULA derivative(C grad, C y) { return grad * y; } };
struct Expm1 : Unary<"expm1", kReal, kOutput> { AMP_FORMULA apply(C x) { return expm1(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (y + C{1}); } };
struct Log : Unary<"log", kReal, kInput> { AMP_FORMULA apply(C x) { return log(x); } AMP_FORMULA derivative(C grad, C x) { return grad / x; } };
struct Log1p : Unary<"log1p", kReal, kInput> { AMP_FORMULA apply(C x) { return log1p(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (C{1} + x); } };
struct Log2 : Unary<"log2", kReal, kInput> { AMP_FORMULA apply(C x) { return log2(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (x * C(0.69314718055994530942)); } };
struct Log10 : Unary<"log10", kReal, kInput> { AMP_FORMULA apply(C x) { return log10(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (x * C(2.30258509299404568402)); } };

struct Sin : Unary<"sin", kReal, kInput> { AMP_FORMULA apply(C x) { return sin(x); } AMP_FORMULA derivative(C grad, C x) { return grad * cos(x); } };
struct Cos : Unary<"cos", kReal, kInput> { AMP_FORMULA apply(C x) { return cos(x); } AMP_FORMULA derivative(C grad, C x) { return grad * -sin(x); } };
struct Tan : Unary<"tan", kReal, kOutput> { AMP_FORMULA apply(C x) { return tan(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C{1} + y * y); } };
struct Asin : Unary<"asin", kReal, kInput> { AMP_FORMULA apply(C x) { return asin(x); } AMP_FORMULA derivative(C grad, C x) { return grad / sqrt((C{1} - x) * (C{1} + x)); } };
struct Acos : Unary<"acos", kReal, kInput> { AMP_FORMULA apply(C x) { return acos(x); } AMP_FORMULA derivative(C grad, C x) { return -grad / sqrt((C{1} - x) * (C{1} + x)); } };
struct Atan : Unary<"atan", kReal, kInput> { AMP_FORMULA apply(C x) { return atan(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (C{1} + x * x); } };
struct Sinh : Unary<"sinh", kReal, kInput> { AMP_FORMULA apply(C x) { return sinh(x); } AMP_FORMULA derivative(C grad, C x) { return grad * cosh(x); } };
struct Cosh : Unary<"cosh", kReal, kInput> { AMP_FORMULA apply(C x) { return cosh(x); } AMP_FORMULA derivative(C grad, C x) { return grad * sinh(x); } };
struct Erf : Unary<"erf", kReal, kInput> { AMP_FORMULA apply(C x) { return erf(x); } AMP_FORMULA derivative(C grad, C x) { return grad * (C(1.12837916709551257390) * exp(-x * x)); } };
struct Erfinv : Unary<"erfinv", kReal, kOutput> { AMP_FORMULA apply(C x) { return erfinv(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C(0.88622692545275801365) * exp(y * y)); } };

/// Rounding leaves integers as they are.
struct Floor : Unary<"floor", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return floor(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };
struct Ceil : Unary<"ceil", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return ceil(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };
struct Round : Unary<"round", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return rint(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };
struct Trunc : Unary<"trunc", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return trunc(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };

/// min(max(x, low), high). NaN stays NaN. An infinite bound, which stands for an absent one, keeps no
/// gradient back.
struct Clamp : Unary<"clamp", kNumbers, kInput, 2> { AMP_FORMULA below(C x, C high) { return select(x > high, high, x); }
  AMP_FORMULA apply(C x, C low, C high) { return select(is_unseen_nan(x), x, below(select(x < low, low, x), high)); }
  AMP_CONDITION inside(C x, C low, C high) { return (x > low || (x == low && low < C(-3.4028234663852886e38))) && (x < high || (x == high && high > C(3.4028234663852886e38))); }
  AMP_FORMULA derivative(C grad, C x, C low, C high) { return select(inside(x, low, high) && !is_unseen_nan(x), grad, C{0}); } };

struct IsNan : Unary<"isnan", kTruth, kNothing> { AMP_CONDITION apply(C x) { return is_nan(x); } };
struct IsInf : Unary<"isinf", kTruth, kNothing> { AMP_CONDITION apply(C x) { return !is_finite(x) && !is_nan(x); } AMP_HOST_DEVICE static bool apply(std::int64_t) { return false; } };
struct IsFinite : Unary<"isfinite", kTruth, kNothing> { AMP_CONDITION apply(C x) { return is_finite(x); } AMP_HOST_DEVICE static bool apply(std::int64_t) { return true; } };
struct LogicalNot : Unary<"logical_not", kTruth, kNothing> { AMP_CONDITION apply(C x) { return x == C{0}; } };
// clang-format on

/// All of them, in the order of the tables of devices.
using ElementaryFunctions =
    List<Neg, Abs, Sign, Square, Sqrt, Rsqrt, Reciprocal, Exp, Expm1, Log, Log1p, Log2, Log10, Sin,
         Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Erf, Erfinv, Floor, Ceil, Round, Trunc, Clamp,
         IsNan, IsInf, IsFinite, LogicalNot>;

}  // namespace amp::inline v0::kernels::functions
