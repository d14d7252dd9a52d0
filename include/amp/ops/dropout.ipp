// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY Tensor dropout_kernel(const Tensor& x, const Tensor& residual, DType dtype, double p,
                               const kernels::RandomRange& range) {
  const Tensor output = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  if (output.numel() != 0) {
    const kernels::DropoutArgs args{x.operand(), residual.operand(), output.operand(), p, range};
    kernels::dropout(x.device(), args);
  }
  return output;
}

AMP_LAZY_DEFINITION Tensor dropout(const Tensor& input, double p) {
  const Tensor x = contiguous(input);
  const kernels::RandomRange range = reserve_random(ceil_div(x.numel(), 4), x.device());
  const Tensor output = dropout_kernel(x, {}, x.dtype(), p, range);
  if (autograd::recording(x)) {
    autograd::record(
        "dropout", output,
        [p, range](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {dropout_kernel(dense(grad), {}, grad.dtype(), p, range)};
        },
        x);
  }
  return output;
}

AMP_LAZY Tensor dropout_add(const Tensor& input, const Tensor& residual, double p) {
  const Tensor x = contiguous(input), r = contiguous(residual);
  const kernels::RandomRange range = reserve_random(ceil_div(x.numel(), 4), x.device());
  const Tensor output = dropout_kernel(x, r, promote_types(x.dtype(), r.dtype()), p, range);
  if (autograd::recording(x, r)) {
    autograd::record(
        "dropout_add", output,
        [p, range, dtype = x.dtype()](const Tensor& grad,
                                      const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          return {needs[0] ? dropout_kernel(dense(grad), {}, dtype, p, range) : Tensor(), grad};
        },
        x, r);
  }
  return output;
}

/// The checks that the ops with dropout have in common.
AMP_LAZY void check_dropout(std::string_view op, const Tensor& input, double p) {
  check_floating(op, "input", input);
  AMP_CHECK(p >= 0 && p <= 1, op, ": `p` must lie in [0, 1], but is ", p);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor dropout(const Tensor& input, double p, bool training) {
  detail::check_dropout("dropout", input, p);
  if (!training || p == 0) return input;
  return autocasting::call(
      "dropout", [&](const Tensor& x) { return detail::dropout(x, p); }, input);
}

AMP_LAZY_DEFINITION Tensor dropout_add(const Tensor& input, const Tensor& residual, double p,
                                       bool training) {
  detail::check_dropout("dropout_add", input, p);
  detail::check_floating("dropout_add", "residual", residual);
  detail::check_same_device("dropout_add", "input", input, "residual", residual);
  AMP_CHECK(input.shape() == residual.shape(),
            "dropout_add: `input` and `residual` must have one shape, but are ", describe(input),
            " and ", describe(residual), "; expand() the smaller one");
  return autocasting::call(
      "dropout_add",
      [&](const Tensor& x, const Tensor& r) {
        return training && p > 0 ? detail::dropout_add(x, r, p) : add(r, x);
      },
      input, residual);
}

}  // namespace amp::inline v0
