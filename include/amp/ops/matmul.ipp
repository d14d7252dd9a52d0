// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/matmul/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY_DEFINITION kernels::Operand batch_operand(const Tensor& x) {
  kernels::Operand operand = x.operand();
  if (operand.dims == 2) {
    for (int d = 2; d > 0; --d) {
      operand.sizes[d] = operand.sizes[d - 1];
      operand.strides[d] = operand.strides[d - 1];
    }
    operand.sizes[0] = 1;
    operand.strides[0] = operand.sizes[1] * operand.sizes[2];
    operand.dims = 3;
  }
  return operand;
}

AMP_LAZY_DEFINITION Tensor matmul_no_grad(const Tensor& a, const Tensor& b, const Tensor& bias,
                                          std::optional<DType> dtype, const Tensor& row_sums) {
  const std::int64_t m = a.shape()[a.dim() - 2], n = b.shape()[b.dim() - 1];
  const Shape shape = a.dim() == 2        ? Shape(m, n)
                      : a.shape()[0] == 1 ? Shape(b.shape()[0], m, n)
                                          : Shape(a.shape()[0], m, n);
  const Tensor output = empty(shape, {.dtype = dtype.value_or(a.dtype()), .device = a.device()});
  if (output.numel() == 0 && !row_sums.defined()) return output;
  kernels::MatmulArgs args{batch_operand(a), batch_operand(b), bias.operand(),
                           batch_operand(output)};
  if (args.a.sizes[0] == 1) args.a.strides[0] = 0;
  if (args.b.sizes[0] == 1) args.b.strides[0] = 0;
  args.row_sums = row_sums.operand();
  kernels::matmul(a.device(), args);
  return output;
}

AMP_LAZY_DEFINITION Tensor transpose_last(const Tensor& x) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  const int n = x.dim();
  std::swap(shape[n - 2], shape[n - 1]);
  std::swap(strides[n - 2], strides[n - 1]);
  return x.alias(shape, strides, x.impl().offset);
}

AMP_LAZY_DEFINITION std::array<Tensor, 2> weight_gradients(const Tensor& grad, const Tensor& x,
                                                           DType weight_dtype,
                                                           std::optional<DType> bias_dtype) {
  const Tensor sums = bias_dtype
                          ? empty({grad.size(1)}, {.dtype = *bias_dtype, .device = grad.device()})
                          : Tensor();
  return {matmul_no_grad(transpose_last(grad), x, Tensor(), weight_dtype, sums), sums};
}

AMP_LAZY_DEFINITION void check_matmul(std::string_view op, const Tensor& a, const Tensor& b,
                                      std::string_view name_a, std::string_view name_b) {
  check_same_device(op, name_a, a, name_b, b);
  AMP_CHECK(is_floating_point(a.dtype()) && is_floating_point(b.dtype()), op, ": `", name_a,
            "` and `", name_b, "` must be floating point, but are ", describe(a), " and ",
            describe(b), "; convert them with to()");
  AMP_CHECK(a.dtype() == b.dtype(), op, ": `", name_a, "` and `", name_b,
            "` must have one dtype, but are ", describe(a), " and ", describe(b),
            a.dtype() == kFloat64 || b.dtype() == kFloat64
                ? "; convert one with to(): autocast leaves float64 as it is"
                : "; convert one with to(), or multiply under an AutocastGuard");
}

/// a [B or 1, M, K] @ b [B or 1, K, N], or of two matrices, with history. A result in a wider
/// `dtype` has its gradient rounded to that of the operands, so that backward multiplies at their
/// speed.
AMP_LAZY Tensor batched_matmul(std::string_view op, const Tensor& a, const Tensor& b,
                               std::optional<DType> dtype = {}) {
  const Tensor output = matmul_no_grad(a, b, {}, dtype);
  if (is_floating_point(a.dtype()) && autograd::recording(a, b)) {
    autograd::record(
        op, output,
        [op, a = autograd::SavedTensor(a, autograd::requires_grad(b)),
         b = autograd::SavedTensor(b, autograd::requires_grad(a)), of_a = a.shape(),
         of_b = b.shape(), low = a.dtype(), a_dtype = autograd::gradient_dtype(a),
         b_dtype = autograd::gradient_dtype(b)](
            const Tensor& gradient, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor grad = autocasting::convert_dtype(gradient, low);
          const auto of = [](const Tensor& left, const Tensor& right, const Shape& shape,
                             DType wanted) {
            return sum_to(matmul_no_grad(left, right, {}, wanted), shape, wanted);
          };
          return {needs[0] ? of(grad, transpose_last(b.get(op)), of_a, a_dtype) : Tensor(),
                  needs[1] ? of(transpose_last(a.get(op)), grad, of_b, b_dtype) : Tensor()};
        },
        a, b);
  }
  return output;
}

