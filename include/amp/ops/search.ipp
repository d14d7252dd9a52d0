// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/kernels/order/host.hpp"
#include "amp/kernels/scan/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/index_parts.hpp"
#include "amp/ops/order.hpp"
#include "amp/ops/search.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// In the dtype to which both promote.
AMP_LAZY Tensor search_kernel(const Tensor& boundaries, const Tensor& values, bool right) {
  const Tensor places = empty(values.shape(), {.dtype = kInt64, .device = values.device()});
  if (places.numel() != 0) {
    const DType dtype = result_type(boundaries, values);
    const Tensor lines = dense(autocasting::convert_dtype(boundaries, dtype)),
                 numbers = dense(autocasting::convert_dtype(values, dtype));
    const kernels::SearchArgs args{lines.operand(), numbers.operand(), places.operand(), right};
    kernels::search(places.device(), args);
  }
  return places;
}

/// Throws unless the boundaries are one line, or as many as the values have.
AMP_LAZY void check_search(std::string_view op, std::string_view name_of_boundaries,
                           const Tensor& boundaries, std::string_view name_of_values,
                           const Tensor& values, bool one_line) {
  check_defined(op, name_of_boundaries, boundaries);
  check_defined(op, name_of_values, values);
  check_same_device(op, name_of_boundaries, boundaries, name_of_values, values);
  bool fits = boundaries.dim() == 1;
  if (!one_line && boundaries.dim() > 1 && boundaries.dim() == values.dim()) {
    fits = true;
    for (int d = 0; d + 1 < values.dim(); ++d)
      fits = fits && boundaries.shape()[d] == values.shape()[d];
  }
  AMP_CHECK(fits, op, ": `", name_of_boundaries, "` must be [N]",
            one_line ? "" : ", or [..., N] beside values [..., M]", ", but is ",
            describe(boundaries), " beside `", name_of_values, "` ", describe(values));
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values,
                                        const SearchOptions& options) {
  detail::check_search("searchsorted", "sorted_sequence", sorted_sequence, "values", values, false);
  return autocasting::call(
      "searchsorted",
      [&](const Tensor& lines, const Tensor& numbers) {
        return detail::search_kernel(lines, numbers, options.right);
      },
      sorted_sequence, values);
}
AMP_LAZY_DEFINITION Tensor searchsorted(const Tensor& sorted_sequence, double value,
                                        const SearchOptions& options) {
  detail::check_defined("searchsorted", "sorted_sequence", sorted_sequence);
  const DType dtype =
      is_floating_point(sorted_sequence.dtype()) ? sorted_sequence.dtype() : kFloat64;
  const Tensor number = full({}, value, {.dtype = dtype, .device = sorted_sequence.device()});
  detail::check_search("searchsorted", "sorted_sequence", sorted_sequence, "value", number, true);
  return autocasting::call(
      "searchsorted",
      [&](const Tensor& line) { return detail::search_kernel(line, number, options.right); },
      sorted_sequence);
}
AMP_LAZY_DEFINITION Tensor isin(const Tensor& elements, const Tensor& test_elements,
                                const IsinOptions& options) {
  detail::check_operands("isin", elements, test_elements, "elements", "test_elements");
  const DType dtype = detail::result_type(elements, test_elements);
  return autocasting::call(
      "isin",
      [&](const Tensor& given, const Tensor& those) {
        const NoGradGuard no_grad;
        const Tensor x = given.to(dtype), tested = those.to(dtype);
        const std::int64_t n = tested.numel();
        const TensorOptions bools{.dtype = kBool, .device = x.device()};
        if (n == 0 || x.numel() == 0) return full(x.shape(), options.invert, bools);
        const Tensor sorted = detail::sort_kernel(detail::reshape(tested, {n}), 0, n, false).values;
        const Tensor values = detail::reshape(x, {x.numel()});
        const Tensor places = detail::scalar_kernel<kernels::functions::Minimum>(
            detail::search_kernel(sorted, values, false),
            kernels::Operand::scalar(n - 1, x.device()), false, kInt64);
        const Tensor nearest = detail::gather("isin", sorted, 0, places, {"isin"});
        const Tensor found = options.invert ? ne(nearest, values) : eq(nearest, values);
        return detail::reshape(found, x.shape());
      },
      elements, test_elements);
}

AMP_LAZY_DEFINITION Tensor bucketize(const Tensor& input, const Tensor& boundaries,
                                     const SearchOptions& options) {
  detail::check_search("bucketize", "boundaries", boundaries, "input", input, true);
  return autocasting::call(
      "bucketize",
      [&](const Tensor& numbers, const Tensor& line) {
        return detail::search_kernel(line, numbers, options.right);
      },
      input, boundaries);
}

