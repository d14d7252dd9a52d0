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
struct Tanh : Unary<"tanh", kReal, kOutput> { AMP_FORMULA apply(C x) { return tanh(x); } AMP_FORMULA derivative(C grad, C y) { return grad * (C{1} - y * y); } };
struct Sigmoid : Unary<"sigmoid", kReal, kOutput> { AMP_FORMULA of(C x, C e) { return select(x < C{0}, e, C{1}) / (C{1} + e); }
  AMP_FORMULA apply(C x) { return of(x, exp(-abs(x))); } AMP_FORMULA derivative(C grad, C y) { return grad * (y * (C{1} - y)); } };
/// NaN stays NaN, as in torch.
struct Relu : Unary<"relu", kNumbers, kOutput> { AMP_FORMULA apply(C x) { return select(x <= C{0} && !is_unseen_nan(x), C{0}, x); }
  AMP_FORMULA derivative(C grad, C y) { return select(y <= C{0} && !is_unseen_nan(y), C{0}, grad); } };
struct Silu : Unary<"silu", kFloating, kInput> { AMP_FORMULA apply(C x) { return x * Sigmoid::apply(x); }
  AMP_FORMULA slope(C x, C s) { return s * (C{1} + x * (C{1} - s)); }
  AMP_FORMULA derivative(C grad, C x) { return grad * slope(x, Sigmoid::apply(x)); } };

/// slope x below 0
struct LeakyRelu : Unary<"leaky_relu", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C slope) { return select(x > C{0}, x, slope * x); }
  AMP_FORMULA derivative(C grad, C x, C slope) { return select(x > C{0}, grad, slope * grad); } };
/// LeakyRelu under a name of its own.
struct Rrelu : LeakyRelu { static constexpr const char* kName = "rrelu"; };
/// alpha (e^x - 1) below 0
struct Elu : Unary<"elu", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C alpha) { return select(x < C{0}, alpha * expm1(x), x); }
  AMP_FORMULA derivative(C grad, C x, C alpha) { return select(x <= C{0}, grad * alpha * exp(x), grad); } };
/// alpha (e^(x / alpha) - 1) below 0 (Barron 2017, arXiv 1704.07483)
struct Celu : Unary<"celu", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C alpha) { return select(x < C{0}, alpha * expm1(x / alpha), x); }
  AMP_FORMULA derivative(C grad, C x, C alpha) { return select(x <= C{0}, grad * exp(x / alpha), grad); } };
/// The constants make the activations of a deep network tend to mean 0 and variance 1 (Klambauer et
/// al. 2017, arXiv 1706.02515).
struct Selu : Unary<"selu", kFloating, kInput> {
  static constexpr double kScale = 1.0507009873554804934193349852946, kAlpha = 1.6732632423543772848170429916717;
  AMP_FORMULA apply(C x) { return select(x < C{0}, C(kScale * kAlpha) * expm1(x), C(kScale) * x); }
  AMP_FORMULA derivative(C grad, C x) { return grad * select(x <= C{0}, C(kScale * kAlpha) * exp(x), C(kScale)); } };
struct Hardtanh : Unary<"hardtanh", kNumbers, kInput, 2> { AMP_FORMULA apply(C x, C low, C high) { return select(is_unseen_nan(x), x, select(x < low, low, select(x > high, high, x))); }
  AMP_FORMULA derivative(C grad, C x, C low, C high) { return select((x <= low || x >= high) && !is_unseen_nan(x), C{0}, grad); } };
/// Hardtanh under a name of its own.
struct Relu6 : Hardtanh { static constexpr const char* kName = "relu6"; };
struct Hardsigmoid : Unary<"hardsigmoid", kFloating, kInput> { AMP_FORMULA apply(C x) { return Hardtanh::apply(x + C{3}, C{0}, C{6}) / C{6}; }
  AMP_FORMULA derivative(C grad, C x) { return select(x > C{-3} && x < C{3}, grad / C{6}, C{0}); } };
struct Hardswish : Unary<"hardswish", kFloating, kInput> { AMP_FORMULA apply(C x) { return x * Hardtanh::apply(x + C{3}, C{0}, C{6}) / C{6}; }
  AMP_FORMULA derivative(C grad, C x) { return select(is_unseen_nan(x), grad, select(x <= C{-3}, C{0}, select(x < C{3}, grad * (x / C{3} + C(0.5)), grad))); } };
/// x, nearer to 0 by lambd. NaN stays NaN, and its gradient passes.
struct Softshrink : Unary<"softshrink", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C lambd) { return select(x > lambd, x - lambd, select(x < -lambd, x + lambd, select(is_nan(x), x, C{0}))); }
  AMP_FORMULA derivative(C grad, C x, C lambd) { return select(x > lambd || x < -lambd || is_nan(x), grad, C{0}); } };
