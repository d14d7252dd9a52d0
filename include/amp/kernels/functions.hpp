// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions that elementwise ops compute, the same source on every device: all that have a
// kernel of their own, in the order of the backend's tables.
#pragma once

#include "amp/kernels/functions/activation.hpp"
#include "amp/kernels/functions/binary.hpp"
#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/unary.hpp"

namespace amp::inline v0::kernels::functions {

// clang-format off
using UnaryFunctions = List<
    Neg, Abs, Sign, Square, Sqrt, Rsqrt, Exp, Expm1, Log, Log1p, Log2, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Erf, Erfinv,
    Floor, Ceil, Round, Trunc, IsNan, IsInf, IsFinite, LogicalNot, Tanh, Sigmoid, Relu, Silu, LeakyRelu, Elu, Celu, Selu, Hardtanh, Relu6,
    Hardsigmoid, Hardswish, Softplus, Logsigmoid, Mish, Softsign, Gelu, GeluTanh>;
using BinaryFunctions = List<
    Add, Sub, Mul, Div, Pow, Atan2, Fmod, Remainder, Maximum, Minimum, Eq, Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr, LogicalXor,
    SquaredError, BinaryCrossEntropyWithLogits>;
// clang-format on

}  // namespace amp::inline v0::kernels::functions
