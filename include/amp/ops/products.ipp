// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/combination/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/contraction.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/products.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// A matmul under the policy of an op that takes tensors of these numbers of dimensions.
AMP_LAZY Tensor matmul_of(autocasting::OpId op, const Tensor& a, std::string_view name_a,
                          int dims_a, const Tensor& b, std::string_view name_b, int dims_b) {
  check_operands(op.name(), a, b, name_a, name_b);
  AMP_CHECK(a.dim() == dims_a && b.dim() == dims_b, op.name(), ": `", name_a, "` and `", name_b,
            "` must have ", dims_a, " and ", dims_b, " dimensions, but are ", describe(a), " and ",
            describe(b));
  AMP_CHECK(a.size(-1) == b.size(0), op.name(), ": the last extent of `", name_a,
            "` must be the first of `", name_b, "`, but they are ", describe(a), " and ",
            describe(b));
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        check_matmul(op.name(), x, y, name_a, name_b);
        return matmul(op.name(), x, y);
      },
      a, b);
}

/// The product of two vectors, of which the dtypes promote.
AMP_LAZY Tensor dot_of(autocasting::OpId op, const Tensor& a, const Tensor& b,
                       std::string_view name_b) {
  check_two_floating(op.name(), a, "input", b, name_b);
  const DType dtype = promote_types(a.dtype(), b.dtype());
  return matmul_of(op, autocasting::convert_dtype(a, dtype), "input", 1,
                   autocasting::convert_dtype(b, dtype), name_b, 1);
}

/// The product of matrices i to j, in the order that a table of splits says.
AMP_LAZY Tensor multiply_chain(std::string_view op, std::span<const Tensor> matrices,
                               const std::vector<std::size_t>& splits, std::size_t i,
                               std::size_t j) {
  if (i == j) return matrices[i];
  const std::size_t split = splits[i * matrices.size() + j];
  return matmul(op, multiply_chain(op, matrices, splits, i, split),
                multiply_chain(op, matrices, splits, split + 1, j));
}
AMP_LAZY Tensor multiply_chain(std::string_view op, std::span<const Tensor> matrices) {
  const std::size_t n = matrices.size();
  std::vector<double> flops(n * n), extents;
  std::vector<std::size_t> splits(n * n);
  for (const Tensor& matrix : matrices) extents.push_back(static_cast<double>(matrix.size(0)));
  extents.push_back(static_cast<double>(matrices[n - 1].size(1)));
  for (std::size_t length = 1; length < n; ++length) {
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      flops[i * n + j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double cost = flops[i * n + k] + flops[(k + 1) * n + j] +
                            extents[i] * extents[k + 1] * extents[j + 1];
        if (cost < flops[i * n + j]) flops[i * n + j] = cost, splits[i * n + j] = k;
      }
    }
  }
  return multiply_chain(op, matrices, splits, 0, n - 1);
}

/// Both ends may be vectors if `vectors`.
AMP_LAZY Tensor chain(autocasting::OpId op, std::span<const Tensor> tensors,
                      std::string_view argument, bool vectors) {
  const std::size_t n = tensors.size(), last = n - 1;
  for (std::size_t i = 0; i < n; ++i) {
    check_floating(op.name(), argument, tensors[i]);
    check_same_device(op.name(), argument, tensors[0], argument, tensors[i]);
    const bool end = vectors && (i == 0 || i == last);
    AMP_CHECK(tensors[i].dim() == 2 || (end && tensors[i].dim() == 1), op.name(), ": `", argument,
              "` must be matrices", vectors ? ", or vectors at the ends" : "", ", but number ", i,
              " is ", describe(tensors[i]));
    AMP_CHECK(i == 0 || tensors[i - 1].size(-1) == tensors[i].size(0), op.name(),
              ": the last extent of each of `", argument,
              "` must be the first of the next, but number ", i == 0 ? 0 : i - 1,
              " and the next are ", describe(tensors[i == 0 ? 0 : i - 1]), " and ",
              describe(tensors[i]));
  }
  return autocasting::call_list(
      op,
      [&](std::span<const Tensor> x) {
        for (std::size_t i = 1; i < n; ++i)
          AMP_CHECK(x[i].dtype() == x[0].dtype(), op.name(), ": `", argument,
                    "` must have one dtype, but number 0 is ", describe(x[0]), " and number ", i,
                    " is ", describe(x[i]),
                    "; convert one with to(), or multiply under an AutocastGuard");
        const bool row = x[0].dim() == 1, column = x[last].dim() == 1;
        std::vector<Tensor> matrices(x.begin(), x.end());
        if (row) matrices[0] = reshape(x[0], Shape(1, x[0].size(0)));
        if (column) matrices[last] = reshape(x[last], Shape(x[last].size(0), 1));
        const Tensor product = multiply_chain(op.name(), matrices);
        Shape shape;
        if (!row) shape.push_back(product.size(0));
        if (!column) shape.push_back(product.size(1));
        return reshape(product, shape);
      },
      tensors);
}

