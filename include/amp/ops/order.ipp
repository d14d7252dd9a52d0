// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/order/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/order.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// The extent of a dimension; 1 if there are none.
AMP_LAZY std::int64_t extent_along(const Tensor& input, int dim) {
  return input.dim() == 0 ? 1 : input.shape()[dim];
}
/// The dimension for kernels, and the input's shape with `count` in its place.
AMP_LAZY int kernel_dim(const Tensor& input, int dim) {
  return input.dim() == 0 ? kernels::kAllDims : dim;
}
AMP_LAZY ValuesAndIndices room_for_chosen(const Tensor& x, int dim, std::int64_t count) {
  Shape shape = x.shape();
  if (x.dim() != 0) shape[dim] = count;
  return {empty(shape, {.dtype = x.dtype(), .device = x.device()}),
          empty(shape, {.dtype = kInt64, .device = x.device()})};
}

/// Records that `output` has elements of x: those at `indices` along `dim`.
AMP_LAZY void record_choice(std::string_view op, const Tensor& output, const Tensor& indices,
                            int dim, const Tensor& x) {
  if (!is_floating_point(x.dtype()) || !autograd::recording(x)) return;
  autograd::record(
      op, output,
      [op, dim, from = x.shape(), indices = autograd::SavedTensor(indices)](
          const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
        const Tensor& at = indices.get(op);
        const Tensor grad = reshape(dense(gradient), at.shape());
        const Tensor grad_x = empty(from, {.dtype = grad.dtype(), .device = grad.device()});
        if (grad_x.numel() != 0) {
          const kernels::PutArgs args{grad.operand(), at.operand(), grad_x.operand(),
                                      kernel_dim(grad_x, dim)};
          kernels::put(grad.device(), args);
        }
        return {grad_x};
      },
      x);
}

/// The first elements in order, without history.
AMP_LAZY ValuesAndIndices sort_kernel(const Tensor& x, int dim, std::int64_t count,
                                      bool descending) {
  const ValuesAndIndices sorted = room_for_chosen(x, dim, count);
  if (sorted.values.numel() != 0) {
    const kernels::SortArgs args{x.operand(), sorted.values.operand(), sorted.indices.operand(),
                                 kernel_dim(x, dim), descending};
    kernels::sort(x.device(), args);
  }
  return sorted;
}
AMP_LAZY ValuesAndIndices sort_op(autocasting::OpId op, const Tensor& input, int dim,
                                  std::int64_t count, bool descending) {
  Tensor indices;
  const Tensor values = autocasting::call(
      op,
      [&](const Tensor& x) {
        const ValuesAndIndices sorted = sort_kernel(x, dim, count, descending);
        record_choice(op.name(), sorted.values, sorted.indices, dim, x);
        indices = sorted.indices;
        return sorted.values;
      },
      input);
  return {values, indices};
}

/// The element of each line with `rank` elements before it, without history.
AMP_LAZY ValuesAndIndices select_kernel(const Tensor& x, int dim, std::int64_t rank,
                                        bool prefers_nan) {
  const ValuesAndIndices found = room_for_chosen(x, dim, 1);
  if (found.values.numel() != 0) {
    const kernels::SelectArgs args{
        x.operand(), found.values.operand(), found.indices.operand(), kernel_dim(x, dim), rank,
        prefers_nan};
    kernels::select(x.device(), args);
  }
  return found;
}
AMP_LAZY ValuesAndIndices select_op(autocasting::OpId op, const Tensor& input, int dim,
                                    std::int64_t rank, bool prefers_nan, bool keepdim) {
  Tensor indices;
  const Tensor values = autocasting::call(
      op,
      [&](const Tensor& x) {
        const ValuesAndIndices found = select_kernel(x, dim, rank, prefers_nan);
        Shape shape = found.values.shape();
        if (!keepdim && x.dim() != 0) shape.erase(dim);
        const Strides strides = contiguous_strides(shape);
        const Tensor output = found.values.alias(shape, strides, 0);
        indices = found.indices.alias(shape, strides, 0);
        record_choice(op.name(), output, found.indices, dim, x);
        return output;
      },
      input);
  return {values, indices};
}

}  // namespace detail

AMP_LAZY_DEFINITION ValuesAndIndices sort(const Tensor& input, std::int64_t dim, bool descending,
                                          bool) {
  detail::check_defined("sort", "input", input);
  const int d = wrap_dim("sort", dim, input.dim());
  return detail::sort_op("sort", input, d, detail::extent_along(input, d), descending);
}
AMP_LAZY_DEFINITION Tensor argsort(const Tensor& input, std::int64_t dim, bool descending, bool) {
  detail::check_defined("argsort", "input", input);
  const int d = wrap_dim("argsort", dim, input.dim());
  return autocasting::call(
      "argsort",
      [&](const Tensor& x) {
        return detail::sort_kernel(x, d, detail::extent_along(x, d), descending).indices;
      },
      input);
}
AMP_LAZY_DEFINITION Tensor msort(const Tensor& input) {
  detail::check_defined("msort", "input", input);
  return detail::sort_op("msort", input, 0, detail::extent_along(input, 0), false).values;
}

