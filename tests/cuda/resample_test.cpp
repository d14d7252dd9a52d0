// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Resampling on the CUDA device against the host: several blocks, odd sizes, all kinds of axes.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_resample {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;

TEST_CASE("cuda resample: interpolate is the host's", "[cuda]") {
  using enum amp::InterpolateMode;
  amp::manual_seed(1);
  const auto agree = [](const amp::Shape& shape, const amp::InterpolateOptions& options) {
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16}) {
      compare({amp::randn(shape).to(dtype)}, 2 * cuda_test::tolerance(dtype),
              [&](const Tensors& t) { return amp::interpolate(t[0], options); });
    }
  };
  for (const auto mode : {kNearest, kNearestExact, kArea}) {
    agree({2, 3, 17, 13}, {.size = {9, 31}, .mode = mode});
    agree({1, 2, 5, 4, 7}, {.size = {3, 9, 7}, .mode = mode});
  }
  for (const auto mode : {kBilinear, kBicubic}) {
    agree({2, 3, 17, 13}, {.size = {9, 31}, .mode = mode});
    agree({2, 3, 17, 13}, {.scale_factor = {1.7, 0.4}, .mode = mode});
    agree({2, 3, 17, 13}, {.size = {40, 5}, .mode = mode, .align_corners = true});
    agree({2, 3, 37, 53}, {.size = {9, 11}, .mode = mode, .antialias = true});
  }
  agree({2, 3, 300}, {.size = 701, .mode = kLinear});
  agree({1, 2, 5, 6, 7}, {.scale_factor = 2, .mode = kTrilinear});
}

TEST_CASE("cuda resample: grid_sample is the host's", "[cuda]") {
  amp::manual_seed(2);
  for (const auto mode : {amp::GridSampleMode::kBilinear, amp::GridSampleMode::kNearest,
                          amp::GridSampleMode::kBicubic}) {
    for (const auto padding :
         {amp::PaddingMode::kZeros, amp::PaddingMode::kBorder, amp::PaddingMode::kReflection}) {
      compare({amp::randn({2, 11, 7, 9}), amp::randn({2, 13, 12, 2})}, 1e-5, [&](const Tensors& t) {
        return amp::grid_sample(t[0], t[1], {.mode = mode, .padding_mode = padding});
      });
    }
  }
  compare({amp::randn({2, 3, 4, 5, 6}), amp::randn({2, 3, 4, 5, 3})}, 1e-5,
          [](const Tensors& t) { return amp::grid_sample(t[0], t[1]); });
}

}  // namespace
}  // namespace cuda_resample
