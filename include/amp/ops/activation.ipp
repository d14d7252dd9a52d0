// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor hardtanh(const Tensor& input, double min_val, double max_val) {
  AMP_CHECK(!(min_val > max_val), "hardtanh: `min_val` must not be greater than `max_val`, but is ",
            min_val, " and `max_val` ", max_val);
  detail::check_defined("hardtanh", "input", input);
  detail::check_coefficient("hardtanh", "min_val", min_val, input.dtype());
  detail::check_coefficient("hardtanh", "max_val", max_val, input.dtype());
  return detail::unary_op<kernels::functions::Hardtanh>(input, {min_val, max_val});
}

AMP_LAZY_DEFINITION Tensor celu(const Tensor& input, double alpha) {
  AMP_CHECK(alpha != 0, "celu: `alpha` must not be 0");
  return detail::unary_op<kernels::functions::Celu>(input, {alpha});
}

AMP_LAZY_DEFINITION Tensor softshrink(const Tensor& input, double lambd) {
  detail::check_floating("softshrink", "input", input);
  AMP_CHECK(lambd >= 0 && is_finite(lambd),
            "softshrink: `lambd` must be finite and not negative, but is ", lambd);
  detail::check_holds("softshrink", "lambd", lambd, input.dtype());
  return detail::unary_op<kernels::functions::Softshrink>(input, {lambd});
}

AMP_LAZY_DEFINITION Tensor threshold(const Tensor& input, double threshold, double value) {
  detail::check_defined("threshold", "input", input);
  detail::check_coefficient("threshold", "threshold", threshold, input.dtype());
  detail::check_coefficient("threshold", "value", value, input.dtype());
  return detail::unary_op<kernels::functions::Threshold>(input, {threshold, value});
}

AMP_LAZY_DEFINITION Tensor tanhshrink(const Tensor& input) {
  detail::check_not_bool("tanhshrink", input);
  return detail::unary_op<kernels::functions::Tanhshrink>(input);
}

AMP_LAZY_DEFINITION Tensor rrelu(const Tensor& input, double lower, double upper, bool training) {
  AMP_CHECK(lower >= 0 && lower <= upper && is_finite(upper),
            "rrelu: `lower` and `upper` must be finite with 0 <= lower <= upper, but are ", lower,
            " and ", upper);
  if (!training) return detail::unary_op<kernels::functions::Rrelu>(input, {(lower + upper) / 2});
  detail::check_floating("rrelu", "input", input);
  return autocasting::call(
      "rrelu",
      [&](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        const DType wide = promote_types(x.dtype(), kFloat32);
        const Tensor slopes =
            lower + (upper - lower) * rand(x.shape(), {.dtype = wide, .device = x.device()});
        return detail::function_of_two<kernels::functions::Prelu>("rrelu", x, slopes, x.dtype());
      },
      input);
}

AMP_LAZY_DEFINITION Tensor prelu(const Tensor& input, const Tensor& weight) {
  detail::check_floating("prelu", "input", input);
  detail::check_floating("prelu", "weight", weight);
  detail::check_same_device("prelu", "input", input, "weight", weight);
  const std::int64_t channels = input.dim() > 1 ? input.size(1) : 1;
  AMP_CHECK(weight.dim() <= 1 && (weight.numel() == 1 || weight.numel() == channels),
            "prelu: for `input` ", describe(input), " `weight` must have 1 element or ", channels,
            ", in one dimension, but is ", describe(weight));
  return autocasting::call(
      "prelu",
      [&](const Tensor& x, const Tensor& w) {
        AMP_CHECK(x.dtype() == w.dtype(),
                  "prelu: `input` and `weight` must have one dtype, but are ", describe(x), " and ",
                  describe(w));
        Shape shape(1, w.numel());
        if (w.numel() == 1) shape = Shape();
        while (shape.dims() > 0 && shape.dims() < x.dim()) shape.push_back(1);
        return detail::function_of_two<kernels::functions::Prelu>(
            "prelu", x, detail::reshape(w, shape), x.dtype());
      },
      input, weight);
}

namespace detail {

/// One half of a tensor along a dimension, without history.
AMP_LAZY Tensor half_of(const Tensor& x, int dim, int which) {
  const std::int64_t length = x.size(dim) / 2;
  return x.detach().narrow(dim, which * length, length);
}

/// The gradient of glu(x), each half written where it lies.
AMP_LAZY Tensor glu_backward(const Tensor& grad, const Tensor& x, int dim) {
  const Tensor grad_x = empty_like(x);
  if (grad_x.numel() == 0) return grad_x;
  const GradientLaunch launches[] = {kernels::by_a<kernels::functions::Glu>,
                                     kernels::by_b<kernels::functions::Glu>};
  const Tensor a = half_of(x, dim, 0), b = half_of(x, dim, 1);
  for (int which = 0; which < 2; ++which) {
    const kernels::GradientArgs args{grad.operand(), a.operand(), b.operand(),
                                     half_of(grad_x, dim, which).operand()};
    launches[which](x.device(), args);
  }
  return grad_x;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor glu(const Tensor& input, std::int64_t dim) {
  detail::check_floating("glu", "input", input);
  AMP_CHECK(input.dim() > 0, "glu: `input` must have a dimension to halve, but is ",
            describe(input));
  const int d = wrap_dim("glu", dim, input.dim());
  AMP_CHECK(input.size(d) % 2 == 0, "glu: dimension ", d, " of `input` ", describe(input),
            " must be even");
  return autocasting::call(
      "glu",
      [d](const Tensor& x) {
        const Tensor a = detail::half_of(x, d, 0);
        const Tensor output = detail::binary_kernel<kernels::functions::Glu>(
            a, detail::half_of(x, d, 1), a.shape(), x.dtype());
        if (autograd::recording(x)) {
          autograd::record(
              "glu", output,
              [d, x = autograd::SavedTensor(x)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {detail::glu_backward(grad, x.get("glu"), d)};
              },
              x);
        }
        return output;
      },
      input);
}

}  // namespace amp::inline v0
