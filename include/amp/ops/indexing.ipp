// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/index_parts.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor index_select(const Tensor& input, std::int64_t dim,
                                        const Tensor& index) {
  detail::check_defined("index_select", "input", input);
  const int d = wrap_dim("index_select", dim, input.dim());
  AMP_CHECK(input.dim() > 0, "index_select: `input` must have at least 1 dimension, but is ",
            describe(input));
  detail::check_index("index_select", "index", index);
  AMP_CHECK(index.dim() <= 1, "index_select: `index` must have at most 1 dimension, but is ",
            describe(index));
  detail::check_same_device("index_select", "input", input, "index", index);
  return autocasting::call(
      "index_select",
      [&](const Tensor& x) {
        return detail::gather("index_select", x, d, detail::expand_index(index, x.shape(), d),
                              {"index_select: `index`", d});
      },
      input);
}

AMP_LAZY_DEFINITION Tensor embedding(const Tensor& input, const Tensor& weight) {
  detail::check_index("embedding", "input", input);
  detail::check_defined("embedding", "weight", weight);
  AMP_CHECK(weight.dim() == 2, "embedding: `weight` must be [V, D], but is ", describe(weight));
  detail::check_same_device("embedding", "weight", weight, "input", input);
  const Tensor flat = detail::reshape(input, {input.numel()});
  Shape shape = input.shape();
  shape.push_back(weight.size(1));
  return autocasting::call(
      "embedding",
      [&](const Tensor& w) {
        return detail::reshape(
            detail::gather("embedding", w, 0, detail::expand_index(flat, w.shape(), 0),
                           {"embedding: `input`"}),
            shape);
      },
      weight);
}

AMP_LAZY_DEFINITION Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index) {
  detail::check_defined("gather", "input", input);
  const int d = wrap_dim("gather", dim, input.dim());
  detail::check_index("gather", "index", index);
  detail::check_same_device("gather", "input", input, "index", index);
  const Shape from = input.dim() == 0 ? Shape{1} : input.shape();
  Shape to = index.dim() == 0 ? Shape{1} : index.shape();
  if (index.numel() == 0 && to.dims() != from.dims()) {  // of any dimensions
    to = from;
    to[d] = 0;
  }
  bool fits = to.dims() == from.dims();
  for (int k = 0; fits && k < to.dims(); ++k) fits = k == d || to[k] <= from[k];
  AMP_CHECK(fits, "gather: `index` must have the dimensions of `input`, and be no larger but in ",
            "dimension ", d, ", but they are ", describe(index), " and ", describe(input));
  return autocasting::call(
      "gather",
      [&](const Tensor& x) {
        return detail::reshape(detail::gather("gather", detail::at_least_1d(x), d,
                                              detail::reshape(index, to), {"gather: `index`", d}),
                               index.shape());
      },
      input);
}

AMP_LAZY_DEFINITION Tensor take_along_dim(const Tensor& input, const Tensor& indices,
                                          std::optional<std::int64_t> dim) {
  const std::string_view op = "take_along_dim";
  detail::check_defined(op, "input", input);
  detail::check_index(op, "indices", indices);
  detail::check_same_device(op, "input", input, "indices", indices);
  constexpr std::string_view kSubject = "take_along_dim: `indices`";
  if (!dim) {
    return autocasting::call(
        "take_along_dim",
        [&](const Tensor& x) {
          return detail::gather("take_along_dim", detail::reshape(x, {x.numel()}), 0,
                                detail::reshape(indices, {indices.numel()}), {kSubject});
        },
        input);
  }
  AMP_CHECK(input.dim() == indices.dim(), op,
            ": `input` and `indices` must have equally many dimensions, but are ", describe(input),
            " and ", describe(indices));
  const int d = wrap_dim(op, *dim, input.dim());
  AMP_CHECK(input.dim() > 0, op, ": `input` must have at least 1 dimension, but is ",
            describe(input));
  Shape from = input.shape(), to = indices.shape();
  from[d] = to[d] = 1;
  to = from = broadcast_shapes(op, from, to, "input", "indices");
  from[d] = input.shape()[d];
  to[d] = indices.shape()[d];
  return autocasting::call(
      "take_along_dim",
      [&](const Tensor& x) {
        return detail::gather("take_along_dim", detail::expand(x, from), d,
                              detail::expand(indices, to), {kSubject, d});
      },
      input);
}

AMP_LAZY_DEFINITION Tensor take(const Tensor& input, const Tensor& index) {
  detail::check_defined("take", "input", input);
  detail::check_index("take", "index", index);
  detail::check_same_device("take", "input", input, "index", index);
  return autocasting::call(
      "take",
      [&](const Tensor& x) {
        const Tensor flat = detail::reshape(index, {index.numel()});
        return detail::reshape(detail::gather("take", detail::reshape(x, {x.numel()}), 0, flat,
                                              {"take: `index`", 0, true}),
                               index.shape());
      },
      input);
}

AMP_LAZY_DEFINITION Tensor index(const Tensor& input, std::span<const Tensor> indices) {
  detail::check_defined("index", "input", input);
  return autocasting::call(
      "index",
      [&](const Tensor& x) {
        const detail::AdvancedIndex by = detail::advanced_index("index", x, indices);
        const Tensor output = detail::indexed("index", x, by);
        if (is_floating_point(x.dtype()) && autograd::recording(x)) {
          autograd::record(
              "index", output,
              [by, saved = detail::saved(by.indices)](
                  const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                detail::check_saved("index", saved);
                const Shape flat = detail::flat_shape_of(by);
                const Tensor grad = detail::dense(gradient);
                return {detail::put_into(
                    "index", {}, grad.dtype(),
                    grad.alias(flat, contiguous_strides(flat), grad.impl().offset).operand(),
                    grad.device(), by, {})};
              },
              x);
        }
        return output;
      },
      input);
}
AMP_LAZY_DEFINITION Tensor index(const Tensor& input, std::initializer_list<Tensor> indices) {
  return index(input, std::span(indices.begin(), indices.size()));
}

}  // namespace amp::inline v0
