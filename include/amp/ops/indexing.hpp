// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gathering elements by index. Indices are int64 or int32. Results have the dtype of the input.
// What is named several times has the sum of the gradients, summed in float32 (float64) and rounded
// once, in the order of the indices. An index out of range throws on the CPU; on CUDA what it names
// is NaN (0 for integers), and so is the whole gradient of the input. Under autocast: unchanged.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The slices of `input` along `dim` that `index` (1-dimensional or 0-dimensional, int64 or int32)
/// names, in its order: the shape of `input`, with the number of indices as extent of `dim`.
AMP_LAZY [[nodiscard]] Tensor index_select(const Tensor& input, std::int64_t dim,
                                           const Tensor& index);

/// Row input[...] of weight [V, D] for each index, with the result [..., D]. `input` is int64 or
/// int32; the result has the dtype of `weight`.
AMP_LAZY [[nodiscard]] Tensor embedding(const Tensor& input, const Tensor& weight);

/// One element of `input` for each of `index`: in two dimensions, for dim 0,
/// result[i][j] = input[index[i][j]][j]. `index` has as many dimensions, and must not be larger
/// than `input` but along `dim`. The result has its shape.
AMP_LAZY [[nodiscard]] Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index);

/// As gather(), but `input` and `indices` broadcast to each other except along `dim`: with the
/// result of argmax(x, dim, true) the maxima of x. Without `dim` both are flattened.
AMP_LAZY [[nodiscard]] Tensor take_along_dim(const Tensor& input, const Tensor& indices,
                                             std::optional<std::int64_t> dim = {});

/// The elements of `input`, seen as flattened, that `index` names; -1 is the last. The result has
/// the shape of `index`.
AMP_LAZY [[nodiscard]] Tensor take(const Tensor& input, const Tensor& index);

/// input[i, j, ...] for tensors of indices, which broadcast to each other; -1 is the last. They
/// belong to the first dimensions of `input`, one after the other; an undefined tensor stands for
/// a whole dimension, and a bool mask of n dimensions for the n indices that nonzero() finds in it
/// (then the call synchronises on CUDA). In the result, the shape that they broadcast to takes the
/// place of the indexed dimensions, or comes first if there are others between these.
///
/// ```cpp
/// const amp::Tensor x = amp::randn({4, 5, 6});
/// const amp::Tensor rows = amp::tensor({0, 3}, {2}), columns = amp::tensor({1, -1}, {2});
/// const amp::Tensor y = amp::index(x, {rows, columns});
/// assert(y.shape() == amp::Shape({2, 6}));
/// ```
AMP_LAZY [[nodiscard]] Tensor index(const Tensor& input, std::span<const Tensor> indices);
AMP_LAZY [[nodiscard]] Tensor index(const Tensor& input, std::initializer_list<Tensor> indices);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/indexing.ipp"
#endif
