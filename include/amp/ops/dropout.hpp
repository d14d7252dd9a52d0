// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Dropout (Srivastava et al. 2014, JMLR 15).
#pragma once

#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {
namespace detail {

inline Tensor dropout_kernel(const Tensor& x, double p, const kernels::RandomRange& range) {
  const Tensor output = empty_like(x);
  if (output.numel() != 0) {
    const kernels::DropoutArgs args{x.operand(), output.operand(), p, range};
    kernels::dispatch<&kernels::Backend::dropout, kernels::host::dropout>(x.device(), x.dtype(),
                                                                          args);
  }
  return output;
}

inline Tensor dropout(const Tensor& input, double p) {
  const Tensor x = contiguous(input);
  const kernels::RandomRange range = reserve_random(ceil_div(x.numel(), 4), x.device());
  const Tensor output = dropout_kernel(x, p, range);
  if (autograd::recording(x)) {
    autograd::record(
        "dropout", output,
        [p, range](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {dropout_kernel(dense(grad), p, range)};
        },
        x);
  }
  return output;
}

}  // namespace detail

/// Each element is 0 with probability p, else input / (1 - p): the expectation is kept. Not
/// `training`: the input itself. What is dropped is a function of the process' generator
/// (manual_seed), the same on every device and in every dtype.
[[nodiscard]] inline Tensor dropout(const Tensor& input, double p = 0.5, bool training = true) {
  detail::check_floating("dropout", "input", input);
  AMP_CHECK(p >= 0 && p <= 1, "dropout: `p` must lie in [0, 1], but is ", p);
  if (!training || p == 0) return input;
  return autocasting::call(
      "dropout", [&](const Tensor& x) { return detail::dropout(x, p); }, input);
}

}  // namespace amp::inline v0
