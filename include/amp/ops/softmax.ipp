// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/softmax/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/softmax.hpp"

namespace amp::inline v0 {
namespace detail {

/// The kernels of softmax, or of log_softmax.
struct SoftmaxKernels {
  kernels::Launch<kernels::SoftmaxArgs> forward;
  kernels::Launch<kernels::SoftmaxBackwardArgs> backward;
};

AMP_LAZY Tensor run_softmax(std::string_view name, const Tensor& input, int dim, DType dtype,
                            const SoftmaxKernels& run) {
  const Tensor x = contiguous(input);
  const Tensor output = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  if (output.numel() != 0) {
    const kernels::SoftmaxArgs args{x.operand(), output.operand(), dim};
    run.forward(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        name, output,
        [name, dim, output = autograd::SavedTensor(output), from = x.dtype(),
         backward = run.backward](const Tensor& gradient,
                                  const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor grad_x = empty(grad.shape(), {.dtype = from, .device = grad.device()});
          if (grad.numel() != 0) {
            const kernels::SoftmaxBackwardArgs args{grad.operand(), output.get(name).operand(),
                                                    grad_x.operand(), dim};
            backward(grad.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return output;
}

AMP_LAZY Tensor softmax_op(autocasting::OpId op, const Tensor& input, std::int64_t dim,
                           const SoftmaxKernels& run) {
  const std::string_view name = op.name();
  check_floating(name, "input", input);
  return autocasting::call_reading(
      op,
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        const int d = wrap_dim(name, dim, x.dim());
        if (x.dim() != 0) return run_softmax(name, x, d, dtype(x), run);
        return reshape(run_softmax(name, reshape(x, {1}), 0, dtype(x), run), {});
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor softmax(const Tensor& input, std::int64_t dim) {
  return detail::softmax_op("softmax", input, dim, {kernels::softmax, kernels::softmax_backward});
}

AMP_LAZY_DEFINITION Tensor log_softmax(const Tensor& input, std::int64_t dim) {
  return detail::softmax_op("log_softmax", input, dim,
                            {kernels::log_softmax, kernels::log_softmax_backward});
}

}  // namespace amp::inline v0