AMP_LAZY Tensor cross_no_grad(const Tensor& a, const Tensor& b, int dim, const Shape& shape,
                              DType dtype) {
  const Tensor output = empty(shape, {.dtype = dtype, .device = a.device()});
  if (output.numel() == 0) return output;
  const auto slice = [dim](const Tensor& x, int i) { return x.detach().select(dim, i).operand(); };
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const kernels::CombinationArgs args{
        .inputs = {slice(a, j), slice(b, k), slice(a, k), slice(b, j)}, .output = slice(output, i)};
    kernels::determinant(a.device(), args);
  }
  return output;
}

AMP_LAZY Tensor cross(const Tensor& a, const Tensor& b, int dim) {
  const Shape shape = broadcast_shapes("cross", a.shape(), b.shape(), "input", "other");
  const DType dtype = result_type(a, b);
  const Tensor output = cross_no_grad(a, b, dim, shape, dtype);
  if (is_floating_point(dtype) && autograd::recording(a, b)) {
    autograd::record(
        "cross", output,
        [dim, a = autograd::SavedTensor(a), b = autograd::SavedTensor(b)](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor &x = a.get("cross"), &y = b.get("cross");
          const auto of = [&](const Tensor& left, const Tensor& right, const Tensor& operand) {
            const Tensor full_sum =
                cross_no_grad(left, right, dim, grad.shape(),
                              dtype_before_sum(grad, operand.shape(), operand.dtype()));
            return sum_to(full_sum, operand.shape(), operand.dtype());
          };
          return {needs[0] ? of(y, grad, x) : Tensor(), needs[1] ? of(grad, x, y) : Tensor()};
        },
        a, b);
  }
  return output;
}

