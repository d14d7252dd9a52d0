// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/softmax/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/softmax.hpp"

namespace amp::inline v0 {
namespace detail {

template <kernels::Launch<kernels::SoftmaxArgs> kForward,
          kernels::Launch<kernels::SoftmaxBackwardArgs> kBackward>
Tensor softmax_op(std::string_view name, const Tensor& input, std::int64_t dim, DType dtype) {
  if (input.dim() == 0) {
    wrap_dim(name, dim, 0);
    return reshape(softmax_op<kForward, kBackward>(name, reshape(input, {1}), 0, dtype), {});
  }
  const int d = wrap_dim(name, dim, input.dim());
  const Tensor x = contiguous(input);
  const Tensor output = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  if (output.numel() != 0) {
    const kernels::SoftmaxArgs args{x.operand(), output.operand(), d};
    kForward(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        name, output,
        [name, d, output = autograd::SavedTensor(output), from = x.dtype()](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor grad_x = empty(grad.shape(), {.dtype = from, .device = grad.device()});
          if (grad.numel() != 0) {
            const kernels::SoftmaxBackwardArgs args{grad.operand(), output.get(name).operand(),
                                                    grad_x.operand(), d};
            kBackward(grad.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor softmax(const Tensor& input, std::int64_t dim) {
  detail::check_floating("softmax", "input", input);
  return autocasting::call_reading(
      "softmax",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::softmax_op<kernels::softmax, kernels::softmax_backward>("softmax", x, dim,
                                                                               dtype(x));
      },
      input);
}

AMP_LAZY_DEFINITION Tensor log_softmax(const Tensor& input, std::int64_t dim) {
  detail::check_floating("log_softmax", "input", input);
  return autocasting::call_reading(
      "log_softmax",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::softmax_op<kernels::log_softmax, kernels::log_softmax_backward>(
            "log_softmax", x, dim, dtype(x));
      },
      input);
}

}  // namespace amp::inline v0
