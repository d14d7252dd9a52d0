// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/scan/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/scan.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0 {
namespace detail {

/// A scan of x, row-major, without history.
template <kernels::Launch<kernels::ScanArgs> kKernel>
Tensor run_scan(const Tensor& x, int dim, DType dtype, bool reverse = false,
                bool exclusive = false) {
  const Tensor y = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  if (y.numel() != 0) {
    const kernels::ScanArgs args{x.operand(), y.operand(), x.dim() == 0 ? kernels::kAllDims : dim,
                                 reverse, exclusive};
    kKernel(x.device(), args);
  }
  return y;
}
template <kernels::Launch<kernels::ScanBackwardArgs> kKernel>
Tensor run_scan_backward(const Tensor& grad, const Tensor& x, const Tensor& y, int dim) {
  const Tensor grad_x = empty(x.shape(), {.dtype = grad.dtype(), .device = x.device()});
  if (grad_x.numel() != 0) {
    const kernels::ScanBackwardArgs args{grad.operand(), x.operand(), y.operand(), grad_x.operand(),
                                         x.dim() == 0 ? kernels::kAllDims : dim};
    kKernel(x.device(), args);
  }
  return grad_x;
}

/// The dtype of a sum or product.
AMP_LAZY DType accumulated_type(DType dtype) { return is_floating_point(dtype) ? dtype : kInt64; }

template <kernels::Launch<kernels::ExtremumScanArgs> kKernel>
ValuesAndIndices extremum_scan_op(autocasting::OpId op, const Tensor& input, std::int64_t dim) {
  check_defined(op.name(), "input", input);
  const int d = wrap_dim(op.name(), dim, input.dim());
  Tensor indices;
  const Tensor values = autocasting::call(
      op,
      [&](const Tensor& given) {
        const Tensor x = dense(given), output = empty_like(x);
        indices = empty(x.shape(), {.dtype = kInt64, .device = x.device()});
        if (x.numel() != 0) {
          const kernels::ExtremumScanArgs args{x.operand(), output.operand(), indices.operand(),
                                               x.dim() == 0 ? kernels::kAllDims : d};
          kKernel(x.device(), args);
        }
        if (is_floating_point(x.dtype()) && autograd::recording(given)) {
          autograd::record(
              op.name(), output,
              [op, d, at = autograd::SavedTensor(indices)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {run_scan_backward<kernels::extremum_scan_backward>(
                    dense(grad), at.get(op.name()), {}, d)};
              },
              given);
        }
        return output;
      },
      input);
  return {values, indices};
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor cumsum(const Tensor& input, std::int64_t dim) {
  detail::check_defined("cumsum", "input", input);
  const int d = wrap_dim("cumsum", dim, input.dim());
  return autocasting::call_reading(
      "cumsum",
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        const DType dtype = detail::accumulated_type(result(x));
        const Tensor output = detail::run_scan<kernels::cumsum>(detail::dense(x), d, dtype);
        if (is_floating_point(dtype) && autograd::recording(x)) {
          autograd::record(
              "cumsum", output,
              [d](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {
                    detail::run_scan<kernels::cumsum>(detail::dense(grad), d, grad.dtype(), true)};
              },
              x);
        }
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION Tensor cumprod(const Tensor& input, std::int64_t dim) {
  detail::check_defined("cumprod", "input", input);
  const int d = wrap_dim("cumprod", dim, input.dim());
  return autocasting::call_reading(
      "cumprod",
      [&](const autocasting::ResultDType& result, const Tensor& given) {
        const DType dtype = detail::accumulated_type(result(given));
        const Tensor x = detail::dense(given);
        const Tensor output = detail::run_scan<kernels::cumprod>(x, d, dtype);
        if (is_floating_point(dtype) && autograd::recording(given)) {
          autograd::record(
              "cumprod", output,
              [d, x = autograd::SavedTensor(x)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor& in = x.get("cumprod");
                const Tensor before = detail::run_scan<kernels::cumprod>(
                    in, d, promote_types(in.dtype(), kFloat32), false, true);
                return {detail::run_scan_backward<kernels::cumprod_backward>(detail::dense(grad),
                                                                             in, before, d)};
              },
              given);
        }
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION Tensor logcumsumexp(const Tensor& input, std::int64_t dim) {
  detail::check_floating("logcumsumexp", "input", input);
  const int d = wrap_dim("logcumsumexp", dim, input.dim());
  return autocasting::call_reading(
      "logcumsumexp",
      [&](const autocasting::ResultDType& result, const Tensor& given) {
        const DType dtype = result(given);
        const Tensor x = detail::dense(given);
        const bool records = autograd::recording(given);
        // The gradient starts from the result before it is rounded to 16 bits.
        const DType computed = records ? promote_types(dtype, kFloat32) : dtype;
        const Tensor y = detail::run_scan<kernels::logcumsumexp>(x, d, computed);
        const Tensor output = computed == dtype ? y : detail::copy_as_laid_out(y, dtype);
        if (records) {
          autograd::record(
              "logcumsumexp", output,
              [d, x = autograd::SavedTensor(x), y = autograd::SavedTensor(y)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {detail::run_scan_backward<kernels::logcumsumexp_backward>(
                    detail::dense(grad), x.get("logcumsumexp"), y.get("logcumsumexp"), d)};
              },
              given);
        }
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION ValuesAndIndices cummax(const Tensor& input, std::int64_t dim) {
  return detail::extremum_scan_op<kernels::cummax>("cummax", input, dim);
}
AMP_LAZY_DEFINITION ValuesAndIndices cummin(const Tensor& input, std::int64_t dim) {
  return detail::extremum_scan_op<kernels::cummin>("cummin", input, dim);
}

}  // namespace amp::inline v0
