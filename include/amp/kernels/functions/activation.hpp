// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations, a row each: name, dtypes, what backward keeps, formula, derivative.
#pragma once

#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/row.hpp"
#include "amp/kernels/functions/unary.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::functions {

// clang-format off
struct Tanh : Unary<"tanh", kReal, kOutput> { AMP_FORMULA apply(C x) { return math::tanh(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C{1} - y * y); } };
struct Sigmoid : Unary<"sigmoid", kReal, kOutput> { AMP_FORMULA apply(C x) { return C{1} / (C{1} + math::exp(-x)); } AMP_FORMULA derivative(C grad, C y) { return grad * (y * (C{1} - y)); } };
/// NaN stays NaN, as in torch.
struct Relu : Unary<"relu", kNumbers, kOutput> { AMP_FORMULA apply(C x) { return x > C{0} || is_nan(x) ? x : C{0}; }
  AMP_FORMULA derivative(C grad, C y) { return y > C{0} || is_nan(y) ? grad : C{0}; } };
struct Silu : Unary<"silu", kFloating, kInput> { AMP_FORMULA apply(C x) { return x / (C{1} + math::exp(-x)); }
  AMP_FORMULA derivative(C grad, C x) { const C s = Sigmoid::apply(x); return grad * (s * (C{1} + x * (C{1} - s))); } };

/// slope x below 0
struct LeakyRelu : Unary<"leaky_relu", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C slope) { return x > C{0} ? x : slope * x; }
  AMP_FORMULA derivative(C grad, C x, C slope) { return x > C{0} ? grad : slope * grad; } };
/// alpha (e^x - 1) below 0
struct Elu : Unary<"elu", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C alpha) { return x < C{0} ? alpha * math::expm1(x) : x; }
  AMP_FORMULA derivative(C grad, C x, C alpha) { return x <= C{0} ? grad * alpha * math::exp(x) : grad; } };
/// alpha (e^(x / alpha) - 1) below 0 (Barron 2017, arXiv 1704.07483)
struct Celu : Unary<"celu", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C alpha) { return x < C{0} ? alpha * math::expm1(x / alpha) : x; }
  AMP_FORMULA derivative(C grad, C x, C alpha) { return x <= C{0} ? grad * math::exp(x / alpha) : grad; } };
/// The constants make the activations of a deep network tend to mean 0 and variance 1 (Klambauer et
/// al. 2017, arXiv 1706.02515).
struct Selu : Unary<"selu", kFloating, kInput> {
  static constexpr double kScale = 1.0507009873554804934193349852946, kAlpha = 1.6732632423543772848170429916717;
  AMP_FORMULA apply(C x) { return x < C{0} ? C(kScale * kAlpha) * math::expm1(x) : C(kScale) * x; }
  AMP_FORMULA derivative(C grad, C x) { return x <= C{0} ? grad * C(kScale * kAlpha) * math::exp(x) : grad * C(kScale); } };
struct Hardtanh : Unary<"hardtanh", kNumbers, kInput, 2> { AMP_FORMULA apply(C x, C low, C high) { return is_unseen_nan(x) ? x : x < low ? low : x > high ? high : x; }
  AMP_FORMULA derivative(C grad, C x, C low, C high) { return (x <= low || x >= high) && !is_unseen_nan(x) ? C{0} : grad; } };
/// Hardtanh under a name of its own.
struct Relu6 : Hardtanh { static constexpr const char* kName = "relu6"; };
struct Hardsigmoid : Unary<"hardsigmoid", kFloating, kInput> { AMP_FORMULA apply(C x) { return Hardtanh::apply(x + C{3}, C{0}, C{6}) / C{6}; }
  AMP_FORMULA derivative(C grad, C x) { return x > C{-3} && x < C{3} ? grad / C{6} : C{0}; } };
struct Hardswish : Unary<"hardswish", kFloating, kInput> { AMP_FORMULA apply(C x) { return x * Hardtanh::apply(x + C{3}, C{0}, C{6}) / C{6}; }
  AMP_FORMULA derivative(C grad, C x) { return is_unseen_nan(x) ? grad : x <= C{-3} ? C{0} : x < C{3} ? grad * (x / C{3} + C(0.5)) : grad; } };
