// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations, elementwise.
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// max(0, x), elementwise; NaN stays NaN, and its gradient passes. The gradient at 0 is 0. The
/// result has the dtype of `input`, which may be any but bool. Under autocast: unchanged.
[[nodiscard]] Tensor relu(const Tensor& input);

/// 1 / (1 + e^-x), elementwise; the derivative is y (1 - y). Integers and bool give float32. Under
/// autocast: unchanged.
[[nodiscard]] Tensor sigmoid(const Tensor& input);

/// The hyperbolic tangent, elementwise; the derivative is 1 - tanh(x)^2. Integers and bool give
/// float32. Under autocast: unchanged.
[[nodiscard]] Tensor tanh(const Tensor& input);

/// x sigmoid(x) (SiLU, or swish), elementwise, of floating point. Under autocast: unchanged.
[[nodiscard]] Tensor silu(const Tensor& input);

/// How gelu() computes P(Z <= x).
enum class GeluForm {
  kErf,   ///< x (1 + erf(x / sqrt(2))) / 2
  kTanh,  ///< x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, at most 5e-4 away
};

/// x P(Z <= x) for a standard normal Z, elementwise, of floating point (Hendrycks and Gimpel 2016,
/// arXiv 1606.08415). Under autocast: unchanged.
[[nodiscard]] Tensor gelu(const Tensor& input, GeluForm form = GeluForm::kErf);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/activation.ipp"
#endif
