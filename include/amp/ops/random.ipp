// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/random.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY Tensor randint_as(std::string_view op, std::int64_t low, std::int64_t high,
                           const Shape& shape, DType dtype, Device device) {
  AMP_CHECK(low < high, op, ": `low` must be below `high`, but they are ", low, " and ", high);
  check_holds(op, "low", low, dtype);
  check_holds(op, "high", high - 1, dtype);
  const Tensor result = make_tensor(shape, dtype, device);
  if (result.numel() != 0) {
    const kernels::RandintArgs args{
        result.operand(), low, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low),
        reserve_random(ceil_div(result.numel(), 2), device)};
    kernels::randint(device, args);
  }
  return result;
}
AMP_LAZY const Tensor& with_gradient(const Tensor& tensor, const TensorOptions& options) {
  return options.requires_grad ? tensor.requires_grad_() : tensor;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
                                   const TensorOptions& options) {
  return detail::with_gradient(detail::randint_as("randint", low, high, shape,
                                                  options.dtype.value_or(kInt64), options.device),
                               options);
}
AMP_LAZY_DEFINITION Tensor randint_like(const Tensor& other, std::int64_t low, std::int64_t high) {
  detail::check_defined("randint_like", "other", other);
  return detail::randint_as("randint_like", low, high, other.shape(), other.dtype(),
                            other.device());
}

AMP_LAZY_DEFINITION Tensor randperm(std::int64_t n, const TensorOptions& options) {
  AMP_CHECK(n >= 0, "randperm: `n` must not be negative, but is ", n);
  const DType dtype = options.dtype.value_or(kInt64);
  if (n > 0) detail::check_holds("randperm", "n", n - 1, dtype);
  const Tensor order = detail::make_tensor(n, kInt64, options.device);
  if (n > 0) {
    // As many random blocks as the longest sorted permutation takes, or two for keys.
    const std::int64_t blocks = n > kernels::kMostSorted ? 2 : ceil_div(n, 2);
    const kernels::RandpermArgs args{order.operand(),
                                     detail::reserve_random(blocks, options.device)};
    kernels::randperm(options.device, args);
  }
  return detail::with_gradient(order.to(dtype), options);
}

AMP_LAZY_DEFINITION Tensor normal(double mean, double std, const Shape& shape,
                                  const TensorOptions& options) {
  AMP_CHECK(std >= 0, "normal: `std` must not be negative, but is ", std);
  return detail::random(
      "normal", shape, options,
      {.distribution = kernels::Distribution::kNormal, .mean = mean, .deviation = std});
}

namespace detail {

/// mean + std z, without history, in one of the dtypes in which neither is rounded.
AMP_LAZY Tensor normal_as(const Tensor& mean, const Tensor& std) {
  const Shape shape = broadcast_shapes("normal", mean.shape(), std.shape(), "mean", "std");
  const DType dtype = promote_types(mean.dtype(), std.dtype());
  const NoGradGuard no_grad;
  const autocasting::NoCasts no_casts;
  const DType wide = promote_types(dtype, kFloat32);
  const Tensor z = randn(shape, {.dtype = wide, .device = mean.device()});
  return (z * std.to(wide) + mean.to(wide)).to(dtype);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor normal(const Tensor& mean, double std) {
  detail::check_floating("normal", "mean", mean);
  AMP_CHECK(std >= 0, "normal: `std` must not be negative, but is ", std);
  const DType wide = promote_types(mean.dtype(), kFloat32);
  return detail::normal_as(mean, full({}, std, {.dtype = wide, .device = mean.device()}))
      .to(mean.dtype());
}
AMP_LAZY_DEFINITION Tensor normal(double mean, const Tensor& std) {
  detail::check_floating("normal", "std", std);
  const DType wide = promote_types(std.dtype(), kFloat32);
  return detail::normal_as(full({}, mean, {.dtype = wide, .device = std.device()}), std)
      .to(std.dtype());
}
AMP_LAZY_DEFINITION Tensor normal(const Tensor& mean, const Tensor& std) {
  detail::check_floating("normal", "mean", mean);
  detail::check_floating("normal", "std", std);
  detail::check_same_device("normal", "mean", mean, "std", std);
  return detail::normal_as(mean, std);
}

AMP_LAZY_DEFINITION Tensor exponential(const Shape& shape, double lambd,
                                       const TensorOptions& options) {
  AMP_CHECK(lambd > 0, "exponential: `lambd` must be positive, but is ", lambd);
  return detail::random("exponential", shape, options,
                        {.distribution = kernels::Distribution::kExponential, .mean = 1 / lambd});
}

namespace detail {

/// Whether uniform numbers lie below the probabilities.
AMP_LAZY Tensor uniform_like(const Tensor& input) {
  return rand(input.shape(), {.dtype = kFloat32, .device = input.device()});
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor bernoulli(const Tensor& input) {
  detail::check_floating("bernoulli", "input", input);
  return lt(detail::uniform_like(input), input.detach().to(promote_types(input.dtype(), kFloat32)))
      .to(input.dtype());
}
AMP_LAZY_DEFINITION Tensor bernoulli(const Tensor& input, double p) {
  detail::check_defined("bernoulli", "input", input);
  AMP_CHECK(p >= 0 && p <= 1, "bernoulli: `p` must lie in [0, 1], but is ", p);
  return lt(detail::uniform_like(input), p).to(input.dtype());
}

AMP_LAZY_DEFINITION Tensor multinomial(const Tensor& input, std::int64_t num_samples,
                                       bool replacement) {
  detail::check_floating("multinomial", "input", input);
  AMP_CHECK(input.dim() == 1 || input.dim() == 2,
            "multinomial: `input` must be [n] or [rows, n], but is ", describe(input));
  AMP_CHECK(num_samples > 0, "multinomial: `num_samples` must be positive, but is ", num_samples);
  const std::int64_t n = input.size(-1);
  AMP_CHECK(replacement || num_samples <= n, "multinomial: without `replacement`, `num_samples` ",
            num_samples, " must be at most ", n, ", the elements of a row of `input` ",
            describe(input));
  AMP_CHECK(n > 0, "multinomial: `input` ", describe(input), " has nothing to choose from");
  const Tensor weights = detail::dense(input);
  Shape shape = input.shape();
  shape[input.dim() - 1] = num_samples;
  const Tensor samples = detail::make_tensor(Shape(shape.span()), kInt64, input.device());
  if (samples.numel() != 0) {
    const std::int64_t rows = input.numel() / n;
    const std::int64_t blocks =
        replacement ? ceil_div(rows * num_samples, 2) : ceil_div(rows * n, 4);
    const kernels::MultinomialArgs args{weights.operand(), samples.operand(), replacement,
                                        detail::reserve_random(blocks, input.device())};
    kernels::multinomial(input.device(), args);
  }
  return samples;
}

}  // namespace amp::inline v0
