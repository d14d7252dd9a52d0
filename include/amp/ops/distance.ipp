// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/combination/host.hpp"
#include "amp/kernels/distance/host.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/contraction.hpp"
#include "amp/ops/distance.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/vector_norm.hpp"

namespace amp::inline v0 {
namespace detail {

/// a - b + offset, in float32 or wider, with history.
AMP_LAZY Tensor difference(std::string_view op, const Tensor& a, const Tensor& b, double offset,
                           DType wide) {
  const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
  const Tensor output = combine(kernels::offset_difference, a.device(), {a.operand(), b.operand()},
                                shape, wide, {offset});
  if (autograd::recording(a, b)) {
    autograd::record(
        op, output,
        [a_shape = a.shape(), b_shape = b.shape(), a_dtype = a.dtype(), b_dtype = b.dtype()](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          return {needs[0] ? sum_to(grad, a_shape, a_dtype) : Tensor(),
                  needs[1] ? sum_to(detail::neg(grad), b_shape, b_dtype) : Tensor()};
        },
        a, b);
  }
  return output;
}

/// The norm of a difference, over some dimensions.
AMP_LAZY Tensor norm_of_difference(autocasting::OpId op, const Tensor& a, std::string_view name_a,
                                   const Tensor& b, std::string_view name_b, double p,
                                   double offset, const Dims& dim, bool keepdim) {
  check_two_floating(op.name(), a, name_a, b, name_b);
  const Shape shape = broadcast_shapes(op.name(), a.shape(), b.shape(), name_a, name_b);
  check_order(op.name(), expand(a.detach(), shape), p, dim);
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        const DType dtype = result_type(x, y);
        const Tensor vectors = difference(op.name(), x, y, offset, promote_types(dtype, kFloat32));
        return vector_norm(op.name(), vectors, p, dim, keepdim, dtype);
      },
      a, b);
}

/// Points as kernels take them: [B, P, M] or [1, P, M], dense, in float32 or wider.
AMP_LAZY Tensor as_points(const Tensor& x, const Shape& batch, DType wide) {
  const std::int64_t points = x.size(-2), m = x.size(-1);
  const Tensor values = autocasting::convert_dtype(x, wide);
  std::int64_t own = 1;
  for (int d = 0; d + 2 < x.dim(); ++d) own *= x.shape()[d];
  if (own == 1) return contiguous(reshape(values, {1, points, m}));
  Shape shape = batch;
  shape.push_back(points);
  shape.push_back(m);
  return contiguous(reshape(expand(values, shape), {batch.numel(), points, m}));
}

/// The gradient of x [B, P, M] from grad and distance [B, P, R] for order 2, by a matmul:
///   sum over j of w (x - y) = x sum(w) - w y, with w = grad / distance.
AMP_LAZY Tensor euclidean_backward(const Tensor& weights, const Tensor& x, const Tensor& y) {
  Shape rows = weights.shape();
  rows[2] = 1;
  const Tensor sums = sum_to(weights, rows, x.dtype()), own = matmul_no_grad(weights, y);
  return combine(kernels::determinant, x.device(),
                 {x.operand(), sums.operand(), own.operand(), number_on(1, x.device())},
                 own.shape(), x.dtype());
}

AMP_LAZY Tensor points_backward(const Tensor& grad, const Tensor& distance, const Tensor& x,
                                const Tensor& y, double p, bool condensed) {
  const std::int64_t batches = condensed ? 1 : grad.size(0);
  const Shape shape(batches, x.size(1), x.size(2));
  if (p == 0 || y.size(1) == 0 || shape.numel() == 0 || grad.numel() == 0)
    return zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  const Tensor grad_x = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  const kernels::DistanceBackwardArgs args{
      grad.operand(), distance.operand(), x.operand(), y.operand(), grad_x.operand(), p, condensed};
  kernels::distance_backward(x.device(), args);
  return grad_x;
}

