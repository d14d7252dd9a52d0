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
struct Abs : Unary<"abs", kNumbers, kInput> { AMP_FORMULA apply(C x) { return x < C{0} ? Neg::apply(x) : x == C{0} ? C{0} : x; }
  AMP_FORMULA derivative(C grad, C x) { return x > C{0} ? grad : x < C{0} ? -grad : C{0}; } };
struct Sign : Unary<"sign", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return static_cast<C>((x > C{0}) - (x < C{0})); } };
struct Square : Unary<"square", kNumbers, kInput> { AMP_FORMULA apply(C x) { return x * x; }
  AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return wrapping(bits_of(x) * bits_of(x)); }
  AMP_FORMULA derivative(C grad, C x) { return grad * (C{2} * x); } };
struct Sqrt : Unary<"sqrt", kReal, kOutput> { AMP_FORMULA apply(C x) { return is_unseen_nan(x) ? x : math::sqrt(x); } AMP_FORMULA derivative(C grad, C y) { return grad / (C{2} * y); } };
struct Rsqrt : Unary<"rsqrt", kReal, kOutput> { AMP_FORMULA apply(C x) { return C{1} / math::sqrt(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C(-0.5) * y * y * y); } };

struct Exp : Unary<"exp", kReal, kOutput> { AMP_FORMULA apply(C x) { return math::exp(x); } AMP_FORMULA derivative(C grad, C y) { return grad * y; } };
struct Expm1 : Unary<"expm1", kReal, kOutput> { AMP_FORMULA apply(C x) { return math::expm1(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (y + C{1}); } };
struct Log : Unary<"log", kReal, kInput> { AMP_FORMULA apply(C x) { return math::log(x); } AMP_FORMULA derivative(C grad, C x) { return grad / x; } };
struct Log1p : Unary<"log1p", kReal, kInput> { AMP_FORMULA apply(C x) { return math::log1p(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (C{1} + x); } };
struct Log2 : Unary<"log2", kReal, kInput> { AMP_FORMULA apply(C x) { return math::log2(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (x * C(0.69314718055994530942)); } };
struct Log10 : Unary<"log10", kReal, kInput> { AMP_FORMULA apply(C x) { return math::log10(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (x * C(2.30258509299404568402)); } };

struct Sin : Unary<"sin", kReal, kInput> { AMP_FORMULA apply(C x) { return math::sin(x); } AMP_FORMULA derivative(C grad, C x) { return grad * math::cos(x); } };
struct Cos : Unary<"cos", kReal, kInput> { AMP_FORMULA apply(C x) { return math::cos(x); } AMP_FORMULA derivative(C grad, C x) { return grad * -math::sin(x); } };
struct Tan : Unary<"tan", kReal, kOutput> { AMP_FORMULA apply(C x) { return math::tan(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C{1} + y * y); } };
struct Asin : Unary<"asin", kReal, kInput> { AMP_FORMULA apply(C x) { return math::asin(x); } AMP_FORMULA derivative(C grad, C x) { return grad / math::sqrt((C{1} - x) * (C{1} + x)); } };
struct Acos : Unary<"acos", kReal, kInput> { AMP_FORMULA apply(C x) { return math::acos(x); } AMP_FORMULA derivative(C grad, C x) { return -grad / math::sqrt((C{1} - x) * (C{1} + x)); } };
struct Atan : Unary<"atan", kReal, kInput> { AMP_FORMULA apply(C x) { return math::atan(x); } AMP_FORMULA derivative(C grad, C x) { return grad / (C{1} + x * x); } };
struct Sinh : Unary<"sinh", kReal, kInput> { AMP_FORMULA apply(C x) { return math::sinh(x); } AMP_FORMULA derivative(C grad, C x) { return grad * math::cosh(x); } };
struct Cosh : Unary<"cosh", kReal, kInput> { AMP_FORMULA apply(C x) { return math::cosh(x); } AMP_FORMULA derivative(C grad, C x) { return grad * math::sinh(x); } };
struct Erf : Unary<"erf", kReal, kInput> { AMP_FORMULA apply(C x) { return math::erf(x); } AMP_FORMULA derivative(C grad, C x) { return grad * (C(1.12837916709551257390) * math::exp(-x * x)); } };
struct Erfinv : Unary<"erfinv", kReal, kOutput> { AMP_FORMULA apply(C x) { return math::erfinv(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C(0.88622692545275801365) * math::exp(y * y)); } };

/// Rounding leaves integers as they are.
struct Floor : Unary<"floor", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return math::floor(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };
struct Ceil : Unary<"ceil", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return math::ceil(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };
struct Round : Unary<"round", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return math::rint(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };
struct Trunc : Unary<"trunc", kNumbers, kNothing> { AMP_FORMULA apply(C x) { return math::trunc(x); } AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return x; } };

struct IsNan : Unary<"isnan", kTruth, kNothing> { AMP_CONDITION apply(C x) { return is_nan(x); } };
struct IsInf : Unary<"isinf", kTruth, kNothing> { AMP_CONDITION apply(C x) { return !is_finite(x) && !is_nan(x); } AMP_HOST_DEVICE static bool apply(std::int64_t) { return false; } };
struct IsFinite : Unary<"isfinite", kTruth, kNothing> { AMP_CONDITION apply(C x) { return is_finite(x); } AMP_HOST_DEVICE static bool apply(std::int64_t) { return true; } };
struct LogicalNot : Unary<"logical_not", kTruth, kNothing> { AMP_CONDITION apply(C x) { return x == C{0}; } };
// clang-format on

/// All of them, in the order of the tables of devices.
using ElementaryFunctions = List<Neg, Abs, Sign, Square, Sqrt, Rsqrt, Exp, Expm1, Log, Log1p, Log2,
                                 Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Erf, Erfinv,
                                 Floor, Ceil, Round, Trunc, IsNan, IsInf, IsFinite, LogicalNot>;

}  // namespace amp::inline v0::kernels::functions
