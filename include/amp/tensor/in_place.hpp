// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops that write their result to the tensor, as torch has them: members whose names end in `_`, and
// += -= *= /=. Each computes as the op without the underscore, but is not cast by autocast, and
// the result is converted to the dtype of the tensor. It throws if the result has another shape or
// a higher category (a float in a tensor of integers), or if elements of the tensor share memory.
//
// Gradients follow what was written, also through views: after y[0] = x, or y.slice(...).mul_(x),
// the history of y and of all its views is that of the new elements. A leaf that requires gradients
// cannot be written, nor can its views, unless a NoGradGuard stops recording. If backward needs a
// tensor that was overwritten since, it throws.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "amp/core/config.hpp"
#include "amp/tensor/scalar.hpp"

namespace amp::inline v0 {

class Tensor;
namespace indexing {
class TensorIndex;
}

/// The members of Tensor that write to it. Each returns the tensor.
class InPlaceMethods {
 public:
  // --- values ------------------------------------------------------------------------------------
  /// Sets all elements to 0.
  const Tensor& zero_() const;
  /// Sets all elements to `value`. Throws if the dtype does not hold the value, as full() does.
  const Tensor& fill_(double value) const;
  /// Sets all elements to the one of `value`.
  AMP_LAZY const Tensor& fill_(const Tensor& value) const;
  /// Writes the elements of `source`, broadcast and converted as `to` converts. `source` may be on
  /// another device; a copy to the CPU synchronises.
  const Tensor& copy_(const Tensor& source) const;
  /// Writes to the elements that index(indices) names: x.index_put_({0, Slice(1, None)}, y) is
  /// x[0, 1:] = y of Python. `value` broadcasts to them; `accumulate` adds it, once for each time
  /// that a tensor of indices names an element.
  AMP_LAZY const Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                                    const Tensor& value, bool accumulate = false) const;
  AMP_LAZY const Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                                    const Scalar& value) const;
  /// Sets the diagonal of a matrix to `value`.
  AMP_LAZY const Tensor& fill_diagonal_(double value) const;

  // --- random numbers, of the generator of the device; floating point ----------------------------
  /// Of the normal distribution.
  AMP_LAZY const Tensor& normal_(double mean = 0, double std = 1) const;
  /// Uniform in [from, to).
  AMP_LAZY const Tensor& uniform_(double from = 0, double to = 1) const;
  /// Of the exponential distribution with the mean 1 / lambd.
  AMP_LAZY const Tensor& exponential_(double lambd = 1) const;
  /// 1 with the probability p, else 0. Any dtype.
  AMP_LAZY const Tensor& bernoulli_(double p = 0.5) const;
  /// Integers, uniform in [from, to). Any dtype that holds them.
  AMP_LAZY const Tensor& random_(std::int64_t from, std::int64_t to) const;

  // --- elementwise -------------------------------------------------------------------------------
  /// The tensor + alpha other, and the tensor - alpha other.
  AMP_LAZY const Tensor& add_(const Tensor& other, double alpha = 1) const;
  AMP_LAZY const Tensor& sub_(const Tensor& other, double alpha = 1) const;
  AMP_LAZY const Tensor& add_(const Scalar& other) const;
  AMP_LAZY const Tensor& sub_(const Scalar& other) const;
  AMP_LAZY const Tensor& mul_(const Tensor& other) const;
  AMP_LAZY const Tensor& mul_(const Scalar& other) const;
  AMP_LAZY const Tensor& div_(const Tensor& other) const;
  AMP_LAZY const Tensor& div_(const Scalar& other) const;
  AMP_LAZY const Tensor& pow_(const Tensor& other) const;
  AMP_LAZY const Tensor& pow_(const Scalar& other) const;
  AMP_LAZY const Tensor& fmod_(const Tensor& other) const;
  AMP_LAZY const Tensor& fmod_(const Scalar& other) const;
  AMP_LAZY const Tensor& remainder_(const Tensor& other) const;
  AMP_LAZY const Tensor& remainder_(const Scalar& other) const;
  AMP_LAZY const Tensor& abs_() const;
  AMP_LAZY const Tensor& neg_() const;
  AMP_LAZY const Tensor& sign_() const;
  AMP_LAZY const Tensor& square_() const;
  AMP_LAZY const Tensor& sqrt_() const;
  AMP_LAZY const Tensor& rsqrt_() const;
  AMP_LAZY const Tensor& reciprocal_() const;
  AMP_LAZY const Tensor& exp_() const;
  AMP_LAZY const Tensor& expm1_() const;
  AMP_LAZY const Tensor& log_() const;
  AMP_LAZY const Tensor& log1p_() const;
  AMP_LAZY const Tensor& log2_() const;
  AMP_LAZY const Tensor& log10_() const;
  AMP_LAZY const Tensor& sin_() const;
  AMP_LAZY const Tensor& cos_() const;
  AMP_LAZY const Tensor& tan_() const;
  AMP_LAZY const Tensor& asin_() const;
  AMP_LAZY const Tensor& acos_() const;
  AMP_LAZY const Tensor& atan_() const;
  AMP_LAZY const Tensor& sinh_() const;
  AMP_LAZY const Tensor& cosh_() const;
  AMP_LAZY const Tensor& tanh_() const;
  AMP_LAZY const Tensor& erf_() const;
  AMP_LAZY const Tensor& erfinv_() const;
  AMP_LAZY const Tensor& floor_() const;
  AMP_LAZY const Tensor& ceil_() const;
  AMP_LAZY const Tensor& round_() const;
  AMP_LAZY const Tensor& trunc_() const;
  AMP_LAZY const Tensor& sigmoid_() const;
  AMP_LAZY const Tensor& relu_() const;
  AMP_LAZY const Tensor& clamp_(const Bound& min, const Bound& max = {}) const;
  AMP_LAZY const Tensor& clip_(const Bound& min, const Bound& max = {}) const;
  AMP_LAZY const Tensor& clamp_min_(const Bound& min) const;
  AMP_LAZY const Tensor& clamp_max_(const Bound& max) const;
  AMP_LAZY const Tensor& nan_to_num_(double nan = 0, std::optional<double> posinf = {},
                                     std::optional<double> neginf = {}) const;
  AMP_LAZY const Tensor& lerp_(const Tensor& end, const Tensor& weight) const;
  AMP_LAZY const Tensor& lerp_(const Tensor& end, double weight) const;
  AMP_LAZY const Tensor& addcmul_(const Tensor& a, const Tensor& b, double value = 1) const;
  AMP_LAZY const Tensor& addcdiv_(const Tensor& a, const Tensor& b, double value = 1) const;
  AMP_LAZY const Tensor& logical_not_() const;
  AMP_LAZY const Tensor& logical_and_(const Tensor& other) const;
  AMP_LAZY const Tensor& logical_or_(const Tensor& other) const;
  AMP_LAZY const Tensor& logical_xor_(const Tensor& other) const;
  AMP_LAZY const Tensor& masked_fill_(const Tensor& mask, const Scalar& value) const;
  AMP_LAZY const Tensor& masked_fill_(const Tensor& mask, const Tensor& value) const;
  AMP_LAZY const Tensor& operator+=(const Tensor& other) const;
  AMP_LAZY const Tensor& operator-=(const Tensor& other) const;
  AMP_LAZY const Tensor& operator*=(const Tensor& other) const;
  AMP_LAZY const Tensor& operator/=(const Tensor& other) const;
  AMP_LAZY const Tensor& operator+=(const Scalar& other) const;
  AMP_LAZY const Tensor& operator-=(const Scalar& other) const;
  AMP_LAZY const Tensor& operator*=(const Scalar& other) const;
  AMP_LAZY const Tensor& operator/=(const Scalar& other) const;

  // --- along dimensions, and by index ------------------------------------------------------------
  AMP_LAZY const Tensor& cumsum_(std::int64_t dim) const;
  AMP_LAZY const Tensor& cumprod_(std::int64_t dim) const;
  AMP_LAZY const Tensor& tril_(std::int64_t diagonal = 0) const;
  AMP_LAZY const Tensor& triu_(std::int64_t diagonal = 0) const;
  AMP_LAZY const Tensor& scatter_(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  AMP_LAZY const Tensor& scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  AMP_LAZY const Tensor& scatter_add_(std::int64_t dim, const Tensor& index,
                                      const Tensor& src) const;
  AMP_LAZY const Tensor& index_add_(std::int64_t dim, const Tensor& index, const Tensor& source,
                                    double alpha = 1) const;
  AMP_LAZY const Tensor& index_copy_(std::int64_t dim, const Tensor& index,
                                     const Tensor& source) const;
  AMP_LAZY const Tensor& index_fill_(std::int64_t dim, const Tensor& index,
                                     const Scalar& value) const;
  AMP_LAZY const Tensor& masked_scatter_(const Tensor& mask, const Tensor& source) const;

 private:
  const Tensor& self() const;
};

}  // namespace amp::inline v0
