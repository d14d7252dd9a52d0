// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/functions.hpp"
#include "amp/kernels/softmax/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/tensor/factory.hpp"

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

AMP_LAZY_DEFINITION Tensor softmin(const Tensor& input, std::int64_t dim) {
  detail::check_floating("softmin", "input", input);
  return autocasting::call(
      "softmin",
      [dim](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        return softmax(neg(x), dim);
      },
      input);
}

namespace detail {

/// 1 at the largest element along `dim`, and 0 elsewhere, with the gradient of `soft`.
AMP_LAZY Tensor hardened(const Tensor& soft, int dim) {
  Shape shape = soft.shape();
  for (int d = 0; d < shape.dims(); ++d) shape[d] = d == dim ? shape[d] : 1;
  const Tensor classes = reshape(arange(soft.size(dim), {.device = soft.device()}), shape);
  const Tensor output =
      binary_kernel<functions::Eq>(classes, argmax(soft.detach(), dim, true), soft.shape(), kBool)
          .to(soft.dtype());
  if (autograd::recording(soft)) {
    autograd::record(
        "gumbel_softmax", output,
        [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {grad};
        },
        soft);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor gumbel_softmax(const Tensor& logits,
                                          const GumbelSoftmaxOptions& options) {
  detail::check_floating("gumbel_softmax", "logits", logits);
  AMP_CHECK(options.tau > 0, "gumbel_softmax: `tau` must be positive, but is ", options.tau);
  const int dim = wrap_dim("gumbel_softmax", options.dim, logits.dim());
  AMP_CHECK(!options.hard || (logits.dim() > 0 && logits.size(dim) > 0),
            "gumbel_softmax: `logits` ", describe(logits), " has nothing to choose from");
  return autocasting::call(
      "gumbel_softmax",
      [&](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        const DType wide = promote_types(x.dtype(), kFloat32);
        const Tensor noise =
            detail::run_unary(kernels::unary<kernels::functions::Gumbel>,
                              rand(x.shape(), {.dtype = wide, .device = x.device()}), wide);
        const Tensor soft = softmax((x + noise) * (1 / options.tau), dim);
        return autocasting::convert_dtype(options.hard ? detail::hardened(soft, dim) : soft,
                                          x.dtype());
      },
      logits);
}

}  // namespace amp::inline v0
