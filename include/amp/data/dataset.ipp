// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstring>
#include <numeric>

#include "amp/data/dataset.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::data::detail {

AMP_COLD void check_lengths(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    AMP_CHECK(
        tensor.defined() && tensor.dim() >= 1,
        "TensorDataset: each tensor must have a dimension of examples, its first, but one is ",
        tensor.defined() ? describe(tensor) : std::string("undefined"));
    AMP_CHECK(tensor.size(0) == tensors[0].size(0),
              "TensorDataset: the tensors must have the same first extent, the number of examples, "
              "but are ",
              describe(tensors[0]), " and ", describe(tensor));
  }
}

AMP_INLINE void check_index(const char* what, std::int64_t index, std::int64_t size) {
  AMP_CHECK(index >= 0 && index < size, what, ": the index ", index,
            " is out of range: the data set has ", size, " examples");
}

AMP_INLINE Tensor rows_of(const Tensor& tensor, std::span<const std::int64_t> indices) {
  const std::int64_t size = tensor.size(0);
  for (const std::int64_t index : indices) check_index("TensorDataset", index, size);
  if (tensor.device().type != kCPU || !tensor.is_contiguous()) {
    const Tensor list = amp::tensor(indices, {indices.size()});
    return index_select(tensor, 0, list.to(tensor.device()));
  }
  Shape shape = tensor.shape();
  shape[0] = static_cast<std::int64_t>(indices.size());
  Tensor rows = empty(shape, {.dtype = tensor.dtype()});
  const std::int64_t bytes =
      size == 0 ? 0 : tensor.numel() / size * static_cast<std::int64_t>(item_size(tensor.dtype()));
  if (bytes == 0) return rows;
  auto* to = static_cast<std::byte*>(rows.raw_data());
  const auto* from = static_cast<const std::byte*>(tensor.raw_data());
  for (const std::int64_t index : indices) {
    std::memcpy(to, from + index * bytes, static_cast<std::size_t>(bytes));
    to += bytes;
  }
  return rows;
}

AMP_COLD std::vector<std::int64_t> split_lengths(std::span<const std::int64_t> lengths,
                                                 std::int64_t size) {
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths) {
    AMP_CHECK(length >= 0 && length <= size - sum,
              "random_split: the lengths must not be negative and must add up to the ", size,
              " examples of the data set, but one is ", length);
    sum += length;
  }
  AMP_CHECK(sum == size, "random_split: the lengths add up to ", sum, ", but the data set has ",
            size, " examples");
  return {lengths.begin(), lengths.end()};
}

AMP_COLD std::vector<std::int64_t> split_lengths(std::span<const double> fractions,
                                                 std::int64_t size) {
  double sum = 0;
  for (const double fraction : fractions) {
    AMP_CHECK(fraction >= 0 && fraction <= 1, "random_split: a fraction is ", fraction,
              "; expected 0 to 1");
    sum += fraction;
  }
  AMP_CHECK(std::abs(sum - 1) < 1e-6, "random_split: the fractions add up to ", sum, ", not to 1");
  std::vector<std::int64_t> lengths;
  for (const double fraction : fractions)
    lengths.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(size) * fraction)));
  std::int64_t left = size - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; i = (i + 1) % lengths.size(), --left) ++lengths[i];
  return lengths;
}

}  // namespace amp::inline v0::data::detail