/// x, nearer to 0 by lambd. NaN stays NaN, and its gradient passes.
struct Softshrink : Unary<"softshrink", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C lambd) { return x > lambd ? x - lambd : x < -lambd ? x + lambd : is_nan(x) ? x : C{0}; }
  AMP_FORMULA derivative(C grad, C x, C lambd) { return x > lambd || x < -lambd || is_nan(x) ? grad : C{0}; } };
/// log(1 + e^(beta x)) / beta, which is x beyond the threshold
struct Softplus : Unary<"softplus", kFloating, kInput, 2> { AMP_FORMULA apply(C x, C beta, C threshold) { return x * beta > threshold ? x : math::log1p(math::exp(x * beta)) / beta; }
  AMP_FORMULA derivative(C grad, C x, C beta, C threshold) { return x * beta > threshold ? grad : grad * Sigmoid::apply(x * beta); } };
/// log sigmoid(x) = min(x, 0) - log(1 + e^-|x|)
struct Logsigmoid : Unary<"logsigmoid", kFloating, kInput> { AMP_FORMULA apply(C x) { return (x < C{0} ? x : C{0}) - math::log1p(math::exp(x < C{0} ? x : -x)); }
  AMP_FORMULA derivative(C grad, C x) { return grad * Sigmoid::apply(-x); } };
/// x tanh(log(1 + e^x)) (Misra 2019, arXiv 1908.08681)
struct Mish : Unary<"mish", kFloating, kInput> { AMP_FORMULA gate(C x) { return math::tanh(Softplus::apply(x, C{1}, C{20})); }
  AMP_FORMULA apply(C x) { return x * gate(x); }
  AMP_FORMULA derivative(C grad, C x) { const C t = gate(x); return grad * (t + x * Sigmoid::apply(x) * (C{1} - t * t)); } };
struct Softsign : Unary<"softsign", kReal, kInput> { AMP_FORMULA apply(C x) { return x / (C{1} + Abs::apply(x)); }
  AMP_FORMULA derivative(C grad, C x) { const C s = C{1} + Abs::apply(x); return grad / (s * s); } };
// clang-format on

/// x P(Z <= x) for a standard normal Z (Hendrycks and Gimpel 2016, arXiv 1606.08415, section 2).
struct Gelu : Unary<"gelu", kFloating, kInput> {
  AMP_FORMULA cdf(C x) { return C(0.5) * (C{1} + math::erf(x * C(0.70710678118654752440))); }
  AMP_FORMULA apply(C x) { return x * cdf(x); }
  AMP_FORMULA derivative(C grad, C x) {
    const C density = C(0.39894228040143267794) * math::exp(C(-0.5) * x * x);
    return grad * (cdf(x) + x * density);
  }
};
/// The same with P(Z <= x) ~ (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (ibid.).
struct GeluTanh : Unary<"gelu", kFloating, kInput> {
  AMP_FORMULA inner(C x) { return C(0.79788456080286535588) * (x + C(0.044715) * x * x * x); }
  AMP_FORMULA apply(C x) { return C(0.5) * x * (C{1} + math::tanh(inner(x))); }
  AMP_FORMULA derivative(C grad, C x) {
    const C t = math::tanh(inner(x));
    const C inner_derivative = C(0.79788456080286535588) * (C{1} + C(3 * 0.044715) * x * x);
    return grad * C(0.5) * (C{1} + t + x * (C{1} - t * t) * inner_derivative);
  }
};

/// All of them, in the order of the tables of devices.
using Activations =
    List<Tanh, Sigmoid, Relu, Silu, LeakyRelu, Elu, Celu, Selu, Hardtanh, Relu6, Hardsigmoid,
         Hardswish, Softshrink, Softplus, Logsigmoid, Mish, Softsign, Gelu, GeluTanh>;

}  // namespace amp::inline v0::kernels::functions