/// The distances between points that as_points() gave, in their dtype.
AMP_LAZY Tensor distances(const Tensor& x, const Tensor& y, double p, bool by_matmul) {
  const bool none = x.size(0) == 0 || y.size(0) == 0;
  const Shape shape(none ? 0 : (std::max)(x.size(0), y.size(0)), x.size(1), y.size(1));
  const TensorOptions like{.dtype = x.dtype(), .device = x.device()};
  if (shape.numel() == 0) return empty(shape, like);
  if (x.size(2) == 0) return zeros(shape, like);
  if (by_matmul) {
    const Tensor product = matmul_no_grad(x, transpose_last(y));
    Shape rows = x.shape(), columns = y.shape();
    rows[2] = columns[2] = 1;
    const Tensor lengths = run_fold<kernels::vector_norm>(x, rows, x.dtype(), 2),
                 others = run_fold<kernels::vector_norm>(y, columns, x.dtype(), 2);
    return combine(kernels::distance_of_product, x.device(),
                   {product.operand(), lengths.operand(), transpose_last(others).operand()}, shape,
                   x.dtype(), {}, product);
  }
  const Tensor output = empty(shape, like);
  const kernels::DistanceArgs args{x.operand(), y.operand(), output.operand(), p};
  kernels::distance(x.device(), args);
  return output;
}

AMP_LAZY Tensor cdist(const Tensor& x1, const Tensor& x2, double p, EuclideanMode mode,
                      const Shape& batch, DType dtype) {
  const DType wide = promote_types(dtype, kFloat32);
  const Tensor x = as_points(x1, batch, wide), y = as_points(x2, batch, wide);
  const bool large = (x.size(1) > 25 || y.size(1) > 25) && x.size(2) >= 32;
  const bool by_matmul = p == 2 && (mode == EuclideanMode::kMatmul ||
                                    (mode == EuclideanMode::kMatmulIfLarge && large));
  const Tensor exact = distances(x, y, p, by_matmul);
  const Tensor result = dtype == wide ? exact : copy_as_laid_out(exact, dtype);
  const Tensor output = result.alias(result.shape(), result.strides(), result.impl().offset);
  if (autograd::recording(x, y)) {
    autograd::record(
        "cdist", output,
        [p, by_matmul, x = autograd::SavedTensor(x), y = autograd::SavedTensor(y),
         exact = autograd::SavedTensor(exact)](
            const Tensor& gradient, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor &a = x.get("cdist"), &b = y.get("cdist"), &d = exact.get("cdist");
          const Tensor grad = autocasting::convert_dtype(gradient, a.dtype());
          const Tensor weights = by_matmul
                                     ? combine(kernels::over_distance, a.device(),
                                               {grad.operand(), d.operand()}, d.shape(), a.dtype())
                                     : Tensor();
          const auto of = [&](const Tensor& own, const Tensor& other, bool first) {
            const auto turned = [first](const Tensor& t) { return first ? t : transpose_last(t); };
            const Tensor of_all =
                by_matmul && weights.numel() != 0 && own.size(2) != 0
                    ? euclidean_backward(turned(weights), own, other)
                    : points_backward(turned(grad), turned(d), own, other, p, false);
            return sum_to(of_all, own.shape(), own.dtype());
          };
          return {needs[0] ? of(a, b, true) : Tensor(), needs[1] ? of(b, a, false) : Tensor()};
        },
        x, y);
  }
  Shape shape = batch;
  shape.push_back(x1.size(-2));
  shape.push_back(x2.size(-2));
  return reshape(output, shape);
}

AMP_LAZY Tensor pdist(const Tensor& input, double p, DType dtype) {
  const DType wide = promote_types(dtype, kFloat32);
  const std::int64_t n = input.size(0);
  const Tensor x = as_points(input, {}, wide);
  const TensorOptions like{.dtype = wide, .device = input.device()};
  const Shape shape(n < 2 ? 0 : n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n);
  const Tensor exact = input.size(1) == 0 ? zeros(shape, like) : empty(shape, like);
  if (exact.numel() != 0 && input.size(1) != 0) {
    const kernels::DistanceArgs args{x.operand(), x.operand(), exact.operand(), p, true};
    kernels::distance(x.device(), args);
  }
  const Tensor output =
      dtype == wide ? exact.alias(shape, exact.strides(), 0) : copy_as_laid_out(exact, dtype);
  if (autograd::recording(x)) {
    autograd::record(
        "pdist", output,
        [p, x = autograd::SavedTensor(x), exact = autograd::SavedTensor(exact)](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor& points = x.get("pdist");
          return {points_backward(dense(autocasting::convert_dtype(grad, points.dtype())),
                                  exact.get("pdist"), points, points, p, true)};
        },
        x);
  }
  return output;
}

AMP_LAZY Tensor lengths_of(const Tensor& x, int dim, DType wide) {
  Shape kept = x.shape();
  kept[dim] = 1;
  return run_fold<kernels::vector_norm>(x, kept, wide, 2);
}

