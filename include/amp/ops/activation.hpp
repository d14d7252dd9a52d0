// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations.
#pragma once

#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

/// max(0, x); the gradient at 0 is 0. Not of bool.
[[nodiscard]] inline Tensor relu(const Tensor& input) {
  detail::check_not_bool("relu", input);
  return detail::unary_op(
      "relu", input,
      {kernels::dispatch<&kernels::Backend::relu, kernels::host::relu>,
       kernels::dispatch<&kernels::Backend::relu_backward, kernels::host::relu_backward>,
       detail::Saves::kOutput, false});
}

/// 1 / (1 + e^-x); the derivative is y (1 - y).
[[nodiscard]] inline Tensor sigmoid(const Tensor& input) {
  return detail::unary_op(
      "sigmoid", input,
      {kernels::dispatch<&kernels::Backend::sigmoid, kernels::host::sigmoid>,
       kernels::dispatch<&kernels::Backend::sigmoid_backward, kernels::host::sigmoid_backward>,
       detail::Saves::kOutput});
}

/// The derivative is 1 - tanh(x)^2.
[[nodiscard]] inline Tensor tanh(const Tensor& input) {
  return detail::unary_op(
      "tanh", input,
      {kernels::dispatch<&kernels::Backend::tanh, kernels::host::tanh>,
       kernels::dispatch<&kernels::Backend::tanh_backward, kernels::host::tanh_backward>,
       detail::Saves::kOutput});
}

/// x sigmoid(x)
[[nodiscard]] inline Tensor silu(const Tensor& input) {
  detail::check_floating("silu", "input", input);
  return detail::unary_op(
      "silu", input,
      {kernels::dispatch<&kernels::Backend::silu, kernels::host::silu>,
       kernels::dispatch<&kernels::Backend::silu_backward, kernels::host::silu_backward>,
       detail::Saves::kInput});
}

enum class GeluForm {
  kErf,   ///< x (1 + erf(x / sqrt(2))) / 2
  kTanh,  ///< x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, at most 5e-4 away
};

/// x P(Z <= x) for a standard normal Z (Hendrycks and Gimpel 2016, arXiv 1606.08415).
[[nodiscard]] inline Tensor gelu(const Tensor& input, GeluForm form = GeluForm::kErf) {
  detail::check_floating("gelu", "input", input);
  if (form == GeluForm::kTanh) {
    return detail::unary_op(
        "gelu", input,
        {kernels::dispatch<&kernels::Backend::gelu_tanh, kernels::host::gelu_tanh>,
         kernels::dispatch<&kernels::Backend::gelu_tanh_backward,
                           kernels::host::gelu_tanh_backward>,
         detail::Saves::kInput});
  }
  return detail::unary_op(
      "gelu", input,
      {kernels::dispatch<&kernels::Backend::gelu, kernels::host::gelu>,
       kernels::dispatch<&kernels::Backend::gelu_backward, kernels::host::gelu_backward>,
       detail::Saves::kInput});
}

}  // namespace amp::inline v0
