// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Grids, products and indices made of lines.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Which dimension of a grid the first line counts: the first (the row i of a matrix), or the
/// second (the x of a picture).
enum class GridIndexing : std::uint8_t { kIJ, kXY };

/// For N lines, N views [n0, n1, ...] in which line k varies along dimension k alone (kXY: the
/// first two dimensions change places). The lines have 1 dimension or none, and keep their dtypes.
AMP_LAZY [[nodiscard]] std::vector<Tensor> meshgrid(std::span<const Tensor> tensors,
                                                    GridIndexing indexing = GridIndexing::kIJ);
AMP_LAZY [[nodiscard]] std::vector<Tensor> meshgrid(std::initializer_list<Tensor> tensors,
                                                    GridIndexing indexing = GridIndexing::kIJ);

/// All combinations of an element of each line, as rows in the order of the lines; of one line,
/// itself. Dtypes promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor cartesian_prod(std::span<const Tensor> tensors);
AMP_LAZY [[nodiscard]] Tensor cartesian_prod(std::initializer_list<Tensor> tensors);

/// [..., num_classes] in int64: 1 in the place that each element of `input` (int64) names, 0
/// elsewhere. By default `num_classes` is one more than the largest element, which synchronises. An
/// element outside of [0, num_classes) throws on the CPU; on CUDA its row is 0.
AMP_LAZY [[nodiscard]] Tensor one_hot(const Tensor& input, std::int64_t num_classes = -1);

/// The rows and the columns [2, n] of the elements that tril() and triu() keep of a matrix, row by
/// row: int64 unless `options.dtype` says otherwise.
AMP_LAZY [[nodiscard]] Tensor tril_indices(std::int64_t row, std::int64_t col,
                                           std::int64_t offset = 0,
                                           const TensorOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor triu_indices(std::int64_t row, std::int64_t col,
                                           std::int64_t offset = 0,
                                           const TensorOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/grids.ipp"
#endif
