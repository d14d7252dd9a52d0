// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/grids.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY void check_lines(std::string_view op, std::span<const Tensor> tensors) {
  check_list(op, tensors);
  AMP_CHECK(tensors.size() <= static_cast<std::size_t>(kMaxDims), op, ": `tensors` are ",
            tensors.size(), ", but a tensor has at most ", kMaxDims, " dimensions");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    AMP_CHECK(tensors[i].dim() <= 1, op, ": `tensors` must have at most 1 dimension, but number ",
              i, " is ", describe(tensors[i]));
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION std::vector<Tensor> meshgrid(std::span<const Tensor> tensors,
                                                 GridIndexing indexing) {
  detail::check_lines("meshgrid", tensors);
  const int n = static_cast<int>(tensors.size());
  const auto dim_of = [&](int k) {
    return indexing == GridIndexing::kXY && n > 1 && k < 2 ? 1 - k : k;
  };
  Shape grid, ones;
  for (int k = 0; k < n; ++k) {
    grid.push_back(tensors[static_cast<std::size_t>(dim_of(k))].numel());
    ones.push_back(1);
  }
  (void)Shape(grid.span());  // throws if there are too many elements
  std::vector<Tensor> grids;
  for (int k = 0; k < n; ++k) {
    const Tensor& line = tensors[static_cast<std::size_t>(k)];
    Shape along = ones;
    along[dim_of(k)] = line.numel();
    grids.push_back(detail::expand(detail::reshape(line, along), grid));
  }
  return grids;
}
AMP_LAZY_DEFINITION std::vector<Tensor> meshgrid(std::initializer_list<Tensor> tensors,
                                                 GridIndexing indexing) {
  return meshgrid(std::span(tensors.begin(), tensors.size()), indexing);
}

AMP_LAZY_DEFINITION Tensor cartesian_prod(std::span<const Tensor> tensors) {
  detail::check_lines("cartesian_prod", tensors);
  for (const Tensor& tensor : tensors) {
    AMP_CHECK(tensor.dim() == 1, "cartesian_prod: `tensors` must have 1 dimension, but one is ",
              describe(tensor));
  }
  return autocasting::call_list(
      "cartesian_prod",
      [](std::span<const Tensor> lines) {
        if (lines.size() == 1) return lines[0];
        const autocasting::NoCasts no_casts;
        return stack(meshgrid(lines), -1).flatten(0, -2);
      },
      tensors);
}
AMP_LAZY_DEFINITION Tensor cartesian_prod(std::initializer_list<Tensor> tensors) {
  return cartesian_prod(std::span(tensors.begin(), tensors.size()));
}

AMP_LAZY_DEFINITION Tensor one_hot(const Tensor& input, std::int64_t num_classes) {
  detail::check_defined("one_hot", "input", input);
  AMP_CHECK(input.dtype() == kInt64, "one_hot: `input` must be int64, but is ", describe(input),
            "; convert it with to()");
  AMP_CHECK(num_classes > 0 || (num_classes == -1 && input.numel() > 0),
            "one_hot: `num_classes` must be positive, or -1 if `input` has elements, but is ",
            num_classes, " beside ", describe(input));
  const bool looks = input.numel() > 0 && (num_classes == -1 || input.device().type == kCPU);
  if (looks) {
    const std::int64_t least = (min)(input).item<std::int64_t>(),
                       most = (max)(input).item<std::int64_t>();
    AMP_CHECK(least >= 0 && (num_classes == -1 || most < num_classes),
              "one_hot: `input` must lie in [0, ", num_classes == -1 ? most + 1 : num_classes,
              "), but has ", least < 0 ? least : most);
    if (num_classes == -1) num_classes = most + 1;
  }
  return eq(input.unsqueeze(-1), arange(num_classes, {.dtype = kInt64, .device = input.device()}))
      .to(kInt64);
}

namespace detail {

AMP_LAZY Tensor triangle_indices(std::string_view op, std::int64_t row, std::int64_t col,
                                 std::int64_t offset, bool upper, const TensorOptions& options) {
  AMP_CHECK(row >= 0 && col >= 0, op, ": `row` and `col` must not be negative, but are ", row,
            " and ", col);
  std::vector<std::int64_t> rows, columns;
  for (std::int64_t r = 0; r < row; ++r) {
    const std::int64_t border = std::clamp(
        (std::clamp)(offset, -row - 1, col + 1) + r + (upper ? 0 : 1), std::int64_t{0}, col);
    for (std::int64_t c = upper ? border : 0; c < (upper ? col : border); ++c) {
      rows.push_back(r);
      columns.push_back(c);
    }
  }
  const auto n = static_cast<std::int64_t>(rows.size());
  rows.insert(rows.end(), columns.begin(), columns.end());
  TensorOptions whole = options;
  whole.dtype = options.dtype.value_or(kInt64);
  return tensor(rows, {std::int64_t{2}, n}, whole);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset,
                                        const TensorOptions& options) {
  return detail::triangle_indices("tril_indices", row, col, offset, false, options);
}
AMP_LAZY_DEFINITION Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset,
                                        const TensorOptions& options) {
  return detail::triangle_indices("triu_indices", row, col, offset, true, options);
}

}  // namespace amp::inline v0