/// x beyond [-lambd, lambd], and 0 there
struct Hardshrink : Unary<"hardshrink", kFloating, kInput, 1> { AMP_FORMULA apply(C x, C lambd) { return select(x >= -lambd && x <= lambd && !is_unseen_nan(x), C{0}, x); }
  AMP_FORMULA derivative(C grad, C x, C lambd) { return select(x >= -lambd && x <= lambd && !is_unseen_nan(x), C{0}, grad); } };
struct Tanhshrink : Unary<"tanhshrink", kReal, kInput> { AMP_FORMULA apply(C x) { return x - tanh(x); }
  AMP_FORMULA derivative(C grad, C x) { return grad * Square::apply(tanh(x)); } };
/// x above the threshold, and `value` below
struct Threshold : Unary<"threshold", kNumbers, kInput, 2> { AMP_FORMULA apply(C x, C threshold, C value) { return select(x <= threshold && !is_unseen_nan(x), value, x); }
  AMP_FORMULA derivative(C grad, C x, C threshold, C) { return select(x <= threshold && !is_unseen_nan(x), C{0}, grad); } };
/// -log(-log u): of the Gumbel distribution, if u is uniform in [0, 1), whose 0 counts as the
/// middle of the first step
struct Gumbel : Unary<"gumbel_softmax", kFloating, kNothing> { AMP_FORMULA apply(C u) { return -log(-log(select(u == C{0}, C(0x1p-25), u))); } };
/// log(1 + e^(beta x)) / beta, which is x beyond the threshold
struct Softplus : Unary<"softplus", kFloating, kInput, 2> { AMP_FORMULA apply(C x, C beta, C threshold) { return select(x * beta > threshold, x, log1p(exp(x * beta)) / beta); }
  AMP_FORMULA derivative(C grad, C x, C beta, C threshold) { return grad * select(x * beta > threshold, C{1}, Sigmoid::apply(x * beta)); } };
/// log sigmoid(x) = min(x, 0) - log(1 + e^-|x|)
struct Logsigmoid : Unary<"logsigmoid", kFloating, kInput> { AMP_FORMULA apply(C x) { return select(x < C{0}, x, C{0}) - log1p(exp(-abs(x))); }
  AMP_FORMULA derivative(C grad, C x) { return grad * Sigmoid::apply(-x); } };
/// x tanh(log(1 + e^x)) (Misra 2019, arXiv 1908.08681)
struct Mish : Unary<"mish", kFloating, kInput> { AMP_FORMULA gate(C x) { return tanh(Softplus::apply(x, C{1}, C{20})); }
  AMP_FORMULA apply(C x) { return x * gate(x); }
  AMP_FORMULA slope(C x, C t) { return t + x * Sigmoid::apply(x) * (C{1} - t * t); }
  AMP_FORMULA derivative(C grad, C x) { return grad * slope(x, gate(x)); } };
struct Softsign : Unary<"softsign", kReal, kInput> { AMP_FORMULA apply(C x) { return x / (C{1} + abs(x)); }
  AMP_FORMULA derivative(C grad, C x) { return grad / Square::apply(C{1} + abs(x)); } };
// clang-format on

/// x P(Z <= x) for a standard normal Z (Hendrycks and Gimpel 2016, arXiv 1606.08415, section 2).
struct Gelu : Unary<"gelu", kFloating, kInput> {
  AMP_FORMULA cdf(C x) { return C(0.5) * (C{1} + erf(x * C(0.70710678118654752440))); }
  AMP_FORMULA apply(C x) { return x * cdf(x); }
  AMP_FORMULA density(C x) { return C(0.39894228040143267794) * exp(C(-0.5) * x * x); }
  AMP_FORMULA derivative(C grad, C x) { return grad * (cdf(x) + x * density(x)); }
};
/// The same with P(Z <= x) ~ (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (ibid.).
struct GeluTanh : Unary<"gelu", kFloating, kInput> {
  AMP_FORMULA inner(C x) { return C(0.79788456080286535588) * (x + C(0.044715) * x * x * x); }
  AMP_FORMULA apply(C x) { return C(0.5) * x * (C{1} + tanh(inner(x))); }
  AMP_FORMULA inner_slope(C x) {
    return C(0.79788456080286535588) * (C{1} + C(3 * 0.044715) * x * x);
  }
  AMP_FORMULA slope(C x, C t) { return C(0.5) * (C{1} + t + x * (C{1} - t * t) * inner_slope(x)); }
  AMP_FORMULA derivative(C grad, C x) { return grad * slope(x, tanh(inner(x))); }
};

/// All of them, in the order of the tables of devices.
using Activations = List<Tanh, Sigmoid, Relu, Silu, LeakyRelu, Elu, Celu, Selu, Hardtanh, Relu6,
                         Hardsigmoid, Hardswish, Softshrink, Softplus, Logsigmoid, Mish, Softsign,
                         Gelu, GeluTanh, Rrelu, Hardshrink, Tanhshrink, Threshold, Gumbel>;

}  // namespace amp::inline v0::kernels::functions
