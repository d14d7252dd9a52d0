// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random integers, permutations and samples, from the process' generator (manual_seed).
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// None of these is differentiable. The numbers are a function of the seed and of what was drawn
// before, the same on every device and for any number of threads, except that CUDA's logarithm
// rounds otherwise: normal and exponential numbers differ in the last place, and multinomial()
// without replacement may choose between two nearly equal arrivals otherwise. No call synchronises.

/// Integers of [low, high), each equally likely: int64, unless `options.dtype` says otherwise.
/// Throws if there are none, and if the dtype does not hold an end of the range.
AMP_LAZY [[nodiscard]] Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
                                      const TensorOptions& options = {});
/// The same from 0 on.
AMP_LAZY [[nodiscard]] inline Tensor randint(std::int64_t high, const Shape& shape,
                                             const TensorOptions& options = {}) {
  return randint(0, high, shape, options);
}
/// The same in the shape, dtype and device of `other`.
AMP_LAZY [[nodiscard]] Tensor randint_like(const Tensor& other, std::int64_t low,
                                           std::int64_t high);

/// The numbers 0, 1, ... n - 1 in random order: int64, unless `options.dtype` says otherwise.
AMP_LAZY [[nodiscard]] Tensor randperm(std::int64_t n, const TensorOptions& options = {});

/// Numbers of the normal distribution with this mean and standard deviation.
AMP_LAZY [[nodiscard]] Tensor normal(double mean, double std, const Shape& shape,
                                     const TensorOptions& options = {});
/// The same with a mean or a deviation for each element; shapes broadcast, dtypes promote. Not
/// differentiable: for a gradient, write mean + std * randn_like(mean).
AMP_LAZY [[nodiscard]] Tensor normal(const Tensor& mean, double std = 1);
AMP_LAZY [[nodiscard]] Tensor normal(double mean, const Tensor& std);
AMP_LAZY [[nodiscard]] Tensor normal(const Tensor& mean, const Tensor& std);

/// Numbers above 0 of the exponential distribution with the mean 1 / lambd.
AMP_LAZY [[nodiscard]] Tensor exponential(const Shape& shape, double lambd = 1,
                                          const TensorOptions& options = {});

/// 1 with the probability that `input` gives for each element, else 0. Floating point, in the dtype
/// of `input`. A probability below 0 counts as 0, and one above 1 as 1.
AMP_LAZY [[nodiscard]] Tensor bernoulli(const Tensor& input);
/// The same with one probability, in the shape, dtype and device of `input`. Any dtype.
AMP_LAZY [[nodiscard]] Tensor bernoulli(const Tensor& input, double p);

/// The indices of `num_samples` elements of each row of `input` [..., n], of at most 2 dimensions,
/// drawn in proportion to the elements: floating point, not negative, not all 0. Without
/// `replacement`, they differ, and come in the order in which they were drawn. int64. On the CPU,
/// elements that are no weights, or too few, throw; on CUDA, the indices of their row are any.
AMP_LAZY [[nodiscard]] Tensor multinomial(const Tensor& input, std::int64_t num_samples,
                                          bool replacement = false);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/random.ipp"
#endif
