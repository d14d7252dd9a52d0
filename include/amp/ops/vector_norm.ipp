// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string_view>

#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/vector_norm.hpp"

namespace amp::inline v0 {
namespace detail {

/// The gradient of a norm of infinite order: the elements whose magnitude it is share it, or those
/// that are NaN, if it is.
AMP_LAZY Tensor extreme_norm_backward(const Tensor& grad, const Tensor& x, const Tensor& y,
                                      DType dtype) {
  const Shape& shape = x.shape();
  const Tensor magnitudes = run_unary(kernels::unary<kernels::functions::Abs>, x, x.dtype());
  const Tensor chosen = winners(magnitudes, y);
  const Tensor share = detail::div(grad, sum_to(chosen, y.shape(), kInt64));
  const Tensor signed_share =
      run_binary(kernels::derivative<kernels::functions::Abs>, share, x, shape, dtype);
  return binary_kernel<kernels::functions::Mul>(chosen, signed_share, shape, dtype);
}

/// The gradient of x, which is not empty, in `dtype`; y is its norm.
AMP_LAZY Tensor norm_backward(const Tensor& grad, const Tensor& x, const Tensor& y, double p,
                              DType dtype) {
  if (p == 0) return full(x.shape(), 0, {.dtype = dtype, .device = x.device()});
  if (std::isinf(p)) return extreme_norm_backward(grad, x, y, dtype);
  return run_fold_backward<kernels::vector_norm_backward>(
      grad, x, y, kernels::Operand::scalar(p, x.device()), dtype);
}

AMP_LAZY void check_order(std::string_view op, const Tensor& input, double p, const Dims& dim) {
  AMP_CHECK(!std::isnan(p), op, ": `p` must be a number, but is ", p);
  if (p < 0 || std::isinf(p)) check_not_empty(op, input, dim, "norm of a negative or infinite `p`");
}

AMP_LAZY Tensor normalize(const Tensor& x, double p, const Dims& dim, double eps, DType dtype) {
  const DType wide = promote_types(x.dtype(), kFloat32);
  const Shape kept = ReducedShape("normalize", x, dim).kept;
  const Tensor norms = run_fold<kernels::vector_norm>(x, kept, wide, p);
  const kernels::Operand least = kernels::Operand::scalar(eps, x.device());
  const Tensor lengths = scalar_kernel<kernels::functions::Maximum>(norms, least, false, wide);
  const Tensor output = binary_kernel<kernels::functions::Div>(x, lengths, x.shape(), dtype);
  if (autograd::recording(x)) {
    autograd::record(
        "normalize", output,
        [p, least, wide, norms, lengths, x = autograd::SavedTensor(x)](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor& in = x.get("normalize");
          if (in.numel() == 0) return {empty_like(in)};
          // grad / length, and what comes by way of the norm, -sum(grad x) / length^2, unless that
          // is at most eps, as torch has it.
          const Tensor products =
              binary_kernel<kernels::functions::Mul>(grad, in, in.shape(), wide);
          const Tensor of_lengths = detail::neg(
              detail::div(detail::div(sum_to(products, norms.shape(), wide), lengths), lengths));
          const Tensor counts = scalar_kernel<kernels::functions::Gt>(norms, least, false, kBool);
          const Tensor of_norms =
              where_kernel(counts, of_lengths.operand(), zero_on(in.device()), norms.shape(), wide);
          const Tensor direct =
              binary_kernel<kernels::functions::Div>(grad, lengths, in.shape(), wide);
          return {binary_kernel<kernels::functions::Add>(
              direct, norm_backward(of_norms, in, norms, p, wide), in.shape(), in.dtype())};
        },
        x);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor norm(const Tensor& input, double p, const Dims& dim, bool keepdim) {
  detail::check_floating("norm", "input", input);
  detail::check_order("norm", input, p, dim);
  return autocasting::call_reading(
      "norm",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::fold_op<kernels::vector_norm>(
            x, {"norm", dim, keepdim, dtype(x), p, !std::isinf(p)},
            [p](const Tensor& grad, const Tensor& in, const Tensor& y) {
              return detail::norm_backward(grad, in, y, p, in.dtype());
            });
      },
      input);
}

AMP_LAZY_DEFINITION Tensor normalize(const Tensor& input, double p, const Dims& dim, double eps) {
  detail::check_floating("normalize", "input", input);
  detail::check_order("normalize", input, p, dim);
  return autocasting::call_reading(
      "normalize",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::normalize(x, p, dim, eps, dtype(x));
      },
      input);
}

}  // namespace amp::inline v0
