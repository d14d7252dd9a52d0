// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums and means.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {
namespace detail {

/// scale * sum over one dimension, or all, in the dtype wanted, else the input's; integers and bool
/// sum to int64.
inline Tensor reduce(std::string_view name, const Tensor& input, std::optional<std::int64_t> dim,
                     bool keepdim, double scale_by, std::optional<DType> wanted = {}) {
  Shape kept = input.shape();
  Shape squeezed;
  if (dim) {
    const int d = wrap_dim(name, *dim, input.dim());
    squeezed = kept;
    if (input.dim() > 0) {
      kept[d] = 1;
      squeezed.erase(d);
    }
  } else {
    for (int d = 0; d < kept.dims(); ++d) kept[d] = 1;
  }
  const Shape& shape = keepdim ? kept : squeezed;
  const DType dtype = is_floating_point(input.dtype()) ? wanted.value_or(input.dtype()) : kInt64;
  const Tensor sums = empty(kept, {.dtype = dtype, .device = input.device()});
  const kernels::ReduceArgs args{
      .input = input.operand(), .output = sums.operand(), .scale = scale_by};
  kernels::dispatch<&kernels::Backend::sum, kernels::host::sum>(input.device(), args);
  const Tensor output = shape == kept ? sums : sums.alias(shape, contiguous_strides(shape), 0);
  if (is_floating_point(dtype) && autograd::recording(input)) {
    autograd::record(
        name, output,
        [from = input.shape(), kept, scale_by](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor scaled = scale_by == 1 ? grad : detail::scale(grad, scale_by);
          return {expand(reshape(scaled, kept), from)};
        },
        input);
  }
  return output;
}

}  // namespace detail

/// The sum of all elements, 0-dimensional.
[[nodiscard]] inline Tensor sum(const Tensor& input) {
  detail::check_defined("sum", "input", input);
  return autocasting::call_reading(
      "sum",
      [](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::reduce("sum", x, {}, false, 1, dtype(x));
      },
      input);
}
/// Sums over `dim`.
[[nodiscard]] inline Tensor sum(const Tensor& input, std::int64_t dim, bool keepdim = false) {
  detail::check_defined("sum", "input", input);
  return autocasting::call_reading(
      "sum",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::reduce("sum", x, dim, keepdim, 1, dtype(x));
      },
      input);
}

/// The mean of all elements, in the dtype of the input: the division happens before rounding. NaN
/// for an empty tensor.
[[nodiscard]] inline Tensor mean(const Tensor& input) {
  detail::check_floating("mean", "input", input);
  const double share = 1 / static_cast<double>(input.numel());
  return autocasting::call(
      "mean", [&](const Tensor& x) { return detail::reduce("mean", x, {}, false, share); }, input);
}
[[nodiscard]] inline Tensor mean(const Tensor& input, std::int64_t dim, bool keepdim = false) {
  detail::check_floating("mean", "input", input);
  const double share =
      input.dim() == 0 ? 1
                       : 1 / static_cast<double>(input.shape()[wrap_dim("mean", dim, input.dim())]);
  return autocasting::call(
      "mean", [&](const Tensor& x) { return detail::reduce("mean", x, dim, keepdim, share); },
      input);
}

}  // namespace amp::inline v0
