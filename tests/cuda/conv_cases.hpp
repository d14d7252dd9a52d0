// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of all kinds, for the tests of both ways to compute them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace conv_cases {

using cuda_test::Tensors;

struct Case {
  amp::Shape input;
  std::int64_t filters;
  amp::Size2d kernel;
  amp::Conv2dOptions options = {};
};

inline const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{1, 1, 1, 1}, 1, 1},
      {{2, 3, 5, 7}, 4, 3},
      {{3, 2, 9, 8}, 5, {3, 2}, {.stride = {2, 3}, .padding = {1, 2}}},
      {{2, 4, 11, 10},
       6,
       {2, 3},
       {.stride = {1, 2}, .padding = 3, .dilation = {3, 2}, .groups = 2}},
      {{2, 6, 6, 6}, 6, 3, {.padding = 1, .groups = 6}},  // fewer images than groups
      {{7, 3, 5, 5}, 6, 3, {.padding = 1, .groups = 3}},  // more
      {{5, 3, 4, 4}, 7, 1},
      {{3, 6, 3, 5}, 4, 1, {.groups = 2}},                       // pixel by pixel
      {{2, 3, 5, 16}, 4, 3, {.padding = 1}},                     // rows that are whole vectors
      {{2, 2, 6, 17}, 3, {1, 2}, {.stride = 2, .dilation = 2}},  // the same, of the output only
      {{2, 2, 4, 5}, 3, {4, 5}},                                 // one pixel
      {{2, 2, 7, 7}, 3, 2, {.stride = 4}},                       // pixels that nothing sees
      {{3, 2, 2, 2}, 2, 3, {.padding = 4, .dilation = 2}},       // patches of padding only
      {{4, 5, 19, 17}, 9, 3, {.padding = 1}},                    // more than a block
      {{0, 2, 4, 4}, 3, 2},                                      // no image
      {{2, 0, 4, 4}, 3, 2},                                      // no channel: the bias
      {{2, 2, 4, 4}, 0, 2},                                      // no filter
  };
  return all;
}

inline double limit_of(amp::DType dtype) {
  // A library on a GPU may sum transforms of the patches.
  const double sums = cuda_test::kOwnMath ? 4 : 1;
  return sums * (dtype == amp::kFloat32 ? 4e-6 : cuda_test::tolerance(dtype));
}

inline Tensors inputs_of(const Case& c, amp::DType dtype, bool bias) {
  const amp::Shape weight = {c.filters, c.input[1] / c.options.groups, c.kernel.height,
                             c.kernel.width};
  Tensors inputs = {amp::randn(c.input).to(dtype), amp::randn(weight).to(dtype)};
  if (bias) inputs.push_back(amp::randn({c.filters}).to(dtype));
  return inputs;
}

/// relu(conv2d(x)) of an x with NaN and both infinities: results and gradients of all inputs, fused
/// and one after the other.
struct Relu {
  Tensors fused, apart;
};
inline Relu relu_of_anything(amp::Device device, amp::DType dtype) {
  amp::manual_seed(5);
  amp::Tensor x = amp::randn({2, 3, 6, 8});
  const amp::Tensor w = amp::randn({4, 3, 3, 3}).to(dtype), b = amp::randn({4}).to(dtype);
  x.select(0, 0).select(0, 0).select(0, 1).narrow(0, 1, 1).fill_(NAN);
  x.select(0, 1).select(0, 0).select(0, 1).narrow(0, 1, 1).fill_(HUGE_VAL);
  x.select(0, 1).select(0, 2).select(0, 4).narrow(0, 6, 1).fill_(-HUGE_VAL);
  x = x.to(dtype);  // NaN instead of infinities, if the dtype has none
  const auto run = [&](bool relu) {
    return cuda_test::run(device, {x, w, b}, [&](const Tensors& t) {
      const amp::Tensor y = amp::conv2d(t[0], t[1], t[2], {.padding = 1, .relu = relu});
      return relu ? y : amp::relu(y);
    });
  };
  return {run(true), run(false)};
}

inline amp::kernels::Window window_of(const Case& c) {
  return {{c.kernel.height, c.kernel.width, 1},
          {c.options.stride.height, c.options.stride.width, 1},
          {c.options.padding.height, c.options.padding.width, 0},
          {c.options.dilation.height, c.options.dilation.width, 1}};
}

/// What relu makes of NaN and of gradients, on the device as on the host, fused as apart.
inline void check_relu() {
  for (const amp::DType dtype : cuda_test::kFloats) {
    INFO(amp::name(dtype));
    const Relu host = relu_of_anything(amp::kCPU, dtype),
               device = relu_of_anything(amp::kCUDA, dtype);
    REQUIRE(device.fused.size() == 4);
    CHECK(std::isnan(device.fused[0].to_vector<double>()[0]));
    const auto result = device.fused[0].to_vector<double>();
    CHECK(std::none_of(result.begin(), result.end(), [](double y) { return y < 0; }));
    CHECK(std::count(result.begin(), result.end(), 0.0) > 20);
    for (std::size_t i = 0; i < 4; ++i) {
      INFO("result " << i);
      CHECK(cuda_test::difference(host.fused[i], device.fused[i]) <= limit_of(dtype));
      CHECK(cuda_test::difference(device.apart[i].to(amp::kCPU), device.fused[i]) <=
            limit_of(dtype));
      // Rounding keeps the sign and 0: on the host nothing differs.
      CHECK(cuda_test::same_bits(host.apart[i], host.fused[i].to(amp::kCUDA)));
    }
  }
}

}  // namespace conv_cases
