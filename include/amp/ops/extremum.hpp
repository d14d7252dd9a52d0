// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima, minima, and where they lie. NaN counts as the largest and as the smallest.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/ops/values_and_indices.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// The names stand in parentheses, here and in calls, for the sake of programs that define macros
// max and min.

/// The largest (smallest) element, 0-dimensional; NaN if any is NaN. In the dtype of `input`.
/// Throws if `input` is empty. Under autocast: unchanged. Elements that equal it share the gradient
/// evenly.
AMP_LAZY [[nodiscard]] Tensor(max)(const Tensor& input);
AMP_LAZY [[nodiscard]] Tensor(min)(const Tensor& input);

/// The largest (smallest) elements along `dim`, in the dtype of `input`, and their positions
/// (int64): the first NaN if there is one, and the first of several that are equal. The gradient
/// goes to those elements. The results lack `dim`, or have extent 1 there if `keepdim`. Throws if
/// `dim` is empty. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] ValuesAndIndices(max)(const Tensor& input, std::int64_t dim,
                                             bool keepdim = false);
AMP_LAZY [[nodiscard]] ValuesAndIndices(min)(const Tensor& input, std::int64_t dim,
                                             bool keepdim = false);

/// The largest (smallest) elements over `dim`, in the dtype of `input`: over one dimension or
/// several, as for sum(), or all. NaN if any is NaN. Elements that equal it share the gradient
/// evenly. The result lacks these dimensions, or has extent 1 there if `keepdim`. Throws if one of
/// them is empty. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor amax(const Tensor& input, const Dims& dim = {}, bool keepdim = false);
AMP_LAZY [[nodiscard]] Tensor amin(const Tensor& input, const Dims& dim = {}, bool keepdim = false);

/// The larger (smaller) of each pair of elements; NaN if one of them is NaN. Shapes broadcast,
/// dtypes promote. Equal elements get half of the gradient each. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor(max)(const Tensor& a, const Tensor& b);
AMP_LAZY [[nodiscard]] Tensor(min)(const Tensor& a, const Tensor& b);
/// The same under torch's other names.
AMP_LAZY [[nodiscard]] Tensor maximum(const Tensor& input, const Tensor& other);
AMP_LAZY [[nodiscard]] Tensor minimum(const Tensor& input, const Tensor& other);

/// The position (int64) of the largest (smallest) element along `dim`: of the first NaN if there is
/// one, and of the first of several that are equal. The result lacks `dim`, or has extent 1 there
/// if `keepdim`. Throws if `dim` is empty. Any dtype but bool. Not differentiable. Under autocast:
/// unchanged.
AMP_LAZY [[nodiscard]] Tensor argmax(const Tensor& input, std::int64_t dim, bool keepdim = false);
AMP_LAZY [[nodiscard]] Tensor argmin(const Tensor& input, std::int64_t dim, bool keepdim = false);
/// The same over all elements, as a position in row-major order, 0-dimensional.
AMP_LAZY [[nodiscard]] Tensor argmax(const Tensor& input);
AMP_LAZY [[nodiscard]] Tensor argmin(const Tensor& input);

/// What aminmax() returns.
struct MinAndMax {
  Tensor min = {}, max = {};
};
/// amin() and amax() along `dim`, or of all elements. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] MinAndMax aminmax(const Tensor& input, std::optional<std::int64_t> dim = {},
                                         bool keepdim = false);

namespace detail {

/// Records that `output` is an element of x: elements that equal it share the gradient evenly.
AMP_LAZY void record_even_share(std::string_view op, const Tensor& output, const Tensor& x);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/extremum.ipp"
#endif