AMP_LAZY_DEFINITION ValuesAndIndices topk(const Tensor& input, std::int64_t k, std::int64_t dim,
                                          bool largest, bool) {
  detail::check_defined("topk", "input", input);
  const int d = wrap_dim("topk", dim, input.dim());
  const std::int64_t extent = detail::extent_along(input, d), least = input.dim() == 0 ? 1 : 0;
  AMP_CHECK(k >= least && k <= extent, "topk: `k` must be between ", least, " and ", extent,
            ", the extent of dimension ", d, " of `input` ", describe(input), ", but is ", k);
  return detail::sort_op("topk", input, d, k, largest);
}

AMP_LAZY_DEFINITION ValuesAndIndices kthvalue(const Tensor& input, std::int64_t k, std::int64_t dim,
                                              bool keepdim) {
  detail::check_defined("kthvalue", "input", input);
  const int d = wrap_dim("kthvalue", dim, input.dim());
  const std::int64_t extent = detail::extent_along(input, d);
  AMP_CHECK(k >= 1 && k <= extent, "kthvalue: `k` must be between 1 and ", extent,
            ", the extent of dimension ", d, " of `input` ", describe(input), ", but is ", k);
  return detail::select_op("kthvalue", input, d, k - 1, false, keepdim);
}

AMP_LAZY_DEFINITION ValuesAndIndices median(const Tensor& input, std::int64_t dim, bool keepdim) {
  detail::check_defined("median", "input", input);
  const int d = wrap_dim("median", dim, input.dim());
  const std::int64_t extent = detail::extent_along(input, d);
  AMP_CHECK(extent > 0, "median: dimension ", d, " of `input` ", describe(input),
            " is empty and has no median");
  return detail::select_op("median", input, d, (extent - 1) / 2, true, keepdim);
}
AMP_LAZY_DEFINITION Tensor median(const Tensor& input) {
  detail::check_defined("median", "input", input);
  const std::int64_t n = input.numel();
  AMP_CHECK(n > 0 || is_floating_point(input.dtype()), "median: `input` ", describe(input),
            " has no elements and no median");
  return autocasting::call(
      "median",
      [&](const Tensor& x) {
        Tensor output;
        if (n == 0) {
          output = full({}, std::numeric_limits<double>::quiet_NaN(),
                        {.dtype = x.dtype(), .device = x.device()});
        } else {
          const Tensor flat = detail::reshape(x.detach(), {n});
          output = detail::select_kernel(flat, 0, (n - 1) / 2, true).values.alias({}, {}, 0);
        }
        detail::record_even_share("median", output, x);
        return output;
      },
      input);
}

