// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops as members of Tensor, as torch has them: x.sum(1) is amp::sum(x, 1), and the function's
// comment, in ops/, says what it does. They are defined in ops/methods.ipp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/tensor/scalar.hpp"
#include "amp/tensor/shape.hpp"

namespace amp::inline v0 {

class Tensor;
struct ValuesAndIndices;
namespace indexing {
class TensorIndex;
}

/// The members of Tensor that are ops and return new tensors, or views.
class TensorMethods {
 public:
  // --- subscripts: tensor/subscript.hpp ----------------------------------------------------------
  /// A view of slice `index` along the first dimension, without that dimension; -1 is the last.
  AMP_LAZY Tensor operator[](std::int64_t index) const;
  /// index({index}).
  AMP_LAZY Tensor operator[](const Tensor& index) const;
  /// x.index({Slice(1, None), 0, Ellipsis, mask}) is x[1:, 0, ..., mask] of Python: a view without
  /// tensors among the indices, else a copy. Throws if an index is out of range; on CUDA the
  /// elements that a tensor's index names beyond an end are NaN (0 for integers), and a mask
  /// synchronises.
  AMP_LAZY Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;

  // --- one tensor, elementwise -------------------------------------------------------------------
  AMP_LAZY Tensor abs() const;
  AMP_LAZY Tensor neg() const;
  AMP_LAZY Tensor sign() const;
  AMP_LAZY Tensor square() const;
  AMP_LAZY Tensor sqrt() const;
  AMP_LAZY Tensor rsqrt() const;
  AMP_LAZY Tensor reciprocal() const;
  AMP_LAZY Tensor exp() const;
  AMP_LAZY Tensor expm1() const;
  AMP_LAZY Tensor log() const;
  AMP_LAZY Tensor log1p() const;
  AMP_LAZY Tensor log2() const;
  AMP_LAZY Tensor log10() const;
  AMP_LAZY Tensor sin() const;
  AMP_LAZY Tensor cos() const;
  AMP_LAZY Tensor tan() const;
  AMP_LAZY Tensor asin() const;
  AMP_LAZY Tensor acos() const;
  AMP_LAZY Tensor atan() const;
  AMP_LAZY Tensor sinh() const;
  AMP_LAZY Tensor cosh() const;
  AMP_LAZY Tensor tanh() const;
  AMP_LAZY Tensor erf() const;
  AMP_LAZY Tensor erfinv() const;
  AMP_LAZY Tensor floor() const;
  AMP_LAZY Tensor ceil() const;
  AMP_LAZY Tensor round() const;
  AMP_LAZY Tensor trunc() const;
  AMP_LAZY Tensor sigmoid() const;
  AMP_LAZY Tensor relu() const;
  AMP_LAZY Tensor isnan() const;
  AMP_LAZY Tensor isinf() const;
  AMP_LAZY Tensor isfinite() const;
  AMP_LAZY Tensor logical_not() const;
  AMP_LAZY Tensor clamp(const Bound& min, const Bound& max = {}) const;
  AMP_LAZY Tensor clamp(const Tensor& min, const Tensor& max) const;
  AMP_LAZY Tensor clip(const Bound& min, const Bound& max = {}) const;
  AMP_LAZY Tensor clamp_min(const Bound& min) const;
  AMP_LAZY Tensor clamp_max(const Bound& max) const;
  AMP_LAZY Tensor nan_to_num(double nan = 0, std::optional<double> posinf = {},
                             std::optional<double> neginf = {}) const;
  AMP_LAZY Tensor softmax(std::int64_t dim) const;
  AMP_LAZY Tensor log_softmax(std::int64_t dim) const;
  /// to(other.dtype()).
  AMP_LAZY Tensor type_as(const Tensor& other) const;
  /// to(kCPU) and to(kCUDA).
  AMP_LAZY Tensor cpu() const;
  AMP_LAZY Tensor cuda() const;

