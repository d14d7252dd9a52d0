// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gathering by index.
#pragma once

#include <cstdint>

#include "amp/kernels/host/indexing.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

/// The slices of `input` along `dim` that `index` (1-dimensional int64 or int32) names, in its
/// order; repeated ones add up in the gradient, in float32. An index out of range throws on the
/// host.
[[nodiscard]] inline Tensor index_select(const Tensor& input, std::int64_t dim,
                                         const Tensor& index) {
  const int d = wrap_dim("index_select", dim, input.dim());
  AMP_CHECK(input.dim() > 0, "index_select: `input` must have at least 1 dimension, but is ",
            describe(input));
  AMP_CHECK(index.dim() == 1 && (index.dtype() == kInt64 || index.dtype() == kInt32),
            "index_select: `index` must be 1-dimensional int64 or int32, but is ", describe(index));
  detail::check_same_device("index_select", input, index);
  return autocasting::call(
      "index_select",
      [&](const Tensor& any) {
        const Tensor x = detail::contiguous(any);
        Shape shape = x.shape();
        shape[d] = index.size(0);
        const Tensor output = empty(shape, {.dtype = x.dtype(), .device = x.device()});
        if (index.numel() != 0) {
          const kernels::IndexSelectArgs args{x.operand(), index.operand(), output.operand(), d};
          kernels::dispatch<&kernels::Backend::index_select, kernels::host::index_select>(
              x.device(), x.dtype(), args);
        }
        if (is_floating_point(x.dtype()) && autograd::recording(x)) {
          autograd::record(
              "index_select", output,
              [from = x.shape(), d, index = autograd::SavedTensor(index)](
                  const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor grad = detail::dense(gradient);
                const Tensor grad_x = empty(from, {.dtype = grad.dtype(), .device = grad.device()});
                const kernels::IndexAddArgs args{
                    grad.operand(), index.get("index_select").operand(), grad_x.operand(), d};
                kernels::dispatch<&kernels::Backend::index_add, kernels::host::index_add>(
                    grad.device(), grad.dtype(), args);
                return {grad_x};
              },
              x);
        }
        return output;
      },
      input);
}

}  // namespace amp::inline v0
