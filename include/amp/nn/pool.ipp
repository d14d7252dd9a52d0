// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/nn/pool.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD void check_norm_type(std::string_view type, double norm_type) {
  AMP_CHECK(norm_type > 0, "nn::", type, ": `norm_type` must be positive, but is ", norm_type);
}

AMP_LAZY_DEFINITION Tensor root_of_means(const Tensor& means, const amp::detail::WindowSize& kernel,
                                         double norm_type) {
  double count = 1;
  for (int d = 0; d < kernel.dims; ++d) count *= static_cast<double>(kernel.values[d]);
  const Tensor sums = means * count, nothing = eq(sums, 0);
  // Windows of zeros get gradients of 0, and no infinite ones.
  return masked_fill(pow(masked_fill(sums, nothing, 1), 1 / norm_type), nothing, 0);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor LPPool1d::forward(const Tensor& x) const {
  if (std::isinf(norm_type_))
    return max_pool1d(abs(x), kernel_, {.stride = stride_, .ceil_mode = ceil_mode_});
  const AvgPool1dOptions options{.stride = stride_, .ceil_mode = ceil_mode_};
  return detail::root_of_means(avg_pool1d(pow(x, norm_type_), kernel_, options), kernel_,
                               norm_type_);
}
AMP_LAZY_DEFINITION Tensor LPPool2d::forward(const Tensor& x) const {
  if (std::isinf(norm_type_))
    return max_pool2d(abs(x), kernel_, {.stride = stride_, .ceil_mode = ceil_mode_});
  const AvgPool2dOptions options{.stride = stride_, .ceil_mode = ceil_mode_};
  return detail::root_of_means(avg_pool2d(pow(x, norm_type_), kernel_, options), kernel_,
                               norm_type_);
}
AMP_LAZY_DEFINITION Tensor LPPool3d::forward(const Tensor& x) const {
  if (std::isinf(norm_type_))
    return max_pool3d(abs(x), kernel_, {.stride = stride_, .ceil_mode = ceil_mode_});
  const AvgPool3dOptions options{.stride = stride_, .ceil_mode = ceil_mode_};
  return detail::root_of_means(avg_pool3d(pow(x, norm_type_), kernel_, options), kernel_,
                               norm_type_);
}

}  // namespace amp::inline v0::nn
