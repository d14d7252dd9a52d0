// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of one and three dimensions, transposed ones, pools, unfold and fold on the CUDA
// device against the host, results and gradients, in several blocks and odd sizes.

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/conv_cases.hpp"
#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_windows {
namespace {

using amp::Tensor;
using cuda_test::Tensors;

using Op = std::function<Tensor(const Tensors&)>;
struct Case {
  std::vector<amp::Shape> inputs;
  Op op;
};

/// Results and gradients of the same inputs on both devices, in every dtype.
void check(const std::vector<Case>& cases, bool exact) {
  amp::manual_seed(1);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const amp::DType dtype : cuda_test::kFloats) {
      INFO("case " << i << " " << amp::name(dtype));
      Tensors inputs;
      for (const amp::Shape& shape : cases[i].inputs) inputs.push_back(amp::randn(shape).to(dtype));
      cuda_test::compare(inputs, exact ? 0 : conv_cases::limit_of(dtype),
                         [&](const Tensors& x) { return Tensors{cases[i].op(x)}; });
    }
  }
}

Tensor bias(const Tensors& x) { return x.size() > 2 ? x[2] : Tensor(); }

const std::vector<Case>& convolutions() {
  static const std::vector<Case> cases{
      {{{3, 4, 37}, {6, 2, 3}, {6}},
       [](const Tensors& x) {
         return amp::conv1d(x[0], x[1], bias(x), {.stride = 2, .padding = 1, .groups = 2});
       }},
      {{{2, 3, 24}, {4, 3, 4}},
       [](const Tensors& x) {
         return amp::conv1d(x[0], x[1], bias(x), {.padding = amp::Padding::kSame});
       }},
      {{{2, 4, 5, 6, 7}, {6, 2, 2, 3, 3}, {6}},
       [](const Tensors& x) {
         return amp::conv3d(
             x[0], x[1], bias(x),
             {.stride = {2, 1, 2}, .padding = {1, 0, 1}, .dilation = {1, 2, 1}, .groups = 2});
       }},
      {{{1, 2, 4, 4, 8}, {3, 2, 3, 3, 3}, {3}},
       [](const Tensors& x) { return amp::conv3d(x[0], x[1], bias(x), {.padding = 1}); }},
      {{{2, 3, 3, 3, 3}, {2, 3, 1, 1, 1}, {2}},
       [](const Tensors& x) { return amp::conv3d(x[0], x[1], bias(x)); }},
      {{{2, 3, 11}, {3, 2, 4}, {4}},
       [](const Tensors& x) {
         return amp::conv_transpose1d(x[0], amp::cat({x[1], x[1]}, 1), bias(x),
                                      {.stride = 3, .padding = 1, .output_padding = 2});
       }},
      {{{5, 7, 1, 1}, {7, 6, 4, 4}, {6}},
       [](const Tensors& x) { return amp::conv_transpose2d(x[0], x[1], bias(x)); }},
      {{{2, 4, 5, 6}, {4, 3, 4, 4}, {6}},
       [](const Tensors& x) {
         return amp::conv_transpose2d(x[0], x[1], bias(x),
                                      {.stride = 2, .padding = 1, .groups = 2});
       }},
      {{{2, 4, 5, 6}, {4, 3, 1, 1}, {3}},
       [](const Tensors& x) { return amp::conv_transpose2d(x[0], x[1], bias(x)); }},
      {{{2, 4, 3, 3}, {4, 3, 1, 1}, {3}},
       [](const Tensors& x) {
         return amp::conv_transpose2d(x[0], x[1], bias(x), {.output_padding = 1, .dilation = 2});
       }},
      {{{1, 3, 4, 3, 5}, {3, 2, 3, 2, 3}, {2}},
       [](const Tensors& x) {
         return amp::conv_transpose3d(
             x[0], x[1], bias(x),
             {.stride = {2, 1, 2}, .padding = {1, 0, 1}, .output_padding = {1, 0, 1}});
       }},
  };
  return cases;
}

TEST_CASE("cuda windows: convolutions of all dimensions and transposed ones", "[cuda]") {
  check(convolutions(), false);
}

TEST_CASE("cuda windows: pools are the host's, bit for bit", "[cuda]") {
  check(
      {
          {{{3, 5, 97}},
           [](const Tensors& x) {
             return amp::max_pool1d(x[0], 3,
                                    {.stride = 2, .padding = 1, .dilation = 1, .ceil_mode = true});
           }},
          {{{2, 3, 20, 19}},
           [](const Tensors& x) {
             return amp::max_pool2d(x[0], {3, 2}, {.stride = {1, 2}, .dilation = {2, 3}});
           }},
          {{{2, 3, 7, 9, 8}},
           [](const Tensors& x) {
             return amp::max_pool3d(x[0], {2, 3, 2}, {1, 2, 2}, {1, 1, 0});
           }},
          {{{2, 3, 20, 19}},
           [](const Tensors& x) {
             return amp::avg_pool2d(
                 x[0], 3,
                 {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false});
           }},
          {{{2, 3, 20, 19}},
           [](const Tensors& x) {
             return amp::avg_pool2d(x[0], 3, {.stride = 2, .padding = 1, .ceil_mode = true});
           }},
          {{{2, 3, 7, 9, 8}},
           [](const Tensors& x) { return amp::avg_pool3d(x[0], 2, {.divisor_override = 3}); }},
          {{{2, 3, 17, 19}},
           [](const Tensors& x) {
             return amp::adaptive_avg_pool2d(x[0], {5, std::nullopt});
           }},
          {{{2, 3, 7, 9, 8}},
           [](const Tensors& x) {
             return amp::adaptive_avg_pool3d(x[0], {3, 10, 1});
           }},
          {{{2, 3, 7, 9, 8}},
           [](const Tensors& x) {
             return amp::adaptive_max_pool3d(x[0], {3, 10, 1});
           }},
          {{{2, 3, 7, 9}},
           [](const Tensors& x) {
             return amp::adaptive_max_pool2d_with_indices(x[0], 4).indices.to(amp::kFloat32) *
                    amp::sum(x[0]);
           }},
      },
      true);
}

TEST_CASE("cuda windows: patches and their sums", "[cuda]") {
  check(
      {
          {{{3, 5, 17, 16}}, [](const Tensors& x) { return amp::unfold(x[0], 3, {.padding = 1}); }},
          {{{2, 3, 9, 11}},
           [](const Tensors& x) {
             return amp::unfold(x[0], {2, 3}, {.dilation = {1, 2}, .padding = {1, 0}, .stride = 2});
           }},
          {{{3, 45, 272}},
           [](const Tensors& x) {
             return amp::fold(x[0], {17, 16}, 3, {.padding = 1});
           }},
      },
      true);
}

}  // namespace
}  // namespace cuda_windows