/// Of tensors of one rank that broadcast, but not in `dim`, to `all`.
AMP_LAZY Tensor cosine_similarity(const Tensor& a, const Tensor& b, const Shape& all, int dim,
                                  double eps, DType dtype) {
  const DType wide = promote_types(dtype, kFloat32);
  const Device device = a.device();
  const auto bounded = [&](const Tensor& length) {
    return scalar_kernel<functions::Maximum>(length, number_on(eps, device), false, wide);
  };
  const Tensor length1 = lengths_of(a, dim, wide), length2 = lengths_of(b, dim, wide);
  const Tensor divisor1 = bounded(length1), divisor2 = bounded(length2);
  Shape kept = all;
  kept[dim] = 1;
  const Tensor products =
      combine(kernels::addcmul, device, {number_on(0, device), a.operand(), b.operand()}, all, wide,
              {1, 0});
  const Tensor dots = sum_to(products, kept, wide);
  const Tensor cosines = detail::div(detail::div(dots, divisor1), divisor2);
  Shape shape = kept;
  shape.erase(dim);
  const Tensor rounded = dtype == wide ? cosines : copy_as_laid_out(cosines, dtype);
  const Tensor output = rounded.alias(shape, contiguous_strides(shape), 0);
  if (autograd::recording(a, b)) {
    autograd::record(
        "cosine_similarity", output,
        [all, kept, wide, length1, length2, divisor1, divisor2,
         cosines = autograd::SavedTensor(cosines), a = autograd::SavedTensor(a),
         b = autograd::SavedTensor(b)](const Tensor& gradient,
                                       const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor &x = a.get("cosine_similarity"), &y = b.get("cosine_similarity");
          const Tensor grad = autocasting::convert_dtype(reshape(gradient, kept), wide);
          const Tensor of_product = detail::div(detail::div(grad, divisor1), divisor2);
          // d/dx = y / (|x| |y|) - x cos / |x|^2. As in torch, eps bounds the lengths by which is
          // divided, but not their own derivatives.
          const Tensor scaled = detail::mul(grad, cosines.get("cosine_similarity"));
          const auto of = [&](const Tensor& own, const Tensor& other, const Tensor& length,
                              const Tensor& divisor) {
            const Tensor of_length =
                combine(kernels::over_distance, own.device(),
                        {detail::div(scaled, divisor).operand(), length.operand()}, kept, wide);
            const Tensor of_all =
                combine(kernels::determinant, own.device(),
                        {of_product.operand(), other.operand(), of_length.operand(), own.operand()},
                        all, all == own.shape() ? own.dtype() : wide);
            return sum_to(of_all, own.shape(), own.dtype());
          };
          return {needs[0] ? of(x, y, length1, divisor1) : Tensor(),
                  needs[1] ? of(y, x, length2, divisor2) : Tensor()};
        },
        a, b);
  }
  return output;
}

