// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the table of calls does not show of resampling: options that contradict each other, images of
// many pieces, both orders of elements, and the same bits every time.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace resample {
namespace {

using amp::InterpolateMode;
using amp::InterpolateOptions;
using amp::Tensor;
using amp_test::same_bits;

std::string refused(const amp::Shape& shape, const InterpolateOptions& options) {
  return amp_test::error_of([&] { return amp::interpolate(amp::ones(shape), options); });
}

TEST_CASE("interpolate: options that contradict each other are refused") {
  using enum InterpolateMode;
  const amp::Shape plane(1, 2, 3, 4);
  const auto says = [](const std::string& message, const char* words) {
    INFO(message);
    CHECK(message.starts_with("interpolate: "));
    CHECK(message.find(words) != message.npos);
  };
  says(refused(plane, {}), "`size` and `scale_factor`");
  says(refused(plane, {.size = 2, .scale_factor = 2}), "`size` and `scale_factor`");
  says(refused(plane, {.size = {2, 2, 2}}), "`size` has 3 numbers");
  says(refused(plane, {.scale_factor = {2, 2, 2}}), "`scale_factor` has 3 numbers");
  says(refused(plane, {.size = {0, 2}}), "`size` must be positive");
  for (const double factor : {0.0, -1.0, 0.1, 1e12, static_cast<double>(NAN)})
    says(refused(plane, {.scale_factor = factor}), "`scale_factor`");
  says(refused(plane, {.size = 2, .recompute_scale_factor = true}), "`recompute_scale_factor`");
  says(refused(plane, {.size = 2, .mode = kLinear}), "3 dimensions");
  says(refused(plane, {.size = 2, .mode = kTrilinear}), "5 dimensions");
  says(refused({1, 2, 3}, {.size = 2, .mode = kBilinear}), "4 dimensions");
  says(refused({3, 4}, {.size = 2}), "expected `input`");
  says(refused(plane, {.size = 2, .mode = kArea, .align_corners = true}), "`align_corners`");
  says(refused(plane, {.size = 2, .mode = kArea, .antialias = true}), "`antialias`");
  says(refused({1, 2, 0, 4}, {.size = 2}), "no elements along dimension 2");
  says(amp_test::error_of([] { return amp::ScaleFactors{1, 2, 3, 4}; }), "`scale_factor`");
  CHECK(amp::interpolate(amp::ones({2, 0, 3, 4}), {.size = 2}).shape() == amp::Shape(2, 0, 2, 2));
}

/// y and its gradient by x.
std::vector<Tensor> with_gradient(const Tensor& x, const InterpolateOptions& options) {
  const Tensor leaf = x.clone().requires_grad_();
  const Tensor y = amp::interpolate(leaf, options);
  y.backward(y.detach());
  return {y.detach(), leaf.grad()};
}
void check_close(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto worst = amp::amax(amp::abs(a[i] - b[i])).item<double>();
    const auto scale = amp::amax(amp::abs(b[i])).item<double>();
    CHECK(worst <= 1e-5 * scale);
  }
}

TEST_CASE("interpolate: large images are cut into pieces that fit together") {
  using enum InterpolateMode;
  amp::manual_seed(1);
  const Tensor x = amp::randn({2, 3, 301, 203});
  for (const InterpolateOptions& options : std::vector<InterpolateOptions>{
           {.size = {450, 500}, .mode = kBilinear},
           {.size = {97, 150}, .mode = kBicubic, .antialias = true},
           {.size = {450, 97}, .mode = kBicubic},
           {.size = {100, 405}, .mode = kArea},
           {.size = {301, 405}, .mode = kBilinear},
           {.size = {450, 203}, .mode = kBilinear, .align_corners = true},
           {.scale_factor = 2, .mode = kNearest}}) {
    const auto whole = with_gradient(x, options);
    // Each channel by itself, in float64.
    for (std::int64_t c = 0; c < 3; ++c) {
      const auto narrow = [&](const Tensor& t) { return t.narrow(1, c, 1); };
      const auto single = with_gradient(narrow(x).to(amp::kFloat64), options);
      check_close({narrow(whole[0]), narrow(whole[1])}, single);
    }
    const auto again = with_gradient(x, options);
    CHECK(same_bits(whole[0], again[0]));
    CHECK(same_bits(whole[1], again[1]));
    // Channels-last, by the strides of a view.
    const Tensor last = x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
    check_close(with_gradient(last, options), whole);
  }
}

TEST_CASE("grid_sample: a grid of many points, whose gradients are added in order") {
  amp::manual_seed(2);
  const Tensor x = amp::randn({2, 21, 19, 23}).requires_grad_();
  const Tensor theta = amp::randn({2, 2, 3}) * 0.5;
  const Tensor grid = amp::affine_grid(theta, {2, 21, 40, 50}).requires_grad_();
  for (const auto mode : {amp::GridSampleMode::kBilinear, amp::GridSampleMode::kBicubic}) {
    for (const auto padding : {amp::PaddingMode::kZeros, amp::PaddingMode::kBorder}) {
      std::vector<Tensor> first;
      for (const bool again : {false, true}) {
        x.set_grad({}), grid.set_grad({});
        const Tensor y = amp::grid_sample(x, grid, {.mode = mode, .padding_mode = padding});
        y.backward(y.detach());
        const std::vector<Tensor> all{y.detach(), x.grad(), grid.grad()};
        for (std::size_t i = 0; again && i < 3; ++i) CHECK(same_bits(all[i], first[i]));
        // Each channel by itself, in float64.
        for (std::int64_t c = 0; again && c < 21; ++c) {
          const Tensor alone = x.detach().narrow(1, c, 1).to(amp::kFloat64);
          const Tensor single = amp::grid_sample(alone, grid.detach().to(amp::kFloat64),
                                                 {.mode = mode, .padding_mode = padding});
          check_close({y.detach().narrow(1, c, 1)}, {single});
        }
        first = all;
      }
      // By linearity, the sum of y^2 is that of x times its gradient.
      const auto of_x = amp::sum(x.detach() * first[1]).item<double>();
      const auto of_y = amp::sum(first[0] * first[0]).item<double>();
      CHECK(std::abs(of_x - of_y) <= 1e-4 * of_y);
    }
  }
}

TEST_CASE("grid_sample: points that are no places lie beyond the image") {
  const Tensor x = amp::ones({1, 1, 2, 2}).requires_grad_();
  const std::vector<float> points{NAN, 0, 0, INFINITY, -INFINITY, 0, 1e30F, 1e30F};
  for (const auto mode : {amp::GridSampleMode::kBilinear, amp::GridSampleMode::kNearest,
                          amp::GridSampleMode::kBicubic}) {
    const Tensor grid = amp::tensor(points, {1, 1, 4, 2}).requires_grad_();
    const Tensor y = amp::grid_sample(x, grid, {.mode = mode});
    y.backward(amp::ones(y.shape()));
    for (const Tensor& t : {y.detach(), x.grad(), grid.grad()})
      CHECK(amp::amax(amp::abs(t)).item<float>() == 0);
  }
}

}  // namespace
}  // namespace resample
