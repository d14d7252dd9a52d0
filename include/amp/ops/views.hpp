// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Views by cutting, moving and picking dimensions, as functions: each is the member of Tensor that
// has its name (tensor/tensor.hpp), which says what it does.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "amp/ops/checks.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// Views share the memory of `input`, keep its dtype, and are differentiable. Under autocast:
// unchanged.

/// The member of Tensor: input.broadcast_to(shape).
AMP_LAZY [[nodiscard]] inline Tensor broadcast_to(const Tensor& input, const Shape& shape) {
  return input.broadcast_to(shape);
}
/// The member of Tensor: input.slice(dim, start, end, step).
AMP_LAZY [[nodiscard]] inline Tensor slice(const Tensor& input, std::int64_t dim = 0,
                                           std::optional<std::int64_t> start = {},
                                           std::optional<std::int64_t> end = {},
                                           std::int64_t step = 1) {
  return input.slice(dim, start, end, step);
}
/// The member of Tensor: input.chunk(chunks, dim).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> chunk(const Tensor& input, std::int64_t chunks,
                                                        std::int64_t dim = 0) {
  return input.chunk(chunks, dim);
}
/// The member of Tensor: input.split(...).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> split(const Tensor& input,
                                                        std::int64_t split_size,
                                                        std::int64_t dim = 0) {
  return input.split(split_size, dim);
}
/// The member of Tensor: input.split(...).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> split(const Tensor& input,
                                                        std::span<const std::int64_t> split_sizes,
                                                        std::int64_t dim = 0) {
  return input.split(split_sizes, dim);
}
/// The member of Tensor: input.split(...).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> split(
    const Tensor& input, std::initializer_list<std::int64_t> split_sizes, std::int64_t dim = 0) {
  return input.split(split_sizes, dim);
}
/// The member of Tensor: input.tensor_split(...).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> tensor_split(const Tensor& input,
                                                               std::int64_t sections,
                                                               std::int64_t dim = 0) {
  return input.tensor_split(sections, dim);
}
/// The member of Tensor: input.tensor_split(...).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> tensor_split(
    const Tensor& input, std::span<const std::int64_t> indices, std::int64_t dim = 0) {
  return input.tensor_split(indices, dim);
}
/// The member of Tensor: input.tensor_split(...).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> tensor_split(
    const Tensor& input, std::initializer_list<std::int64_t> indices, std::int64_t dim = 0) {
  return input.tensor_split(indices, dim);
}
/// The member of Tensor: input.unbind(dim).
AMP_LAZY [[nodiscard]] inline std::vector<Tensor> unbind(const Tensor& input,
                                                         std::int64_t dim = 0) {
  return input.unbind(dim);
}
/// The member of Tensor: input.movedim(source, destination).
AMP_LAZY [[nodiscard]] inline Tensor movedim(const Tensor& input, const Dims& source,
                                             const Dims& destination) {
  return input.movedim(source, destination);
}
/// The member of Tensor: input.swapaxes(axis0, axis1).
AMP_LAZY [[nodiscard]] inline Tensor swapaxes(const Tensor& input, std::int64_t axis0,
                                              std::int64_t axis1) {
  return input.swapaxes(axis0, axis1);
}
/// The member of Tensor: input.swapdims(dim0, dim1).
AMP_LAZY [[nodiscard]] inline Tensor swapdims(const Tensor& input, std::int64_t dim0,
                                              std::int64_t dim1) {
  return input.swapdims(dim0, dim1);
}
/// The member of Tensor: input.unflatten(dim, sizes).
AMP_LAZY [[nodiscard]] inline Tensor unflatten(const Tensor& input, std::int64_t dim,
                                               const ReshapeTo& sizes) {
  return input.unflatten(dim, sizes);
}
/// The member of Tensor: input.diagonal(offset, dim1, dim2).
AMP_LAZY [[nodiscard]] inline Tensor diagonal(const Tensor& input, std::int64_t offset = 0,
                                              std::int64_t dim1 = 0, std::int64_t dim2 = 1) {
  return input.diagonal(offset, dim1, dim2);
}

namespace detail {

/// The elements of a diagonal of a matrix: how many, and the row and the column of the first.
struct Diagonal {
  std::int64_t length, row, column;

  Diagonal(std::int64_t rows, std::int64_t columns, std::int64_t offset);
};

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/views.ipp"
#endif
