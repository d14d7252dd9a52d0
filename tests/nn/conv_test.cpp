// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of one, two and three dimensions, transposed or not, with all options.
#include <amp/amp.hpp>

#include <string>

#include "nn/nets.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace conv_layers {
namespace {

namespace nn = amp::nn;
using amp::PadMode;
using amp::Tensor;
using amp_test::net;
using amp_test::Tensors;

constexpr auto kSame = amp::Padding::kSame;

Tensors sized(const nn::ConvTranspose1d& up, const Tensors& x) {
  return {up(x[0], amp::Size1d(6))};
}

}  // namespace

TEST_CASE("convolutions: all that torch computes, prints and saves", "[nn]") {
  amp_test::check_nets(
      "convolutions",
      {
          {"conv1d", net(nn::Conv1d(2, 3, 3))},
          {"conv1d without batch", net(nn::Conv1d(2, 2, 2, {.stride = 2, .bias = false}))},
          {"conv1d same", net(nn::Conv1d(2, 2, 4, {.padding = kSame, .dilation = 2}))},
          {"conv1d same reflect",
           net(nn::Conv1d(1, 2, 4, {.padding = kSame, .padding_mode = PadMode::kReflect}))},
          {"conv1d replicate",
           net(nn::Conv1d(2, 2, 3, {.padding = 2, .padding_mode = PadMode::kReplicate}))},
          {"conv2d circular",
           net(nn::Conv2d(1, 2, {2, 3}, {.padding = {1, 2}, .padding_mode = PadMode::kCircular}))},
          {"conv2d reflect",
           net(nn::Conv2d(1, 1, 3,
                          {.stride = 2, .padding = {2, 1}, .padding_mode = PadMode::kReflect}))},
          {"conv3d", net(nn::Conv3d(2, 2, 2))},
          {"conv3d with all options", net(nn::Conv3d(2, 4, {1, 2, 2},
                                                     {.stride = {1, 2, 1},
                                                      .padding = {0, 1, 1},
                                                      .dilation = {1, 1, 2},
                                                      .groups = 2,
                                                      .bias = false}))},
          {"conv3d circular",
           net(nn::Conv3d(1, 1, 2, {.padding = 1, .padding_mode = PadMode::kCircular}))},
          {"conv_transpose1d", net(nn::ConvTranspose1d(2, 3, 3))},
          {"conv_transpose1d sized",
           net(nn::ConvTranspose1d(2, 2, 3, {.stride = 2, .padding = 1}), sized)},
          {"conv_transpose2d", net(nn::ConvTranspose2d(2, 3, 4, {.stride = 2, .padding = 1}))},
          {"conv_transpose2d with all options", net(nn::ConvTranspose2d(2, 4, {2, 3},
                                                                        {.stride = {2, 1},
                                                                         .padding = {1, 0},
                                                                         .output_padding = {1, 0},
                                                                         .groups = 2,
                                                                         .bias = false,
                                                                         .dilation = {2, 1}}))},
          {"conv_transpose3d", net(nn::ConvTranspose3d(1, 2, 2, {.stride = 2}))},
      });
}

TEST_CASE("convolutions: padding that differs from end to end", "[nn]") {
  const nn::Conv1d causal(2, 3, 3, {.padding = {2, 0}});
  const nn::Conv1d wrapped(2, 3, 3, {.padding = {2, 0}, .padding_mode = PadMode::kCircular});
  const Tensor x = amp_test::numbers({1, 2, 5}, 1, amp::kFloat32);
  CHECK(causal(x).shape() == amp::Shape(1, 3, 5));
  const Tensor by_hand =
      amp::conv1d(amp::pad(x, {2, 0}, {.mode = PadMode::kCircular}), wrapped.weight, wrapped.bias);
  CHECK(amp_test::same_bits(wrapped(x), by_hand));
  CHECK(amp::nn::to_string(causal) ==
        "Conv1d(2, 3, kernel_size=(3,), stride=(1,), padding=((2,), (0,)))");
}

TEST_CASE("convolutions: weights are drawn from torch's range", "[nn]") {
  amp::manual_seed(1);
  const auto bound = [](const Tensor& x) { return amp::max(amp::abs(x)).item<double>(); };
  const nn::Conv3d conv(4, 64, 2, {.groups = 2});  // 2 * 8 inputs
  CHECK(bound(conv.weight) <= 0.25);
  CHECK(bound(conv.weight) > 0.24);
  CHECK(bound(conv.bias) > 0.2);
  const nn::ConvTranspose1d up(64, 8, 4, {.groups = 2});  // 4 * 4 outputs, as in torch
  CHECK(bound(up.weight) <= 0.25);
  CHECK(bound(up.weight) > 0.24);
}

TEST_CASE("convolutions: what cannot work is refused when they are made", "[nn]") {
  CHECK_THROWS_WITH((nn::Conv1d(3, 4, 3, {.groups = 2})),
                    "nn::Conv1d: `groups` 2 must divide the channels 3 and 4, of which there must "
                    "be at least 1");
  CHECK_THROWS_AS((nn::Conv2d(4, 4, 3, {.groups = 0})), amp::Error);
  CHECK_THROWS_AS(nn::Conv2d(0, 4, 3), amp::Error);
  CHECK_THROWS_AS(nn::Conv2d(-2, 4, 3), amp::Error);
  CHECK_THROWS_AS(nn::Conv3d(2, 4, 0), amp::Error);
  CHECK_THROWS_AS(nn::Conv3d(std::int64_t{1} << 60, std::int64_t{1} << 60, 9), amp::Error);
  CHECK_THROWS_AS((nn::Conv1d(2, 4, 3, {.stride = 0})), amp::Error);
  CHECK_THROWS_AS((nn::Conv1d(2, 4, 3, {.padding = -1})), amp::Error);
  CHECK_THROWS_AS((nn::Conv1d(2, 4, 3, {.padding = -1, .padding_mode = PadMode::kReflect})),
                  amp::Error);
  CHECK_THROWS_WITH((nn::Conv2d(2, 4, 3, {.stride = {1, 2}, .padding = kSame})),
                    "nn::Conv2d: with Padding::kSame the stride must be 1, but is {1, 2}");
  CHECK_THROWS_AS((nn::ConvTranspose2d(2, 4, 3, {.stride = 2, .output_padding = 2})), amp::Error);
  const nn::ConvTranspose1d up(2, 2, 3, {.stride = 2, .padding = 1});
  const Tensor x = amp::ones({1, 2, 3});
  CHECK_THROWS_AS(up(x, amp::Size1d(4)), amp::Error);
  CHECK_THROWS_AS(up(x, amp::Size1d(7)), amp::Error);
  CHECK_THROWS_AS(up(amp::ones({2}), amp::Size1d(5)), amp::Error);
  CHECK_THROWS_AS(up(Tensor(), amp::Size1d(5)), amp::Error);
  CHECK_THROWS_AS(nn::Conv1d()(x), amp::Error);
  CHECK_THROWS_AS(nn::Conv1d(2, 2, 3)(Tensor()), amp::Error);
}

}  // namespace conv_layers