AMP_LAZY_DEFINITION Tensor histc(const Tensor& input, std::int64_t bins, double min, double max) {
  detail::check_floating("histc", "input", input);
  AMP_CHECK(bins >= 1, "histc: `bins` must be at least 1, but is ", bins);
  AMP_CHECK(min <= max && std::isfinite(min) && std::isfinite(max),
            "histc: `min` and `max` must be finite, and min <= max, but are ", min, " and ", max);
  return autocasting::call(
      "histc",
      [&](const Tensor& x) {
        const Tensor counts = zeros({bins}, {.dtype = x.dtype(), .device = x.device()});
        if (x.numel() == 0) return counts;
        const Tensor elements = detail::reshape(detail::dense(x), {x.numel()});
        kernels::Operand low = kernels::Operand::scalar(min, x.device()),
                         high = kernels::Operand::scalar(max, x.device());
        Tensor ends[2];
        if (min == max) {
          ends[0] = detail::run_fold<kernels::amin>(elements, {1}, x.dtype());
          ends[1] = detail::run_fold<kernels::amax>(elements, {1}, x.dtype());
          if (x.device().type == kCPU) {
            const double from = ends[0].item<double>(), to = ends[1].item<double>();
            AMP_CHECK(std::isfinite(from) && std::isfinite(to), "histc: the elements of `input` ",
                      describe(x), " reach from ", from, " to ", to,
                      "; give `min` and `max` that are finite");
          }
          low = ends[0].operand();
          high = ends[1].operand();
        }
        const kernels::CountArgs args{elements.operand(), low, high, counts.operand()};
        kernels::count_in_bins(x.device(), args);
        return counts;
      },
      input);
}

namespace detail {

/// The runs of equal neighbours among elements [n]. positions: the place of each before they
/// were sorted; undefined if they were not.
AMP_LAZY UniqueResult find_runs(const Tensor& x, const Tensor& positions, const Shape& shape,
                                bool with_inverse, bool with_counts) {
  const std::int64_t n = x.numel();
  const TensorOptions integers{.dtype = kInt64, .device = x.device()};
  if (n == 0) {
    return {x, with_inverse ? empty(shape, integers) : Tensor(),
            with_counts ? empty({0}, integers) : Tensor()};
  }
  // The number of the run of each element, from 0.
  const Tensor changes = zeros({n}, {.dtype = kBool, .device = x.device()});
  const Tensor differs =
      binary_kernel<functions::Ne>(narrow(x, 0, 1, n - 1), narrow(x, 0, 0, n - 1), {n - 1}, kBool);
  copy_elements(differs, narrow(changes, 0, 1, n - 1));
  const Tensor runs = empty({n}, integers);
  kernels::cumsum(x.device(), {changes.operand(), runs.operand(), 0});
  const std::int64_t count = narrow(runs, 0, n - 1, 1).item<std::int64_t>() + 1;

  const Tensor begins = empty({count + 1}, integers);
  kernels::begin_runs(x.device(), {runs.operand(), begins.operand()});
  const Tensor first = narrow(begins, 0, 0, count);
  UniqueResult result{.values = gather("unique", x, 0, first, {"unique"})};
  if (with_counts) {
    result.counts =
        binary_kernel<functions::Sub>(narrow(begins, 0, 1, count), first, {count}, kInt64);
  }
  if (with_inverse && positions.defined()) {
    result.inverse = empty(shape, integers);
    kernels::Operand inverse = result.inverse.operand();
    inverse.dims = 1;
    inverse.sizes[0] = n;
    inverse.strides[0] = 1;
    kernels::put(x.device(), {runs.operand(), positions.operand(), inverse, 0});
  } else if (with_inverse) {
    result.inverse = reshape(runs, shape);
  }
  return result;
}

}  // namespace detail

AMP_LAZY_DEFINITION UniqueResult unique(const Tensor& input, bool, bool return_inverse,
                                        bool return_counts) {
  detail::check_defined("unique", "input", input);
  return autocasting::call(
      "unique",
      [&](const Tensor& x) {
        const NoGradGuard no_grad;
        const ValuesAndIndices sorted =
            detail::sort_kernel(detail::reshape(x, {x.numel()}), 0, x.numel(), false);
        return detail::find_runs(sorted.values, sorted.indices, x.shape(), return_inverse,
                                 return_counts);
      },
      input);
}
AMP_LAZY_DEFINITION UniqueResult unique_consecutive(const Tensor& input, bool return_inverse,
                                                    bool return_counts) {
  detail::check_defined("unique_consecutive", "input", input);
  return autocasting::call(
      "unique_consecutive",
      [&](const Tensor& x) {
        const NoGradGuard no_grad;
        return detail::find_runs(detail::reshape(detail::dense(x), {x.numel()}).clone(), {},
                                 x.shape(), return_inverse, return_counts);
      },
      input);
}

}  // namespace amp::inline v0
