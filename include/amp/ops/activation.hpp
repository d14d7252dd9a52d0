// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations.
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// max(0, x); the gradient at 0 is 0. Not of bool.
[[nodiscard]] Tensor relu(const Tensor& input);

/// 1 / (1 + e^-x); the derivative is y (1 - y).
[[nodiscard]] Tensor sigmoid(const Tensor& input);

/// The derivative is 1 - tanh(x)^2.
[[nodiscard]] Tensor tanh(const Tensor& input);

/// x sigmoid(x)
[[nodiscard]] Tensor silu(const Tensor& input);

/// The two formulas of gelu().
enum class GeluForm {
  kErf,   ///< x (1 + erf(x / sqrt(2))) / 2
  kTanh,  ///< x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, at most 5e-4 away
};

/// x P(Z <= x) for a standard normal Z (Hendrycks and Gimpel 2016, arXiv 1606.08415).
[[nodiscard]] Tensor gelu(const Tensor& input, GeluForm form = GeluForm::kErf);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/activation.ipp"
#endif
