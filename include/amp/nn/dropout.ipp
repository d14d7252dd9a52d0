// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/nn/dropout.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/random.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD void check_probability(std::string_view type, double p) {
  AMP_CHECK(p >= 0 && p <= 1, "nn::", type, ": `p` must lie in [0, 1], but is ", p);
}

/// Ones with probability 1 - p, else zeros, in the shape of x, but of extent 1 from dimension
/// `shared` on.
AMP_LAZY Tensor kept(const Tensor& x, int shared, double p, DType dtype) {
  Shape shape = x.shape();
  for (int d = shared; d < shape.dims(); ++d) shape[d] = 1;
  return bernoulli(empty(shape, {.dtype = dtype, .device = x.device()}), 1 - p);
}

AMP_LAZY_DEFINITION Tensor drop_channels(std::string_view type, const Tensor& x, int unbatched,
                                         double p) {
  amp::detail::check_floating(type, "x", x);
  AMP_CHECK(x.dim() == unbatched || x.dim() == unbatched + 1, "nn::", type, ": `x` must have ",
            unbatched, " or ", unbatched + 1, " dimensions, but is ", describe(x));
  if (p == 0) return x;
  const Tensor mask = kept(x, x.dim() - unbatched + 1, p, x.dtype());
  return x * mask * (p < 1 ? 1 / (1 - p) : 0);  // two products, so that the factor is exact
}

AMP_LAZY_DEFINITION Tensor alpha_dropout(std::string_view type, const Tensor& x, int shared,
                                         double p) {
  amp::detail::check_floating(type, "x", x);
  if (p == 0) return x;
  if (p == 1) return x * 0;
  constexpr double kLeast = -1.7580993408473766;  // of selu
  const double scale = 1 / std::sqrt((kLeast * kLeast * p + 1) * (1 - p));
  const double shift = -scale * kLeast * p;
  return where(kept(x, shared, p, kBool), x * scale + shift, scale * kLeast + shift);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor Dropout::forward(const Tensor& x) const {
  return dropout(x, p_, is_training());
}
AMP_LAZY_DEFINITION Tensor Dropout1d::forward(const Tensor& x) const {
  return is_training() ? detail::drop_channels("Dropout1d", x, 2, p_) : x;
}
AMP_LAZY_DEFINITION Tensor Dropout2d::forward(const Tensor& x) const {
  return is_training() ? detail::drop_channels("Dropout2d", x, x.dim() == 3 ? 2 : 3, p_) : x;
}
AMP_LAZY_DEFINITION Tensor Dropout3d::forward(const Tensor& x) const {
  return is_training() ? detail::drop_channels("Dropout3d", x, 4, p_) : x;
}
AMP_LAZY_DEFINITION Tensor AlphaDropout::forward(const Tensor& x) const {
  return is_training() ? detail::alpha_dropout("AlphaDropout", x, x.dim(), p_) : x;
}
AMP_LAZY_DEFINITION Tensor FeatureAlphaDropout::forward(const Tensor& x) const {
  return is_training() ? detail::alpha_dropout("FeatureAlphaDropout", x, 2, p_) : x;
}

}  // namespace amp::inline v0::nn
