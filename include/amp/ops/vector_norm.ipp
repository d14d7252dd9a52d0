// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/reduce.hpp"
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

AMP_LAZY_DEFINITION Tensor norm_backward(const Tensor& grad, const Tensor& x, const Tensor& y,
                                         double p, DType dtype) {
  if (p == 0) return full(x.shape(), 0, {.dtype = dtype, .device = x.device()});
  if (std::isinf(p)) return extreme_norm_backward(grad, x, y, dtype);
  return run_fold_backward<kernels::vector_norm_backward>(
      grad, x, y, kernels::Operand::scalar(p, x.device()), dtype);
}

AMP_LAZY_DEFINITION void check_order(std::string_view op, const Tensor& input, double p,
                                     const Dims& dim) {
  AMP_CHECK(!std::isnan(p), op, ": `p` must be a number, but is ", p);
  if (p < 0 || std::isinf(p)) check_not_empty(op, input, dim, "norm of a negative or infinite `p`");
}

AMP_LAZY_DEFINITION Tensor vector_norm(std::string_view op, const Tensor& x, double p,
                                       const Dims& dim, bool keepdim, DType dtype) {
  return fold_op<kernels::vector_norm>(
      x, {op, dim, keepdim, dtype, p, !std::isinf(p) || x.dtype() != dtype},
      [p](const Tensor& grad, const Tensor& in, const Tensor& y) {
        return norm_backward(grad, in, y, p, in.dtype());
      });
}

/// The dtype of a norm of x: `result`, unless the caller asked for one, which must be as wide.
AMP_LAZY DType dtype_of_norm(std::string_view op, const Tensor& x, DType result,
                             std::optional<DType> asked) {
  if (!asked) return result;
  AMP_CHECK(is_floating_point(*asked) && promote_types(x.dtype(), *asked) == *asked, op,
            ": `dtype` must be floating point and hold all values of ", describe(x), ", but is ",
            name(*asked));
  return promote_types(result, *asked);
}

/// The largest or smallest of the sums of magnitudes along one dimension.
AMP_LAZY Tensor extreme_sum(const Tensor& x, int summed, int kept, bool largest, bool keepdim,
                            DType dtype) {
  constexpr std::string_view kOp = "linalg_matrix_norm";
  const DType wide = promote_types(dtype, kFloat32);
  const Tensor sums = vector_norm(kOp, x, 1, summed, true, wide);
  const bool none = x.shape()[kept] == 0;  // whose largest sum is 0
  const Tensor norms = none      ? reduce(kOp, sums, kept, true, 1)
                       : largest ? amax(sums, kept, true)
                                 : amin(sums, kept, true);
  const Tensor rounded = autocasting::convert_dtype(norms, dtype);
  if (keepdim) return rounded;
  return reshape(rounded, ReducedShape(kOp, x, Dims(summed, kept)).squeezed);
}

/// The two dimensions of matrices.
AMP_LAZY void check_matrix_norm(const Tensor& x, const Dims& dim) {
  check_floating("linalg_matrix_norm", "A", x);
  AMP_CHECK(dim.dims() == 2, "linalg_matrix_norm: `dim` must be 2 dimensions, but is ",
            to_string(dim));
  AMP_CHECK(x.dim() >= 2, "linalg_matrix_norm: `A` must have at least 2 dimensions, but is ",
            describe(x));
  (void)ReducedShape("linalg_matrix_norm", x, dim);
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
        return detail::vector_norm("norm", x, p, dim, keepdim, dtype(x));
      },
      input);
}

AMP_LAZY_DEFINITION Tensor linalg_vector_norm(const Tensor& x, double ord, const Dims& dim,
                                              bool keepdim, std::optional<DType> dtype) {
  detail::check_floating("linalg_vector_norm", "x", x);
  detail::check_order("linalg_vector_norm", x, ord, dim);
  return autocasting::call_reading(
      "linalg_vector_norm",
      [&](const autocasting::ResultDType& result, const Tensor& input) {
        return detail::vector_norm(
            "linalg_vector_norm", input, ord, dim, keepdim,
            detail::dtype_of_norm("linalg_vector_norm", input, result(input), dtype));
      },
      x);
}

AMP_LAZY_DEFINITION Tensor linalg_matrix_norm(const Tensor& A, double ord, const Dims& dim,
                                              bool keepdim, std::optional<DType> dtype) {
  detail::check_matrix_norm(A, dim);
  AMP_CHECK(
      ord != 2 && ord != -2, "linalg_matrix_norm: `ord` ", ord,
      " needs singular values, which amp does not compute; it may be \"fro\", 1, -1, infinity "
      "or -infinity");
  AMP_CHECK(ord == 1 || ord == -1 || std::isinf(ord),
            "linalg_matrix_norm: `ord` must be \"fro\", 1, -1, infinity or -infinity, but is ",
            ord);
  const int rows = wrap_dim("linalg_matrix_norm", dim[0], A.dim()),
            columns = wrap_dim("linalg_matrix_norm", dim[1], A.dim());
  const bool of_columns = !std::isinf(ord);
  AMP_CHECK(ord > 0 || A.shape()[of_columns ? columns : rows] > 0, "linalg_matrix_norm: `A` ",
            describe(A), " has no smallest sum");
  return autocasting::call_reading(
      "linalg_matrix_norm",
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        return detail::extreme_sum(
            x, of_columns ? rows : columns, of_columns ? columns : rows, ord > 0, keepdim,
            detail::dtype_of_norm("linalg_matrix_norm", x, result(x), dtype));
      },
      A);
}
AMP_LAZY_DEFINITION Tensor linalg_matrix_norm(const Tensor& A, std::string_view ord,
                                              const Dims& dim, bool keepdim,
                                              std::optional<DType> dtype) {
  detail::check_matrix_norm(A, dim);
  AMP_CHECK(ord != "nuc",
            "linalg_matrix_norm: `ord` \"nuc\" needs singular values, which amp does not compute");
  AMP_CHECK(ord == "fro", "linalg_matrix_norm: `ord` must be a number or \"fro\", but is \"", ord,
            "\"");
  return autocasting::call_reading(
      "linalg_matrix_norm",
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        return detail::vector_norm(
            "linalg_matrix_norm", x, 2, dim, keepdim,
            detail::dtype_of_norm("linalg_matrix_norm", x, result(x), dtype));
      },
      A);
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
