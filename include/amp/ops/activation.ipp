// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

AMP_INLINE Tensor relu(const Tensor& input) {
  detail::check_not_bool("relu", input);
  return detail::unary_op(
      "relu", input,
      {kernels::dispatch<&kernels::Backend::relu, kernels::host::relu>,
       kernels::dispatch<&kernels::Backend::relu_backward, kernels::host::relu_backward>,
       detail::Saves::kOutput, false});
}

AMP_INLINE Tensor sigmoid(const Tensor& input) {
  return detail::unary_op(
      "sigmoid", input,
      {kernels::dispatch<&kernels::Backend::sigmoid, kernels::host::sigmoid>,
       kernels::dispatch<&kernels::Backend::sigmoid_backward, kernels::host::sigmoid_backward>,
       detail::Saves::kOutput});
}

AMP_INLINE Tensor tanh(const Tensor& input) {
  return detail::unary_op(
      "tanh", input,
      {kernels::dispatch<&kernels::Backend::tanh, kernels::host::tanh>,
       kernels::dispatch<&kernels::Backend::tanh_backward, kernels::host::tanh_backward>,
       detail::Saves::kOutput});
}

AMP_INLINE Tensor silu(const Tensor& input) {
  detail::check_floating("silu", "input", input);
  return detail::unary_op(
      "silu", input,
      {kernels::dispatch<&kernels::Backend::silu, kernels::host::silu>,
       kernels::dispatch<&kernels::Backend::silu_backward, kernels::host::silu_backward>,
       detail::Saves::kInput});
}

AMP_INLINE Tensor gelu(const Tensor& input, GeluForm form) {
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
