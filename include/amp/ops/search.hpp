// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Numbers looked up in an order, counted in bins, and told apart. Nothing here is differentiable.
#pragma once

#include <cstdint>

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of searchsorted() and bucketize().
struct SearchOptions {
  /// Whether boundaries that equal a value lie before it.
  bool right = false;
};

/// For each value, how many elements of the sorted sequence are below it (int64), or not above it
/// with {.right = true}: the place to insert it. `sorted_sequence` has one line for all values, or
/// as many lines along its last dimension as `values` [..., M] has: then each is searched for the
/// values of its line. It is ascending, which is not checked. Compared in the dtype to which both
/// promote. NaN lies behind all. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values,
                                           const SearchOptions& options = {});
/// The same for one number, 0-dimensional, in one line. Integers are compared with it in float64.
AMP_LAZY [[nodiscard]] Tensor searchsorted(const Tensor& sorted_sequence, double value,
                                           const SearchOptions& options = {});
/// The buckets of the elements between ascending `boundaries` [N]: bucket i (int64) lies behind
/// boundaries[i - 1] and ends with boundaries[i]; with {.right = true} it begins with the former.
/// Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor bucketize(const Tensor& input, const Tensor& boundaries,
                                        const SearchOptions& options = {});

/// Options of isin().
struct IsinOptions {
  /// Says that neither tensor has an element twice. Nothing is gained by it here.
  bool assume_unique = false;
  /// Whether the result is true for the elements that are not found.
  bool invert = false;
};
/// Whether each element is one of `test_elements`, of any shape; bool, in the shape of `elements`.
/// Compared in the dtype to which both promote. No NaN is found. Not differentiable. Under autocast:
/// unchanged.
AMP_LAZY [[nodiscard]] Tensor isin(const Tensor& elements, const Tensor& test_elements,
                                   const IsinOptions& options = {});

/// How many elements lie in each of `bins` equal bins from `min` to `max`, both of which count;
/// elements beyond, and NaN, do not. If min = max, the bins reach from the smallest to the largest
/// element. In the dtype of `input`, which is floating point. Throws unless bins >= 1 and min <=
/// max, and on the CPU if an end is not finite. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor histc(const Tensor& input, std::int64_t bins = 100, double min = 0,
                                    double max = 0);

/// What unique() and unique_consecutive() return. What was not asked for is undefined.
struct UniqueResult {
  Tensor values = {};   // [U], in the dtype of the input
  Tensor inverse = {};  // of each element its place in `values` (int64), in the shape of the input
  Tensor counts = {};   // how often each value occurs (int64), [U]
};

/// The different elements, in ascending order whatever `sorted` says. Each NaN differs from all
/// others. Under autocast: unchanged. Synchronises, since the number of values is a shape.
AMP_LAZY [[nodiscard]] UniqueResult unique(const Tensor& input, bool sorted = true,
                                           bool return_inverse = false, bool return_counts = false);
/// The elements, in row-major order, without those that equal the one before. Under autocast:
/// unchanged. Synchronises.
AMP_LAZY [[nodiscard]] UniqueResult unique_consecutive(const Tensor& input,
                                                       bool return_inverse = false,
                                                       bool return_counts = false);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/search.ipp"
#endif
