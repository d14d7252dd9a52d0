// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/kernels/var/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_INLINE ReducedShape::ReducedShape(std::string_view name, const Tensor& input,
                                      std::optional<std::int64_t> dim)
    : kept(input.shape()) {
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
}

AMP_INLINE Tensor reduce(std::string_view name, const Tensor& input,
                         std::optional<std::int64_t> dim, bool keepdim, double scale_by,
                         std::optional<DType> wanted) {
  const auto [kept, squeezed] = ReducedShape(name, input, dim);
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
        [from = input.shape(), kept = kept, scale_by](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor scaled = scale_by == 1 ? grad : detail::scale(grad, scale_by);
          return {expand(reshape(scaled, kept), from)};
        },
        input);
  }
  return output;
}

}  // namespace detail

AMP_INLINE Tensor sum(const Tensor& input) {
  detail::check_defined("sum", "input", input);
  return autocasting::call_reading(
      "sum",
      [](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::reduce("sum", x, {}, false, 1, dtype(x));
      },
      input);
}
AMP_INLINE Tensor sum(const Tensor& input, std::int64_t dim, bool keepdim) {
  detail::check_defined("sum", "input", input);
  return autocasting::call_reading(
      "sum",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::reduce("sum", x, dim, keepdim, 1, dtype(x));
      },
      input);
}

AMP_INLINE Tensor mean(const Tensor& input) {
  detail::check_floating("mean", "input", input);
  const double share = 1 / static_cast<double>(input.numel());
  return autocasting::call(
      "mean", [&](const Tensor& x) { return detail::reduce("mean", x, {}, false, share); }, input);
}
AMP_INLINE Tensor mean(const Tensor& input, std::int64_t dim, bool keepdim) {
  detail::check_floating("mean", "input", input);
  const double share =
      input.dim() == 0 ? 1
                       : 1 / static_cast<double>(input.shape()[wrap_dim("mean", dim, input.dim())]);
  return autocasting::call(
      "mean", [&](const Tensor& x) { return detail::reduce("mean", x, dim, keepdim, share); },
      input);
}

namespace detail {

AMP_INLINE Tensor var(const Tensor& input, std::int64_t dim, double correction, bool keepdim) {
  const int d = wrap_dim("var", dim, input.dim());
  const auto [kept, squeezed] = ReducedShape("var", input, dim);
  const Shape& shape = keepdim ? kept : squeezed;
  const Tensor x = contiguous(input);
  const TensorOptions like{.dtype = x.dtype(), .device = x.device()};
  const Tensor mean =
      empty(shape, {.dtype = promote_types(x.dtype(), kFloat32), .device = x.device()});
  const bool nothing = x.numel() == 0;
  const Tensor output =
      nothing ? full(shape, std::numeric_limits<double>::quiet_NaN(), like) : empty(shape, like);
  if (!nothing) {
    const kernels::VarArgs args{x.operand(), output.operand(), mean.operand(), d, correction};
    kernels::dispatch<&kernels::Backend::var, kernels::host::var>(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        "var", output,
        [d, correction, mean, x = autograd::SavedTensor(x)](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor& in = x.get("var");
          const Tensor grad_x = empty_like(in);
          if (grad_x.numel() != 0) {
            const kernels::VarBackwardArgs args{
                grad.operand(), in.operand(), mean.operand(), grad_x.operand(), d, correction};
            kernels::dispatch<&kernels::Backend::var_backward, kernels::host::var_backward>(
                in.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return output;
}

}  // namespace detail

AMP_INLINE Tensor var(const Tensor& input, std::int64_t dim, double correction, bool keepdim) {
  detail::check_floating("var", "input", input);
  return autocasting::call(
      "var", [&](const Tensor& x) { return detail::var(x, dim, correction, keepdim); }, input);
}

}  // namespace amp::inline v0
