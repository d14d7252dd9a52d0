// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scattering elements by index: the result is a copy of `input` in which what the indices name is
// replaced, or joined with what comes. Indices are int64 or int32. Sums and products are computed
// in float32 (float64) and rounded once, in the order of the positions; of several elements that
// replace one, the last stays. So results and gradients have the same bits every time, on every
// device. The dtypes of `input` and of what is scattered promote. An index out of range throws on
// the CPU; on CUDA the whole result is NaN then (0 for integers), and what it would have taken has
// the gradient NaN. Under autocast: unchanged, unless the comment says otherwise.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// What scatter_reduce() makes of the elements of one place.
enum class ScatterReduce : std::uint8_t {
  kSum,
  kProd,
  kMean,  ///< of integers, rounded down
  kAmax,
  kAmin,
};

namespace detail {

AMP_LAZY Tensor scatter_number(const Tensor& input, std::int64_t dim, const Tensor& index,
                               kernels::Operand&& value);
AMP_LAZY Tensor index_fill_number(const Tensor& input, std::int64_t dim, const Tensor& index,
                                  kernels::Operand&& value);

}  // namespace detail

/// `input` with elements replaced by those of `src`: in two dimensions, for dim 0,
/// result[index[i][j]][j] = src[i][j]. All three have equally many dimensions; `index` must not be
/// larger than `src`, nor than `input` but along `dim`. The gradient of `src` is that of the places
/// that its elements went to, also of those that others replaced.
AMP_LAZY [[nodiscard]] Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index,
                                      const Tensor& src);
/// The same with one number for all places. Throws if the dtype does not hold it.
template <Arithmetic N>
[[nodiscard]] Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, N value) {
  return detail::scatter_number(input, dim, index, detail::number_operand(value));
}

/// The same as scatter(), but the elements of `src` are added. Under autocast: in the widest dtype
/// of `input` and `src`.
AMP_LAZY [[nodiscard]] Tensor scatter_add(const Tensor& input, std::int64_t dim,
                                          const Tensor& index, const Tensor& src);

/// The same, but the elements that go to one place are joined as `reduce` says; with the element of
/// `input` that is there, unless `include_self` is false. Places to which nothing goes keep it.
/// Elements that are the extremum share its gradient evenly.
AMP_LAZY [[nodiscard]] Tensor scatter_reduce(const Tensor& input, std::int64_t dim,
                                             const Tensor& index, const Tensor& src,
                                             ScatterReduce reduce, bool include_self = true);

/// Options of index_add().
struct IndexAddOptions {
  double alpha = 1;  ///< the factor of the source
};
/// `input` with alpha times the slices of `source` along `dim` added to its slices that `index`
/// (1-dimensional or 0-dimensional) names. `source` has the shape of `input`, but as
/// many slices along `dim` as there are indices.
AMP_LAZY [[nodiscard]] Tensor index_add(const Tensor& input, std::int64_t dim, const Tensor& index,
                                        const Tensor& source, const IndexAddOptions& options = {});
/// The same, but the slices of `source` replace those of `input`.
AMP_LAZY [[nodiscard]] Tensor index_copy(const Tensor& input, std::int64_t dim, const Tensor& index,
                                         const Tensor& source);
/// `input` with a number in its slices that `index` (1-dimensional or 0-dimensional) names; -1 is
/// the last. Throws if the dtype does not hold the number.
template <Arithmetic N>
[[nodiscard]] Tensor index_fill(const Tensor& input, std::int64_t dim, const Tensor& index,
                                N value) {
  return detail::index_fill_number(input, dim, index, detail::number_operand(value));
}

/// Options of index_put().
struct IndexPutOptions {
  bool accumulate =
      false;  ///< add the values instead of putting them in the place of what is there
};
/// `input` with `values` in the place of the elements index(input, indices), to whose shape they
/// broadcast; index() says what indices may be. Under autocast: in the widest dtype of `input` and
/// `values`.
AMP_LAZY [[nodiscard]] Tensor index_put(const Tensor& input, std::span<const Tensor> indices,
                                        const Tensor& values, const IndexPutOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor index_put(const Tensor& input, std::initializer_list<Tensor> indices,
                                        const Tensor& values, const IndexPutOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/scatter.ipp"
#endif