  // --- a tensor and another, or a number ---------------------------------------------------------
  AMP_LAZY Tensor add(const Tensor& other) const;
  AMP_LAZY Tensor add(const Scalar& other) const;
  AMP_LAZY Tensor sub(const Tensor& other) const;
  AMP_LAZY Tensor sub(const Scalar& other) const;
  AMP_LAZY Tensor mul(const Tensor& other) const;
  AMP_LAZY Tensor mul(const Scalar& other) const;
  AMP_LAZY Tensor div(const Tensor& other) const;
  AMP_LAZY Tensor div(const Scalar& other) const;
  AMP_LAZY Tensor pow(const Tensor& other) const;
  AMP_LAZY Tensor pow(const Scalar& other) const;
  AMP_LAZY Tensor fmod(const Tensor& other) const;
  AMP_LAZY Tensor fmod(const Scalar& other) const;
  AMP_LAZY Tensor remainder(const Tensor& other) const;
  AMP_LAZY Tensor remainder(const Scalar& other) const;
  AMP_LAZY Tensor eq(const Tensor& other) const;
  AMP_LAZY Tensor eq(const Scalar& other) const;
  AMP_LAZY Tensor ne(const Tensor& other) const;
  AMP_LAZY Tensor ne(const Scalar& other) const;
  AMP_LAZY Tensor lt(const Tensor& other) const;
  AMP_LAZY Tensor lt(const Scalar& other) const;
  AMP_LAZY Tensor le(const Tensor& other) const;
  AMP_LAZY Tensor le(const Scalar& other) const;
  AMP_LAZY Tensor gt(const Tensor& other) const;
  AMP_LAZY Tensor gt(const Scalar& other) const;
  AMP_LAZY Tensor ge(const Tensor& other) const;
  AMP_LAZY Tensor ge(const Scalar& other) const;
  AMP_LAZY Tensor maximum(const Tensor& other) const;
  AMP_LAZY Tensor minimum(const Tensor& other) const;
  AMP_LAZY Tensor atan2(const Tensor& other) const;
  AMP_LAZY Tensor logical_and(const Tensor& other) const;
  AMP_LAZY Tensor logical_or(const Tensor& other) const;
  AMP_LAZY Tensor logical_xor(const Tensor& other) const;
  AMP_LAZY bool equal(const Tensor& other) const;
  AMP_LAZY bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                         bool equal_nan = false) const;
  AMP_LAZY Tensor lerp(const Tensor& end, const Tensor& weight) const;
  AMP_LAZY Tensor lerp(const Tensor& end, double weight) const;
  /// The tensor + value a b, and the tensor + value a / b.
  AMP_LAZY Tensor addcmul(const Tensor& a, const Tensor& b, double value = 1) const;
  AMP_LAZY Tensor addcdiv(const Tensor& a, const Tensor& b, double value = 1) const;
  /// Chooses this tensor if `condition` holds, else `other`.
  AMP_LAZY Tensor where(const Tensor& condition, const Tensor& other) const;
  AMP_LAZY Tensor masked_fill(const Tensor& mask, const Scalar& value) const;
  AMP_LAZY Tensor masked_fill(const Tensor& mask, const Tensor& value) const;

  // --- products ----------------------------------------------------------------------------------
  AMP_LAZY Tensor matmul(const Tensor& other) const;
  AMP_LAZY Tensor mm(const Tensor& mat2) const;
  AMP_LAZY Tensor bmm(const Tensor& mat2) const;
  AMP_LAZY Tensor mv(const Tensor& vec) const;
  AMP_LAZY Tensor dot(const Tensor& other) const;
  AMP_LAZY Tensor outer(const Tensor& vec2) const;

