// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations, elementwise.
#pragma once

#include "amp/ops/unary_op.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// max(0, x), elementwise; NaN stays NaN, and its gradient passes. The gradient at 0 is 0. The
/// result has the dtype of `input`, which may be any but bool. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor relu(const Tensor& input) {
  return detail::unary_op<kernels::functions::Relu>(input);
}

/// 1 / (1 + e^-x), elementwise; the derivative is y (1 - y). Integers and bool give float32. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor sigmoid(const Tensor& input) {
  return detail::unary_op<kernels::functions::Sigmoid>(input);
}

/// The hyperbolic tangent, elementwise; the derivative is 1 - tanh(x)^2. Integers and bool give
/// float32. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor tanh(const Tensor& input) {
  return detail::unary_op<kernels::functions::Tanh>(input);
}

/// x sigmoid(x) (SiLU, or swish), elementwise, of floating point. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor silu(const Tensor& input) {
  return detail::unary_op<kernels::functions::Silu>(input);
}

/// s x above 0 and s a (e^x - 1) below, with s = 1.0507... and a = 1.6733..., elementwise, of
/// floating point (Klambauer et al. 2017, arXiv 1706.02515). Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor selu(const Tensor& input) {
  return detail::unary_op<kernels::functions::Selu>(input);
}

/// min(max(x + 3, 0), 6) / 6, elementwise, of floating point. The gradient at -3 and 3 is 0. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor hardsigmoid(const Tensor& input) {
  return detail::unary_op<kernels::functions::Hardsigmoid>(input);
}

/// x hardsigmoid(x), elementwise, of floating point (Howard et al. 2019, arXiv 1905.02244). Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor hardswish(const Tensor& input) {
  return detail::unary_op<kernels::functions::Hardswish>(input);
}

/// log sigmoid(x), elementwise, of floating point: exact also if sigmoid(x) is 0. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor logsigmoid(const Tensor& input) {
  return detail::unary_op<kernels::functions::Logsigmoid>(input);
}

/// x tanh(softplus(x)), elementwise, of floating point (Misra 2019, arXiv 1908.08681). Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor mish(const Tensor& input) {
  return detail::unary_op<kernels::functions::Mish>(input);
}

/// x / (1 + |x|), elementwise. Integers and bools give float32. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor softsign(const Tensor& input) {
  return detail::unary_op<kernels::functions::Softsign>(input);
}

/// x above 0 and `negative_slope` x below, elementwise, of floating point. The gradient at 0 is
/// that below. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor leaky_relu(const Tensor& input, double negative_slope = 0.01) {
  return detail::unary_op<kernels::functions::LeakyRelu>(input, {negative_slope});
}

/// x above 0 and alpha (e^x - 1) below, elementwise, of floating point (Clevert et al. 2015, arXiv
/// 1511.07289). Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor elu(const Tensor& input, double alpha = 1) {
  return detail::unary_op<kernels::functions::Elu>(input, {alpha});
}

/// x, but not less than `min_val` and not more than `max_val`, elementwise, in the dtype of
/// `input`, which may be any but bool. The gradient at and beyond these is 0. Throws if `min_val` is
/// greater than `max_val`, or int64 does not hold one beside integers. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor hardtanh(const Tensor& input, double min_val = -1,
                                       double max_val = 1);

/// log(1 + e^(beta x)) / beta, a smooth relu, elementwise, of floating point; x itself if beta x
/// is above `threshold`. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor softplus(const Tensor& input, double beta = 1,
                                              double threshold = 20) {
  return detail::unary_op<kernels::functions::Softplus>(input, {beta, threshold});
}

/// min(max(x, 0), 6): hardtanh(x, 0, 6).
AMP_LAZY [[nodiscard]] inline Tensor relu6(const Tensor& input) {
  return detail::unary_op<kernels::functions::Relu6>(input, {0, 6});
}

/// x above 0 and alpha (e^(x / alpha) - 1) below, elementwise, of floating point (Barron 2017,
/// arXiv 1704.07483). Throws if alpha is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor celu(const Tensor& input, double alpha = 1);

/// x - lambd above lambd, x + lambd below -lambd, and 0 between, elementwise, of floating point.
/// NaN stays NaN, and its gradient passes. The gradient at and between -lambd and lambd is 0.
/// Throws if `lambd` is negative or not finite, or the dtype of `input` does not hold it. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor softshrink(const Tensor& input, double lambd = 0.5);

/// x, but 0 from -lambd to lambd, elementwise, of floating point. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor hardshrink(const Tensor& input, double lambd = 0.5) {
  return detail::unary_op<kernels::functions::Hardshrink>(input, {lambd});
}

/// x - tanh(x), elementwise. Integers give float32. Throws for bools. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor tanhshrink(const Tensor& input);

/// x above `threshold`, and `value` up to it, elementwise, in the dtype of `input`, which may be
/// any but bool. Throws if int64 does not hold a number beside integers. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor threshold(const Tensor& input, double threshold, double value);

/// x above 0, and x times a random slope in [lower, upper) below, in training; else
/// leaky_relu with the mean of both (Xu et al. 2015, arXiv 1505.00853). Of floating point. Uses the
/// random generator of the device. Throws unless 0 <= lower <= upper. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor rrelu(const Tensor& input, double lower = 1.0 / 8,
                                    double upper = 1.0 / 3, bool training = false);

/// x above 0, and `weight` x below: leaky_relu with a slope that is learned (He et al. 2015, arXiv
/// 1502.01852). `weight` has one element, or one for each of the channels, which are dimension 1.
/// Both are floating point of one dtype. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor prelu(const Tensor& input, const Tensor& weight);

/// a sigmoid(b) for the halves a and b of `input` along `dim`, whose extent must be even (Dauphin
/// et al. 2017, arXiv 1612.08083). Of floating point. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor glu(const Tensor& input, std::int64_t dim = -1);

/// How gelu() computes P(Z <= x).
enum class GeluForm {
  kErf,   ///< x (1 + erf(x / sqrt(2))) / 2
  kTanh,  ///< x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, at most 5e-4 away
};

/// x P(Z <= x) for a standard normal Z, elementwise, of floating point (Hendrycks and Gimpel 2016,
/// arXiv 1606.08415). Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor gelu(const Tensor& input, GeluForm form = GeluForm::kErf) {
  return form == GeluForm::kErf ? detail::unary_op<kernels::functions::Gelu>(input)
                                : detail::unary_op<kernels::functions::GeluTanh>(input);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/activation.ipp"
#endif