AMP_LAZY Tensor renorm(const Tensor& x, double p, int dim, double maxnorm, DType dtype) {
  const DType wide = promote_types(dtype, kFloat32);
  const Device device = x.device();
  Shape kept = x.shape();
  for (int d = 0; d < x.dim(); ++d) kept[d] = d == dim ? kept[d] : 1;
  const Tensor norms = run_fold<kernels::vector_norm>(x, kept, wide, p);
  const Tensor above =
      scalar_kernel<functions::Gt>(norms, number_on(maxnorm, device), false, kBool);
  const Tensor raised = scalar_kernel<functions::Add>(norms, number_on(1e-7, device), false, wide);
  const Tensor quotients =
      scalar_kernel<functions::Div>(raised, number_on(maxnorm, device), true, wide);
  const Tensor factors = where_kernel(above, quotients.operand(), number_on(1, device), kept, wide);
  const Tensor output = binary_kernel<functions::Mul>(x, factors, x.shape(), dtype);
  if (autograd::recording(x)) {
    autograd::record(
        "renorm", output,
        [p, wide, kept, norms, above, raised, factors, x = autograd::SavedTensor(x)](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor& in = x.get("renorm");
          if (in.numel() == 0) return {empty_like(in)};
          const Tensor products = binary_kernel<functions::Mul>(grad, in, in.shape(), wide);
          const Tensor of_factors = sum_to(products, kept, wide);
          const Tensor slopes = detail::neg(detail::div(factors, raised));
          const Tensor of_norms = where_kernel(above, detail::mul(of_factors, slopes).operand(),
                                               zero_on(in.device()), kept, wide);
          // Selected, because a slice that stays as it is may have a NaN.
          const Tensor by_norm =
              where_kernel(above, norm_backward(of_norms, in, norms, p, wide).operand(),
                           zero_on(in.device()), in.shape(), wide);
          return {combine(kernels::addcmul, in.device(),
                          {by_norm.operand(), grad.operand(), factors.operand()}, in.shape(),
                          in.dtype(), {1, 1})};
        },
        x);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor dist(const Tensor& input, const Tensor& other, double p) {
  return detail::norm_of_difference("dist", input, "input", other, "other", p, 0, {}, false);
}
AMP_LAZY_DEFINITION Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p,
                                             double eps, bool keepdim) {
  detail::check_operands("pairwise_distance", x1, x2, "x1", "x2");
  const bool scalars = x1.dim() == 0 && x2.dim() == 0;
  return detail::norm_of_difference("pairwise_distance", x1, "x1", x2, "x2", p, eps,
                                    scalars ? Dims() : Dims(-1), keepdim);
}

AMP_LAZY_DEFINITION Tensor cdist(const Tensor& x1, const Tensor& x2, double p, EuclideanMode mode) {
  detail::check_two_floating("cdist", x1, "x1", x2, "x2");
  AMP_CHECK(x1.dim() >= 2 && x2.dim() >= 2 && x1.size(-1) == x2.size(-1),
            "cdist: expected `x1` [..., P, M] and `x2` [..., R, M], but got ", describe(x1),
            " and ", describe(x2));
  AMP_CHECK(p >= 0, "cdist: `p` must not be negative or NaN, but is ", p);
  const auto leading = [](const Tensor& x) {
    Shape shape;
    for (int d = 0; d + 2 < x.dim(); ++d) shape.push_back(x.shape()[d]);
    return shape;
  };
  const Shape batch = broadcast_shapes("cdist", leading(x1), leading(x2), "x1", "x2");
  return autocasting::call(
      "cdist",
      [&](const Tensor& a, const Tensor& b) {
        return detail::cdist(a, b, p, mode, batch, promote_types(a.dtype(), b.dtype()));
      },
      x1, x2);
}

AMP_LAZY_DEFINITION Tensor pdist(const Tensor& input, double p) {
  detail::check_floating("pdist", "input", input);
  AMP_CHECK(input.dim() == 2, "pdist: expected `input` [N, M], but got ", describe(input));
  AMP_CHECK(p >= 0, "pdist: `p` must not be negative or NaN, but is ", p);
  return autocasting::call(
      "pdist", [p](const Tensor& x) { return detail::pdist(x, p, x.dtype()); }, input);
}

AMP_LAZY_DEFINITION Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, std::int64_t dim,
                                             double eps) {
  detail::check_two_floating("cosine_similarity", x1, "x1", x2, "x2");
  Shape shape = broadcast_shapes("cosine_similarity", x1.shape(), x2.shape(), "x1", "x2");
  const int d = wrap_dim("cosine_similarity", dim, shape.dims());
  if (shape.dims() == 0) shape = Shape(1);
  return autocasting::call(
      "cosine_similarity",
      [&](const Tensor& x, const Tensor& y) {
        const auto ranked = [&](const Tensor& of) {
          Shape own = shape;
          for (int i = 0; i < shape.dims(); ++i) {
            const int at = i - shape.dims() + of.dim();
            own[i] = at < 0 ? 1 : of.shape()[at];
          }
          if (own[d] == shape[d]) return detail::reshape(of, own);
          const DType wide = promote_types(of.dtype(), kFloat32);  // gradients are summed
          return detail::expand(autocasting::convert_dtype(of, wide), shape);
        };
        return detail::cosine_similarity(ranked(x), ranked(y), shape, d, eps,
                                         detail::result_type(x, y));
      },
      x1, x2);
}

AMP_LAZY_DEFINITION Tensor renorm(const Tensor& input, double p, std::int64_t dim, double maxnorm) {
  detail::check_floating("renorm", "input", input);
  AMP_CHECK(input.dim() >= 2, "renorm: `input` must have at least 2 dimensions, but is ",
            describe(input));
  AMP_CHECK(p > 0, "renorm: `p` must be above 0, but is ", p);
  AMP_CHECK(maxnorm >= 0, "renorm: `maxnorm` must not be negative or NaN, but is ", maxnorm);
  const int d = wrap_dim("renorm", dim, input.dim());
  AMP_CHECK(!std::isinf(p) || input.numel() > 0 || input.shape()[d] == 0,
            "renorm: the slices of `input` ", describe(input),
            " have no elements and no norm of an infinite `p`");
  return autocasting::call_reading(
      "renorm",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::renorm(x, p, d, maxnorm, dtype(x));
      },
      input);
}

}  // namespace amp::inline v0
