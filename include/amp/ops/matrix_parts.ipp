// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/remap/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/matrix_parts.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/views.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY Tensor triangle_kernel(const Tensor& input, std::int64_t diagonal, bool upper) {
  const Tensor x = dense(input), output = empty_like(x);
  if (x.numel() != 0) {
    const kernels::TriangleArgs args{x.operand(), output.operand(), diagonal, upper};
    kernels::triangle(x.device(), args);
  }
  return output;
}

AMP_LAZY Tensor triangle(autocasting::OpId op, const Tensor& input, std::int64_t diagonal,
                         bool upper) {
  check_defined(op.name(), "input", input);
  AMP_CHECK(input.dim() >= 2, op.name(), ": `input` must be [..., R, C], but is ", describe(input));
  // Beyond the matrix, all diagonals are alike.
  const std::int64_t border = (std::clamp)(diagonal, -input.size(-2) - 1, input.size(-1) + 1);
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const Tensor output = triangle_kernel(x, border, upper);
        if (autograd::recording(x)) {
          record_move(
              op.name(), output,
              [border, upper](const Tensor& grad, const autograd::Needs<1>&)
                  -> autograd::Gradients<1> { return {triangle_kernel(grad, border, upper)}; },
              x);
        }
        return output;
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor tril(const Tensor& input, std::int64_t diagonal) {
  return detail::triangle("tril", input, diagonal, false);
}
AMP_LAZY_DEFINITION Tensor triu(const Tensor& input, std::int64_t diagonal) {
  return detail::triangle("triu", input, diagonal, true);
}

AMP_LAZY_DEFINITION Tensor trace(const Tensor& input) {
  detail::check_not_bool("trace", input);
  AMP_CHECK(input.dim() == 2, "trace: `input` must be a matrix, but is ", describe(input));
  return autocasting::call(
      "trace",
      [](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        return sum(x.diagonal());
      },
      input);
}

namespace detail {

/// The diagonals of the new dimensions a and b hold the lines along the last dimension.
AMP_LAZY Tensor embed(autocasting::OpId op, const Tensor& input, std::int64_t offset, int a,
                      int b) {
  Shape shape = input.shape();
  const std::int64_t extent = shape[input.dim() - 1] + (offset < 0 ? -offset : offset);
  shape.erase(input.dim() - 1);
  shape.insert((std::min)(a, b), extent);
  shape.insert((std::max)(a, b), extent);
  (void)byte_count(Shape(shape.span()), input.dtype());  // throws if there are too many
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const Tensor output = full(shape, 0, {.dtype = x.dtype(), .device = x.device()});
        copy_elements(x, output.diagonal(offset, a, b));
        if (autograd::recording(x)) {
          record_move(
              op.name(), output,
              [offset, a, b](const Tensor& grad, const autograd::Needs<1>&)
                  -> autograd::Gradients<1> { return {grad.diagonal(offset, a, b)}; },
              x);
        }
        return output;
      },
      input);
}

/// Throws for diagonals farther away than any matrix is large.
AMP_LAZY void check_offset(autocasting::OpId op, std::string_view argument, std::int64_t offset) {
  constexpr std::int64_t kMost = std::int64_t{1} << 47;
  AMP_CHECK(offset > -kMost && offset < kMost, op.name(), ": `", argument, "` ", offset,
            " makes a matrix that is larger than memory");
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor diag(const Tensor& input, std::int64_t diagonal) {
  detail::check_defined("diag", "input", input);
  AMP_CHECK(input.dim() == 1 || input.dim() == 2,
            "diag: `input` must have 1 or 2 dimensions, but is ", describe(input));
  detail::check_offset("diag", "diagonal", diagonal);
  if (input.dim() == 1) return detail::embed("diag", input, diagonal, 0, 1);
  return autocasting::call(
      "diag", [&](const Tensor& x) { return x.diagonal(diagonal).clone(); }, input);
}

AMP_LAZY_DEFINITION Tensor diag_embed(const Tensor& input, std::int64_t offset, std::int64_t dim1,
                                      std::int64_t dim2) {
  detail::check_defined("diag_embed", "input", input);
  AMP_CHECK(input.dim() >= 1, "diag_embed: `input` must have at least 1 dimension, but is ",
            describe(input));
  detail::check_offset("diag_embed", "offset", offset);
  const int a = wrap_dim("diag_embed", dim1, input.dim() + 1, "dim1"),
            b = wrap_dim("diag_embed", dim2, input.dim() + 1, "dim2");
  AMP_CHECK(a != b, "diag_embed: `dim1` and `dim2` must differ, but both are dimension ", a);
  return detail::embed("diag_embed", input, offset, a, b);
}

AMP_LAZY_DEFINITION Tensor diff(const Tensor& input, std::int64_t n, std::int64_t dim) {
  detail::check_defined("diff", "input", input);
  AMP_CHECK(input.dim() >= 1, "diff: `input` must have at least 1 dimension, but is ",
            describe(input));
  AMP_CHECK(n >= 0, "diff: `n` must not be negative, but is ", n);
  const int d = wrap_dim("diff", dim, input.dim());
  return autocasting::call(
      "diff",
      [&](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        Tensor y = n == 0 ? x.clone() : x;
        for (std::int64_t i = 0; i < n && (i == 0 || y.size(d) > 0); ++i) {
          const std::int64_t left = (std::max)(y.size(d) - 1, std::int64_t{0});
          const Tensor behind = y.narrow(d, y.size(d) - left, left), before = y.narrow(d, 0, left);
          y = y.dtype() == kBool ? logical_xor(behind, before) : sub(behind, before);
        }
        return y;
      },
      input);
}

}  // namespace amp::inline v0