AMP_LAZY_DEFINITION Tensor matmul(std::string_view op, const Tensor& a, const Tensor& b,
                                  std::optional<DType> dtype) {
  AMP_CHECK(a.dim() > 0 && b.dim() > 0, op,
            ": `a` and `b` must have at least 1 dimension, but are ", describe(a), " and ",
            describe(b));
  check_matmul(op, a, b);
  const std::int64_t inner_a = a.size(-1), inner_b = b.dim() == 1 ? b.size(0) : b.size(-2);
  AMP_CHECK(inner_a == inner_b, op,
            ": the last extent of `a` must be the last but one of `b`, but ", describe(a), " and ",
            describe(b), " have ", inner_a, " and ", inner_b);
  if (a.dim() == 2 && b.dim() == 2) return batched_matmul(op, a, b, dtype);
  // Vectors become matrices of one row or column; the result loses it again at the end.
  const Shape rows = a.dim() == 1 ? Shape(1, a.size(0)) : a.shape();
  const Shape columns = b.dim() == 1 ? Shape(b.size(0), 1) : b.shape();
  const std::int64_t m = rows[rows.dims() - 2], n = columns[columns.dims() - 1];
  Shape batch_a, batch_b;
  for (int d = 0; d + 2 < rows.dims(); ++d) batch_a.push_back(rows[d]);
  for (int d = 0; d + 2 < columns.dims(); ++d) batch_b.push_back(columns[d]);
  AMP_CHECK(do_broadcast(batch_a, batch_b), op,
            ": the leading dimensions of `a` and `b` do not broadcast: they are ", describe(a),
            " and ", describe(b));
  const Shape batch = broadcast_shapes(op, batch_a, batch_b);
  // One side's batch of 1 stays 1; otherwise both are expanded to the common batch.
  const auto as_batch = [&](const Tensor& x, const Shape& matrix, const Shape& own) {
    const Tensor shaped = reshape(x, matrix);
    const std::int64_t r = matrix[matrix.dims() - 2], c = matrix[matrix.dims() - 1];
    if (own.numel() == 1) return reshape(shaped, {1, r, c});
    Shape full_shape = batch;
    full_shape.push_back(r);
    full_shape.push_back(c);
    return reshape(own == batch ? shaped : expand(shaped, full_shape), {batch.numel(), r, c});
  };
  Tensor left = as_batch(a, rows, batch_a), right = as_batch(b, columns, batch_b);
  if (right.size(0) == 1 && left.size(0) > 1)
    left = reshape(left, {1, left.size(0) * m, inner_a});  // many rows, one matrix
  Shape shape = batch;
  if (a.dim() > 1) shape.push_back(m);
  if (b.dim() > 1) shape.push_back(n);
  return reshape(batched_matmul(op, left, right, dtype), shape);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor matmul(const Tensor& a, const Tensor& b) {
  detail::check_operands("matmul", a, b);
  return autocasting::call(
      "matmul", [](const Tensor& x, const Tensor& y) { return detail::matmul("matmul", x, y); }, a,
      b);
}

AMP_LAZY_DEFINITION Tensor bmm(const Tensor& a, const Tensor& b) {
  detail::check_operands("bmm", a, b);
  AMP_CHECK(a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0) && a.size(2) == b.size(1),
            "bmm: expected `a` [B, M, K] and `b` [B, K, N], but got ", describe(a), " and ",
            describe(b));
  return autocasting::call(
      "bmm",
      [](const Tensor& x, const Tensor& y) {
        detail::check_matmul("bmm", x, y);
        return detail::batched_matmul("bmm", x, y);
      },
      a, b);
}

AMP_LAZY_DEFINITION Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  detail::check_defined("linear", "input", input);
  detail::check_defined("linear", "weight", weight);
  AMP_CHECK(weight.dim() == 2 && input.dim() >= 1,
            "linear: expected `input` [..., K] and `weight` [N, K], but got ", describe(input),
            " and ", describe(weight));
  AMP_CHECK(input.size(-1) == weight.size(1),
            "linear: the last extent of `input` must be that of `weight` [N, K], but ",
            describe(input), " and ", describe(weight), " have ", input.size(-1), " and ",
            weight.size(1));
  AMP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
            "linear: `bias` must have shape [", weight.size(0), "], but is ", describe(bias));
  return autocasting::call(
      "linear",
      [](const Tensor& x, const Tensor& w, const Tensor& b) {
        detail::check_matmul("linear", x, w, "input", "weight");
        if (b.defined()) detail::check_matmul("linear", x, b, "input", "bias");
        const std::int64_t k = w.size(1), n = w.size(0);
        std::int64_t m = 1;
        for (int d = 0; d + 1 < x.dim(); ++d) m *= x.shape()[d];
        const Tensor rows = detail::reshape(x, {m, k});
        const Tensor output = detail::matmul_no_grad(rows, detail::transpose_last(w), b);
        if (autograd::recording(rows, w, b)) {
          autograd::record(
              "linear", output,
              [rows = autograd::SavedTensor(rows, autograd::requires_grad(w)),
               matrix = autograd::SavedTensor(w, autograd::requires_grad(rows)),
               rows_dtype = autograd::gradient_dtype(rows), dtype = autograd::gradient_dtype(w),
               bias_dtype = autograd::gradient_dtype(b)](
                  const Tensor& grad, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
                autograd::Gradients<3> gradients;
                if (needs[0])
                  gradients[0] = detail::matmul_no_grad(grad, matrix.get("linear"), {}, rows_dtype);
                if (needs[1]) {
                  auto both = detail::weight_gradients(
                      grad, rows.get("linear"), dtype,
                      needs[2] ? std::optional<DType>(bias_dtype) : std::nullopt);
                  gradients[1] = std::move(both[0]);
                  gradients[2] = std::move(both[1]);
                } else if (needs[2]) {
                  gradients[2] = detail::sum_to(grad, {grad.size(1)}, bias_dtype);
                }
                return gradients;
              },
              rows, w, b);
        }
        Shape shape = x.shape();
        shape[shape.dims() - 1] = n;
        return detail::reshape(output, shape);
      },
      input, weight, bias);
}

}  // namespace amp::inline v0