namespace detail {

using enum QuantileInterpolation;

/// a + weight (b - a), from the nearer end.
AMP_LAZY Tensor between(const Tensor& a, const Tensor& b, double weight) {
  return weight < 0.5 ? a + (b - a) * weight : b - (b - a) * (1 - weight);
}
AMP_LAZY Tensor between(const Tensor& a, const Tensor& b, const Tensor& weight) {
  const Tensor difference = b - a;
  return amp::where(lt(weight, 0.5), a + difference * weight, b - difference * (1 - weight));
}

/// The quantiles along dimension d of sorted elements in the dtype that is computed in, with one
/// for each q in the place of the elements.
AMP_LAZY Tensor quantile_of(const Tensor& sorted, int d, double q,
                            QuantileInterpolation interpolation) {
  const std::int64_t n = sorted.shape()[d];
  double place = q * static_cast<double>(n - 1);
  if (sorted.dtype() == kFloat32)
    place = static_cast<double>(static_cast<float>(q) * static_cast<float>(n - 1));
  place = (std::min)(place, static_cast<double>(n - 1));  // which float32 may round up
  if (interpolation == kLower) place = std::floor(place);
  if (interpolation == kHigher) place = std::ceil(place);
  if (interpolation == kNearest) place = std::nearbyint(place);
  const double below = std::floor(place);
  const Tensor a = narrow(sorted, d, static_cast<std::int64_t>(below), 1);
  if (below == place) return a;
  const Tensor b = narrow(sorted, d, static_cast<std::int64_t>(below) + 1, 1);
  return between(a, b, interpolation == kMidpoint ? 0.5 : place - below);
}
AMP_LAZY Tensor quantile_of(const Tensor& sorted, int d, const Tensor& q,
                            QuantileInterpolation interpolation) {
  Shape beside(q.numel());  // broadcasts along d
  for (int after = d + 1; after < sorted.dim(); ++after) beside.push_back(1);
  Tensor places = q.to(sorted.dtype()) * static_cast<double>(sorted.shape()[d] - 1);
  places = reshape(places, Shape(q.numel()));
  if (interpolation == kLower) places = floor(places.detach());
  if (interpolation == kHigher) places = ceil(places.detach());
  if (interpolation == kNearest) places = round(places.detach());
  const Tensor below = floor(places.detach()), above = ceil(places.detach());
  const std::int64_t last = sorted.shape()[d] - 1;
  const auto index_of = [&](const Tensor& place) {
    const Tensor index = place.to(kInt64);
    if (last < std::int64_t{1} << 24) return index;
    return scalar_kernel<functions::Minimum>(  // float32 may have rounded it up
        index, kernels::Operand::scalar(last, q.device()), false, kInt64);
  };
  const Tensor a = index_select(sorted, d, index_of(below));
  if (interpolation != kLinear && interpolation != kMidpoint) return a;
  const Tensor b = index_select(sorted, d, index_of(above));
  const Tensor weight = interpolation == kLinear ? places - below : (above - below) * 0.5;
  return amp::where(reshape(eq(below, above), beside), a, between(a, b, reshape(weight, beside)));
}

/// A Q is a number, or a tensor of them.
template <class Q>
Tensor quantile_op(const Tensor& input, const Q& q, std::optional<std::int64_t> dim, bool keepdim,
                   QuantileInterpolation interpolation, std::optional<std::int64_t> several) {
  const bool whole = !dim.has_value() || input.dim() == 0;
  const int d = whole ? 0 : wrap_dim("quantile", *dim, input.dim());
  const Tensor x = whole ? reshape(input, {input.numel()}) : input;
  const std::int64_t n = x.shape()[d];
  const Tensor sorted = amp::sort(x, d).values.to(promote_types(input.dtype(), kFloat32));
  const Tensor last = narrow(sorted, d, n - 1, 1);
  const Tensor found = quantile_of(sorted, d, q, interpolation);
  Tensor result = amp::where(isnan(last), last, found).to(input.dtype());

  Shape shape;
  if (several.has_value()) {
    shape.push_back(*several);
    Extents order;
    order.push_back(d);
    for (int other = 0; other < x.dim(); ++other) {
      if (other != d) order.push_back(other);
    }
    result = permute(result, order.span());
  }
  for (int other = 0; other < input.dim(); ++other) {
    const bool reduced = whole || other == d;
    if (!reduced) shape.push_back(input.shape()[other]);
    if (reduced && keepdim) shape.push_back(1);
  }
  return reshape(result, shape);
}

AMP_LAZY void check_quantile(const Tensor& input, std::optional<std::int64_t> dim) {
  check_floating("quantile", "input", input);
  if (dim.has_value()) (void)wrap_dim("quantile", *dim, input.dim());
  AMP_CHECK(input.numel() > 0, "quantile: `input` ", describe(input),
            " has no elements and no quantiles");
}
AMP_LAZY void check_between_0_and_1(double q) {
  AMP_CHECK(q >= 0 && q <= 1, "quantile: `q` must be between 0 and 1, but is ", q);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor quantile(const Tensor& input, double q, std::optional<std::int64_t> dim,
                                    bool keepdim, QuantileInterpolation interpolation) {
  detail::check_quantile(input, dim);
  detail::check_between_0_and_1(q);
  return autocasting::call(
      "quantile",
      [&](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        return detail::quantile_op(x, q, dim, keepdim, interpolation, {});
      },
      input);
}
AMP_LAZY_DEFINITION Tensor quantile(const Tensor& input, const Tensor& q,
                                    std::optional<std::int64_t> dim, bool keepdim,
                                    QuantileInterpolation interpolation) {
  detail::check_quantile(input, dim);
  detail::check_defined("quantile", "q", q);
  detail::check_same_device("quantile", "input", input, "q", q);
  AMP_CHECK(q.dtype() == input.dtype(), "quantile: `input` and `q` must have one dtype, but are ",
            describe(input), " and ", describe(q), "; convert one with to()");
  AMP_CHECK(q.dim() <= 1, "quantile: `q` must have at most 1 dimension, but is ", describe(q));
  if (q.device().type == kCPU) {
    for (const double value : q.to_vector<double>()) detail::check_between_0_and_1(value);
  }
  return autocasting::call(
      "quantile",
      [&](const Tensor& x, const Tensor& places) {
        const autocasting::NoCasts no_casts;
        return detail::quantile_op(
            x, places, dim, keepdim, interpolation,
            places.dim() == 1 ? std::optional(places.numel()) : std::nullopt);
      },
      input, q);
}

}  // namespace amp::inline v0