  // --- reductions --------------------------------------------------------------------------------
  AMP_LAZY Tensor sum() const;
  AMP_LAZY Tensor sum(const Dims& dim, bool keepdim = false) const;
  AMP_LAZY Tensor mean() const;
  AMP_LAZY Tensor mean(const Dims& dim, bool keepdim = false) const;
  AMP_LAZY Tensor var() const;
  AMP_LAZY Tensor var(const Dims& dim, double correction = 1, bool keepdim = false) const;
  AMP_LAZY Tensor std() const;
  AMP_LAZY Tensor std(const Dims& dim, double correction = 1, bool keepdim = false) const;
  AMP_LAZY Tensor prod() const;
  AMP_LAZY Tensor prod(std::int64_t dim, bool keepdim = false) const;
  AMP_LAZY Tensor logsumexp(const Dims& dim, bool keepdim = false) const;
  AMP_LAZY Tensor norm(double p = 2, const Dims& dim = {}, bool keepdim = false) const;
  AMP_LAZY Tensor any() const;
  AMP_LAZY Tensor any(const Dims& dim, bool keepdim = false) const;
  AMP_LAZY Tensor all() const;
  AMP_LAZY Tensor all(const Dims& dim, bool keepdim = false) const;
  AMP_LAZY Tensor count_nonzero(const Dims& dim = {}) const;
  // In parentheses for the sake of programs that define macros max and min.
  AMP_LAZY Tensor(max)() const;
  AMP_LAZY Tensor(min)() const;
  AMP_LAZY ValuesAndIndices(max)(std::int64_t dim, bool keepdim = false) const;
  AMP_LAZY ValuesAndIndices(min)(std::int64_t dim, bool keepdim = false) const;
  AMP_LAZY Tensor amax(const Dims& dim = {}, bool keepdim = false) const;
  AMP_LAZY Tensor amin(const Dims& dim = {}, bool keepdim = false) const;
  AMP_LAZY Tensor argmax() const;
  AMP_LAZY Tensor argmax(std::int64_t dim, bool keepdim = false) const;
  AMP_LAZY Tensor argmin() const;
  AMP_LAZY Tensor argmin(std::int64_t dim, bool keepdim = false) const;
  AMP_LAZY Tensor median() const;
  AMP_LAZY ValuesAndIndices median(std::int64_t dim, bool keepdim = false) const;

  // --- order and scans ---------------------------------------------------------------------------
  AMP_LAZY ValuesAndIndices sort(std::int64_t dim = -1, bool descending = false) const;
  AMP_LAZY Tensor argsort(std::int64_t dim = -1, bool descending = false) const;
  AMP_LAZY ValuesAndIndices topk(std::int64_t k, std::int64_t dim = -1, bool largest = true,
                                 bool sorted = true) const;
  AMP_LAZY Tensor cumsum(std::int64_t dim) const;
  AMP_LAZY Tensor cumprod(std::int64_t dim) const;

  // --- shapes ------------------------------------------------------------------------------------
  /// The transpose of a matrix, and of the last two dimensions: views.
  AMP_LAZY Tensor T() const;
  AMP_LAZY Tensor mT() const;
  AMP_LAZY Tensor repeat(const Counts& repeats) const;
  AMP_LAZY Tensor tile(const Counts& dims) const;
  AMP_LAZY Tensor repeat_interleave(std::int64_t repeats,
                                    std::optional<std::int64_t> dim = {}) const;
  AMP_LAZY Tensor flip(const Dims& dims) const;
  AMP_LAZY Tensor roll(const Counts& shifts, const Dims& dims = {}) const;
  AMP_LAZY Tensor tril(std::int64_t diagonal = 0) const;
  AMP_LAZY Tensor triu(std::int64_t diagonal = 0) const;
  AMP_LAZY Tensor diag(std::int64_t diagonal = 0) const;

  // --- elements by index -------------------------------------------------------------------------
  AMP_LAZY Tensor gather(std::int64_t dim, const Tensor& index) const;
  AMP_LAZY Tensor index_select(std::int64_t dim, const Tensor& index) const;
  AMP_LAZY Tensor take(const Tensor& index) const;
  AMP_LAZY Tensor take_along_dim(const Tensor& indices, std::optional<std::int64_t> dim = {}) const;
  AMP_LAZY Tensor masked_select(const Tensor& mask) const;
  AMP_LAZY Tensor nonzero() const;
  AMP_LAZY Tensor scatter(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  AMP_LAZY Tensor scatter(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  AMP_LAZY Tensor scatter_add(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  AMP_LAZY Tensor index_add(std::int64_t dim, const Tensor& index, const Tensor& source,
                            double alpha = 1) const;
  AMP_LAZY Tensor index_fill(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  AMP_LAZY Tensor multinomial(std::int64_t num_samples, bool replacement = false) const;

 private:
  const Tensor& self() const;
};

}  // namespace amp::inline v0