AMP_LAZY Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                         const Tensor& bias) {
  DType dtype = promote_types(promote_types(input1.dtype(), input2.dtype()), weight.dtype());
  if (bias.defined()) dtype = promote_types(dtype, bias.dtype());
  const DType wide = promote_types(dtype, kFloat32);
  const std::int64_t i = weight.size(1), j = weight.size(2), o = weight.size(0);
  Shape shape = input1.shape();
  shape[shape.dims() - 1] = o;
  std::int64_t n = 1;
  for (int d = 0; d + 1 < input1.dim(); ++d) n *= input1.shape()[d];
  const auto widened = [wide](const Tensor& x) { return autocasting::convert_dtype(x, wide); };
  const Tensor x = reshape(widened(input1), {1, n, i}), y = reshape(widened(input2), {n, j, 1});
  const Tensor halves = matmul("bilinear", x, widened(weight));  // [O, N, J]
  const Tensor product = matmul("bilinear", transpose(halves, 0, 1), y);
  const Tensor rows = reshape(product, {n, o});
  const Tensor sums = bias.defined()
                          ? add_product("bilinear", bias, rows, Tensor(), 1, 1, {n, o}, dtype, true)
                          : autocasting::convert_dtype(rows, dtype);
  return reshape(sums, shape);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor mm(const Tensor& input, const Tensor& mat2) {
  return detail::matmul_of("mm", input, "input", 2, mat2, "mat2", 2);
}
AMP_LAZY_DEFINITION Tensor mv(const Tensor& input, const Tensor& vec) {
  return detail::matmul_of("mv", input, "input", 2, vec, "vec", 1);
}
AMP_LAZY_DEFINITION Tensor dot(const Tensor& input, const Tensor& tensor) {
  return detail::dot_of("dot", input, tensor, "tensor");
}
AMP_LAZY_DEFINITION Tensor vdot(const Tensor& input, const Tensor& other) {
  return detail::dot_of("vdot", input, other, "other");
}
AMP_LAZY_DEFINITION Tensor linalg_vecdot(const Tensor& x, const Tensor& y, std::int64_t dim) {
  detail::check_operands("linalg_vecdot", x, y, "x", "y");
  const Shape shape = broadcast_shapes("linalg_vecdot", x.shape(), y.shape(), "x", "y");
  AMP_CHECK(x.dim() > 0 && y.dim() > 0,
            "linalg_vecdot: `x` and `y` must have at least 1 dimension, "
            "but are ",
            describe(x), " and ", describe(y));
  const int d = wrap_dim("linalg_vecdot", dim, shape.dims());
  return autocasting::call(
      "linalg_vecdot",
      [&](const Tensor& a, const Tensor& b) {
        detail::check_matmul("linalg_vecdot", a, b, "x", "y");
        detail::Numbers output;
        for (int i = 0; i < shape.dims(); ++i) {
          if (i != d) output.push_back(i);
        }
        const auto labelled = [&](const Tensor& of) {
          detail::Labelled result{.tensor = of, .labels = {}};
          for (int i = shape.dims() - of.dim(); i < shape.dims(); ++i) result.labels.push_back(i);
          return result;
        };
        return detail::contract("linalg_vecdot", {labelled(a), labelled(b)}, output);
      },
      x, y);
}

AMP_LAZY_DEFINITION Tensor chain_matmul(std::span<const Tensor> matrices) {
  AMP_CHECK(!matrices.empty(), "chain_matmul: `matrices` must not be empty");
  return detail::chain("chain_matmul", matrices, "matrices", false);
}
AMP_LAZY_DEFINITION Tensor linalg_multi_dot(std::span<const Tensor> tensors) {
  AMP_CHECK(tensors.size() >= 2, "linalg_multi_dot: `tensors` must be at least 2, but are ",
            tensors.size());
  return detail::chain("linalg_multi_dot", tensors, "tensors", true);
}

AMP_LAZY_DEFINITION Tensor outer(const Tensor& input, const Tensor& vec2) {
  detail::check_operands("outer", input, vec2, "input", "vec2");
  AMP_CHECK(input.dim() == 1 && vec2.dim() == 1,
            "outer: `input` and `vec2` must have 1 dimension, but are ", describe(input), " and ",
            describe(vec2));
  return autocasting::call(
      "outer",
      [](const Tensor& a, const Tensor& b) {
        return mul(detail::reshape(a, {a.size(0), 1}), b);
      },
      input, vec2);
}
AMP_LAZY_DEFINITION Tensor kron(const Tensor& input, const Tensor& other) {
  detail::check_operands("kron", input, other, "input", "other");
  // Dimension by dimension, that of `input` before that of `other`, but none of extent 1.
  Shape of_a, of_b, shape, all;
  const int dims = (std::max)(input.dim(), other.dim());
  for (int d = 0; d < dims; ++d) {
    const int in_a = d - dims + input.dim(), in_b = d - dims + other.dim();
    const std::int64_t a = in_a < 0 ? 1 : input.shape()[in_a],
                       b = in_b < 0 ? 1 : other.shape()[in_b];
    AMP_CHECK(
        all.dims() + (a != 1) + (b != 1) <= kMaxDims,
        "kron: at most 8 dimensions of `input` and `other` together may be longer than 1, but "
        "they are ",
        describe(input), " and ", describe(other));
    shape.push_back(a * b);
    if (a != 1) of_a.push_back(a), of_b.push_back(1), all.push_back(a);
    if (b != 1) of_a.push_back(1), of_b.push_back(b), all.push_back(b);
  }
  return autocasting::call(
      "kron",
      [&](const Tensor& x, const Tensor& y) {
        const Tensor products = detail::add_product("kron", Tensor(), detail::reshape(x, of_a),
                                                    detail::reshape(y, of_b), 1, 0, all,
                                                    promote_types(x.dtype(), y.dtype()));
        return detail::reshape(products, shape);
      },
      input, other);
}

AMP_LAZY_DEFINITION Tensor cross(const Tensor& input, const Tensor& other,
                                 std::optional<std::int64_t> dim) {
  detail::check_operands("cross", input, other, "input", "other");
  AMP_CHECK(input.dtype() != kBool || other.dtype() != kBool,
            "cross: `input` and `other` must not both be bool");
  AMP_CHECK(input.dim() == other.dim(),
            "cross: `input` and `other` must have the same number of dimensions, but are ",
            describe(input), " and ", describe(other));
  int d = 0;
  if (dim) {
    d = wrap_dim("cross", *dim, input.dim());
  } else {
    while (d < input.dim() && input.shape()[d] != 3) ++d;
  }
  AMP_CHECK(d < input.dim() && input.shape()[d] == 3 && other.shape()[d] == 3,
            "cross: `input` and `other` must have extent 3 in `dim`, but are ", describe(input),
            " and ", describe(other));
  return autocasting::call(
      "cross", [d](const Tensor& a, const Tensor& b) { return detail::cross(a, b, d); }, input,
      other);
}

AMP_LAZY_DEFINITION Tensor bilinear(const Tensor& input1, const Tensor& input2,
                                    const Tensor& weight, const Tensor& bias) {
  detail::check_two_floating("bilinear", input1, "input1", input2, "input2");
  detail::check_two_floating("bilinear", input1, "input1", weight, "weight");
  if (bias.defined()) detail::check_two_floating("bilinear", input1, "input1", bias, "bias");
  bool fits = weight.dim() == 3 && input1.dim() > 0 && input1.dim() == input2.dim() &&
              input1.size(-1) == weight.size(1) && input2.size(-1) == weight.size(2);
  for (int d = 0; fits && d + 1 < input1.dim(); ++d) fits = input1.shape()[d] == input2.shape()[d];
  AMP_CHECK(
      fits,
      "bilinear: expected `input1` [..., I], `input2` [..., J] and `weight` [O, I, J], but got ",
      describe(input1), ", ", describe(input2), " and ", describe(weight));
  AMP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
            "bilinear: `bias` must have shape [", weight.size(0), "], but is ", describe(bias));
  return autocasting::call(
      "bilinear",
      [](const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& b) {
        return detail::bilinear(x, y, w, b);
      },
      input1, input2, weight, bias);
}

}  // namespace amp::inline v0
