// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "amp/ops/activation.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/grids.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/matrix_parts.hpp"
#include "amp/ops/methods.hpp"
#include "amp/ops/nan_to_num.hpp"
#include "amp/ops/order.hpp"
#include "amp/ops/products.hpp"
#include "amp/ops/random.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/scan.hpp"
#include "amp/ops/scatter.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/ops/vector_norm.hpp"

namespace amp::inline v0 {

// clang-format off
AMP_LAZY_DEFINITION Tensor TensorMethods::abs() const { return amp::abs(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::neg() const { return amp::neg(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sign() const { return amp::sign(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::square() const { return amp::square(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sqrt() const { return amp::sqrt(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::rsqrt() const { return amp::rsqrt(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::reciprocal() const { return amp::reciprocal(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::exp() const { return amp::exp(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::expm1() const { return amp::expm1(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::log() const { return amp::log(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::log1p() const { return amp::log1p(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::log2() const { return amp::log2(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::log10() const { return amp::log10(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sin() const { return amp::sin(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::cos() const { return amp::cos(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::tan() const { return amp::tan(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::asin() const { return amp::asin(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::acos() const { return amp::acos(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::atan() const { return amp::atan(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sinh() const { return amp::sinh(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::cosh() const { return amp::cosh(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::tanh() const { return amp::tanh(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::erf() const { return amp::erf(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::erfinv() const { return amp::erfinv(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::floor() const { return amp::floor(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::ceil() const { return amp::ceil(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::round() const { return amp::round(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::trunc() const { return amp::trunc(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sigmoid() const { return amp::sigmoid(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::relu() const { return amp::relu(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::isnan() const { return amp::isnan(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::isinf() const { return amp::isinf(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::isfinite() const { return amp::isfinite(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::logical_not() const { return amp::logical_not(self()); }

AMP_LAZY_DEFINITION Tensor TensorMethods::clamp(const Bound& min, const Bound& max) const { return amp::clamp(self(), min, max); }
AMP_LAZY_DEFINITION Tensor TensorMethods::clamp(const Tensor& min, const Tensor& max) const { return amp::clamp(self(), min, max); }
AMP_LAZY_DEFINITION Tensor TensorMethods::clip(const Bound& min, const Bound& max) const { return amp::clamp(self(), min, max); }
AMP_LAZY_DEFINITION Tensor TensorMethods::clamp_min(const Bound& min) const { return amp::clamp_min(self(), min); }
AMP_LAZY_DEFINITION Tensor TensorMethods::clamp_max(const Bound& max) const { return amp::clamp_max(self(), max); }
AMP_LAZY_DEFINITION Tensor TensorMethods::nan_to_num(double nan, std::optional<double> posinf, std::optional<double> neginf) const { return amp::nan_to_num(self(), nan, posinf, neginf); }
AMP_LAZY_DEFINITION Tensor TensorMethods::softmax(std::int64_t dim) const { return amp::softmax(self(), dim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::log_softmax(std::int64_t dim) const { return amp::log_softmax(self(), dim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::type_as(const Tensor& other) const { return self().to(other.dtype()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::cpu() const { return self().to(kCPU); }
AMP_LAZY_DEFINITION Tensor TensorMethods::cuda() const { return self().to(kCUDA); }

AMP_LAZY_DEFINITION Tensor TensorMethods::add(const Tensor& other) const { return amp::add(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sub(const Tensor& other) const { return amp::sub(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mul(const Tensor& other) const { return amp::mul(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::div(const Tensor& other) const { return amp::div(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::pow(const Tensor& other) const { return amp::pow(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::fmod(const Tensor& other) const { return amp::fmod(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::remainder(const Tensor& other) const { return amp::remainder(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::eq(const Tensor& other) const { return amp::eq(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::ne(const Tensor& other) const { return amp::ne(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::lt(const Tensor& other) const { return amp::lt(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::le(const Tensor& other) const { return amp::le(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::gt(const Tensor& other) const { return amp::gt(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::ge(const Tensor& other) const { return amp::ge(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::maximum(const Tensor& other) const { return amp::maximum(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::minimum(const Tensor& other) const { return amp::minimum(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::atan2(const Tensor& other) const { return amp::atan2(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::logical_and(const Tensor& other) const { return amp::logical_and(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::logical_or(const Tensor& other) const { return amp::logical_or(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::logical_xor(const Tensor& other) const { return amp::logical_xor(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::add(const Scalar& other) const { return detail::add_number(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sub(const Scalar& other) const { return detail::sub_number(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mul(const Scalar& other) const { return detail::mul_number(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::div(const Scalar& other) const { return detail::div_number(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::fmod(const Scalar& other) const { return detail::fmod_number(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::remainder(const Scalar& other) const { return detail::remainder_number(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::pow(const Scalar& other) const { return detail::pow_number(self(), other.operand(self().device()), other.is_signed()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::eq(const Scalar& other) const { return detail::comparison<kernels::functions::Eq>(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::ne(const Scalar& other) const { return detail::comparison<kernels::functions::Ne>(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::lt(const Scalar& other) const { return detail::comparison<kernels::functions::Lt>(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::le(const Scalar& other) const { return detail::comparison<kernels::functions::Le>(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::gt(const Scalar& other) const { return detail::comparison<kernels::functions::Gt>(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::ge(const Scalar& other) const { return detail::comparison<kernels::functions::Ge>(self(), other.operand(self().device())); }
AMP_LAZY_DEFINITION bool TensorMethods::equal(const Tensor& other) const { return amp::equal(self(), other); }
AMP_LAZY_DEFINITION bool TensorMethods::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const { return amp::allclose(self(), other, rtol, atol, equal_nan); }
AMP_LAZY_DEFINITION Tensor TensorMethods::lerp(const Tensor& end, const Tensor& weight) const { return amp::lerp(self(), end, weight); }
AMP_LAZY_DEFINITION Tensor TensorMethods::lerp(const Tensor& end, double weight) const { return amp::lerp(self(), end, weight); }
AMP_LAZY_DEFINITION Tensor TensorMethods::addcmul(const Tensor& a, const Tensor& b, double value) const { return amp::addcmul(self(), a, b, {.value = value}); }
AMP_LAZY_DEFINITION Tensor TensorMethods::addcdiv(const Tensor& a, const Tensor& b, double value) const { return amp::addcdiv(self(), a, b, {.value = value}); }
AMP_LAZY_DEFINITION Tensor TensorMethods::where(const Tensor& condition, const Tensor& other) const { return amp::where(condition, self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::masked_fill(const Tensor& mask, const Scalar& value) const { return detail::masked_fill_number(self(), mask, value.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::masked_fill(const Tensor& mask, const Tensor& value) const { return amp::masked_fill(self(), mask, value); }

AMP_LAZY_DEFINITION Tensor TensorMethods::matmul(const Tensor& other) const { return amp::matmul(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mm(const Tensor& mat2) const { return amp::mm(self(), mat2); }
AMP_LAZY_DEFINITION Tensor TensorMethods::bmm(const Tensor& mat2) const { return amp::bmm(self(), mat2); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mv(const Tensor& vec) const { return amp::mv(self(), vec); }
AMP_LAZY_DEFINITION Tensor TensorMethods::dot(const Tensor& other) const { return amp::dot(self(), other); }
AMP_LAZY_DEFINITION Tensor TensorMethods::outer(const Tensor& vec2) const { return amp::outer(self(), vec2); }

AMP_LAZY_DEFINITION Tensor TensorMethods::sum() const { return amp::sum(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mean() const { return amp::mean(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::var() const { return amp::var(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::std() const { return amp::std(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::prod() const { return amp::prod(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::any() const { return amp::any(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::all() const { return amp::all(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::argmax() const { return amp::argmax(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::argmin() const { return amp::argmin(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::median() const { return amp::median(self()); }
AMP_LAZY_DEFINITION Tensor (TensorMethods::max)() const { return (amp::max)(self()); }
AMP_LAZY_DEFINITION Tensor (TensorMethods::min)() const { return (amp::min)(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::sum(const Dims& dim, bool keepdim) const { return amp::sum(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mean(const Dims& dim, bool keepdim) const { return amp::mean(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::logsumexp(const Dims& dim, bool keepdim) const { return amp::logsumexp(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::any(const Dims& dim, bool keepdim) const { return amp::any(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::all(const Dims& dim, bool keepdim) const { return amp::all(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::amax(const Dims& dim, bool keepdim) const { return amp::amax(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::amin(const Dims& dim, bool keepdim) const { return amp::amin(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::var(const Dims& dim, double correction, bool keepdim) const { return amp::var(self(), dim, correction, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::std(const Dims& dim, double correction, bool keepdim) const { return amp::std(self(), dim, correction, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::prod(std::int64_t dim, bool keepdim) const { return amp::prod(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::argmax(std::int64_t dim, bool keepdim) const { return amp::argmax(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::argmin(std::int64_t dim, bool keepdim) const { return amp::argmin(self(), dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::norm(double p, const Dims& dim, bool keepdim) const { return amp::norm(self(), p, dim, keepdim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::count_nonzero(const Dims& dim) const { return amp::count_nonzero(self(), dim); }
AMP_LAZY_DEFINITION ValuesAndIndices (TensorMethods::max)(std::int64_t dim, bool keepdim) const { return (amp::max)(self(), dim, keepdim); }
AMP_LAZY_DEFINITION ValuesAndIndices (TensorMethods::min)(std::int64_t dim, bool keepdim) const { return (amp::min)(self(), dim, keepdim); }
AMP_LAZY_DEFINITION ValuesAndIndices TensorMethods::median(std::int64_t dim, bool keepdim) const { return amp::median(self(), dim, keepdim); }

AMP_LAZY_DEFINITION ValuesAndIndices TensorMethods::sort(std::int64_t dim, bool descending) const { return amp::sort(self(), dim, descending); }
AMP_LAZY_DEFINITION Tensor TensorMethods::argsort(std::int64_t dim, bool descending) const { return amp::argsort(self(), dim, descending); }
AMP_LAZY_DEFINITION ValuesAndIndices TensorMethods::topk(std::int64_t k, std::int64_t dim, bool largest, bool sorted) const { return amp::topk(self(), k, dim, largest, sorted); }
AMP_LAZY_DEFINITION Tensor TensorMethods::cumsum(std::int64_t dim) const { return amp::cumsum(self(), dim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::cumprod(std::int64_t dim) const { return amp::cumprod(self(), dim); }

AMP_LAZY_DEFINITION Tensor TensorMethods::T() const { return self().t(); }
AMP_LAZY_DEFINITION Tensor TensorMethods::mT() const { return self().transpose(-2, -1); }
AMP_LAZY_DEFINITION Tensor TensorMethods::repeat(const Counts& repeats) const { return amp::repeat(self(), repeats); }
AMP_LAZY_DEFINITION Tensor TensorMethods::tile(const Counts& dims) const { return amp::tile(self(), dims); }
AMP_LAZY_DEFINITION Tensor TensorMethods::repeat_interleave(std::int64_t repeats, std::optional<std::int64_t> dim) const { return amp::repeat_interleave(self(), repeats, dim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::flip(const Dims& dims) const { return amp::flip(self(), dims); }
AMP_LAZY_DEFINITION Tensor TensorMethods::roll(const Counts& shifts, const Dims& dims) const { return amp::roll(self(), shifts, dims); }
AMP_LAZY_DEFINITION Tensor TensorMethods::tril(std::int64_t diagonal) const { return amp::tril(self(), diagonal); }
AMP_LAZY_DEFINITION Tensor TensorMethods::triu(std::int64_t diagonal) const { return amp::triu(self(), diagonal); }
AMP_LAZY_DEFINITION Tensor TensorMethods::diag(std::int64_t diagonal) const { return amp::diag(self(), diagonal); }

AMP_LAZY_DEFINITION Tensor TensorMethods::gather(std::int64_t dim, const Tensor& index) const { return amp::gather(self(), dim, index); }
AMP_LAZY_DEFINITION Tensor TensorMethods::index_select(std::int64_t dim, const Tensor& index) const { return amp::index_select(self(), dim, index); }
AMP_LAZY_DEFINITION Tensor TensorMethods::take(const Tensor& index) const { return amp::take(self(), index); }
AMP_LAZY_DEFINITION Tensor TensorMethods::take_along_dim(const Tensor& indices, std::optional<std::int64_t> dim) const { return amp::take_along_dim(self(), indices, dim); }
AMP_LAZY_DEFINITION Tensor TensorMethods::masked_select(const Tensor& mask) const { return amp::masked_select(self(), mask); }
AMP_LAZY_DEFINITION Tensor TensorMethods::nonzero() const { return amp::nonzero(self()); }
AMP_LAZY_DEFINITION Tensor TensorMethods::scatter(std::int64_t dim, const Tensor& index, const Tensor& src) const { return amp::scatter(self(), dim, index, src); }
AMP_LAZY_DEFINITION Tensor TensorMethods::scatter(std::int64_t dim, const Tensor& index, const Scalar& value) const { return detail::scatter_number(self(), dim, index, value.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::scatter_add(std::int64_t dim, const Tensor& index, const Tensor& src) const { return amp::scatter_add(self(), dim, index, src); }
AMP_LAZY_DEFINITION Tensor TensorMethods::index_add(std::int64_t dim, const Tensor& index, const Tensor& source, double alpha) const { return amp::index_add(self(), dim, index, source, {.alpha = alpha}); }
AMP_LAZY_DEFINITION Tensor TensorMethods::index_fill(std::int64_t dim, const Tensor& index, const Scalar& value) const { return detail::index_fill_number(self(), dim, index, value.operand(self().device())); }
AMP_LAZY_DEFINITION Tensor TensorMethods::multinomial(std::int64_t num_samples, bool replacement) const { return amp::multinomial(self(), num_samples, replacement); }
// clang-format on

}  // namespace amp::inline v0
