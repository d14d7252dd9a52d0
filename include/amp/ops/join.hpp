// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Joining several tensors to one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The tensors one behind the other along `dim`, in which their extents add up; all other extents
/// must be equal. Dtypes promote. Under autocast: unchanged. As in torch, an empty 1-dimensional
/// tensor joins anything: its dtype counts, its gradient is empty.
AMP_LAZY [[nodiscard]] Tensor cat(std::span<const Tensor> tensors, std::int64_t dim = 0);
AMP_LAZY [[nodiscard]] Tensor cat(std::initializer_list<Tensor> tensors, std::int64_t dim = 0);

/// The tensors, which have one shape, along a new dimension `dim`, whose extent is their number.
/// Dtypes promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor stack(std::span<const Tensor> tensors, std::int64_t dim = 0);
AMP_LAZY [[nodiscard]] Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t dim = 0);

/// The tensors side by side: joined by cat() along dimension 1, or 0 if they are 1-dimensional
/// (hstack); along dimension 0, lines as rows (vstack); along dimension 2, after lines have become
/// [1, N, 1] and matrices [M, N, 1] (dstack). Dtypes promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor hstack(std::span<const Tensor> tensors);
AMP_LAZY [[nodiscard]] Tensor hstack(std::initializer_list<Tensor> tensors);
AMP_LAZY [[nodiscard]] Tensor vstack(std::span<const Tensor> tensors);
AMP_LAZY [[nodiscard]] Tensor vstack(std::initializer_list<Tensor> tensors);
AMP_LAZY [[nodiscard]] Tensor dstack(std::span<const Tensor> tensors);
AMP_LAZY [[nodiscard]] Tensor dstack(std::initializer_list<Tensor> tensors);

namespace detail {

/// Throws if there are none, and unless all are defined and on one device.
AMP_LAZY void check_list(std::string_view op, std::span<const Tensor> tensors);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/join.ipp"
#endif
