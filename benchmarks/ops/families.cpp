// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of several tensors, elements that move, order, scans, windows, images, recurrent nets.
// If there is a first number, it is the dimension.
#include "ops.hpp"

namespace cpu_benchmark {
namespace {

template <amp::InterpolateMode Mode>
Tensor twice_as_large(const Inputs& x, const Numbers&) {
  return amp::interpolate(x.at(0), {.scale_factor = 2, .mode = Mode});
}

/// The inputs after the first are the weights and biases of the layers, four of each.
Tensor lstm(const Inputs& x, const Numbers&) {
  const auto& input = x.at(0);
  const auto layers = static_cast<std::int64_t>(x.size() / 4);
  const Tensor state =
      amp::zeros({layers, input.size(1), x.at(2).size(1)}, {.dtype = input.dtype()});
  return amp::lstm(input, {state, state}, {x.begin() + 1, x.end()}, {.num_layers = layers}).output;
}

}  // namespace

Ops family_ops() {
  return {
      {"adaptive_avg_pool2d",
       [](const Inputs& x, const Numbers& n) {
         return amp::adaptive_avg_pool2d(x.at(0), whole(n));
       }},
      {"addcmul",
       [](const Inputs& x, const Numbers&) { return amp::addcmul(x.at(0), x.at(1), x.at(2)); }},
      {"cdist",
       [](const Inputs& x, const Numbers& n) { return amp::cdist(x.at(0), x.at(1), n.at(0)); }},
      {"clamp",
       [](const Inputs& x, const Numbers& n) { return amp::clamp(x.at(0), n.at(0), n.at(1)); }},
      {"conv1d",
       [](const Inputs& x, const Numbers&) { return amp::conv1d(x.at(0), x.at(1), x.at(2)); }},
      {"conv3d",
       [](const Inputs& x, const Numbers&) { return amp::conv3d(x.at(0), x.at(1), x.at(2)); }},
      {"conv_transpose2d",  // stride and padding
       [](const Inputs& x, const Numbers& n) {
         return amp::conv_transpose2d(x.at(0), x.at(1), x.at(2),
                                      {.stride = whole(n, 0), .padding = whole(n, 1)});
       }},
      {"cosine_similarity",
       [](const Inputs& x, const Numbers& n) {
         return amp::cosine_similarity(x.at(0), x.at(1), whole(n));
       }},
      {"cummax",
       [](const Inputs& x, const Numbers& n) { return amp::cummax(x.at(0), whole(n)).values; }},
      {"cumprod",
       [](const Inputs& x, const Numbers& n) { return amp::cumprod(x.at(0), whole(n)); }},
      {"cumsum", [](const Inputs& x, const Numbers& n) { return amp::cumsum(x.at(0), whole(n)); }},
      {"flip", [](const Inputs& x, const Numbers& n) { return amp::flip(x.at(0), whole(n)); }},
      {"gather",
       [](const Inputs& x, const Numbers& n) { return amp::gather(x.at(0), whole(n), x.at(1)); }},
      {"grid_sample",
       [](const Inputs& x, const Numbers&) { return amp::grid_sample(x.at(0), x.at(1)); }},
      {"huber_loss",
       [](const Inputs& x, const Numbers&) { return amp::huber_loss(x.at(0), x.at(1)); }},
      {"index_add",
       [](const Inputs& x, const Numbers& n) {
         return amp::index_add(x.at(0), whole(n), x.at(1), x.at(2));
       }},
      {"instance_norm",
       [](const Inputs& x, const Numbers&) { return amp::instance_norm(x.at(0)); }},
      {"interpolate_bicubic", twice_as_large<amp::InterpolateMode::kBicubic>},
      {"interpolate_bilinear", twice_as_large<amp::InterpolateMode::kBilinear>},
      {"interpolate_nearest", twice_as_large<amp::InterpolateMode::kNearest>},
      {"lerp",
       [](const Inputs& x, const Numbers& n) { return amp::lerp(x.at(0), x.at(1), n.at(0)); }},
      {"lstm", lstm},
      {"masked_fill", [](const Inputs& x,
                         const Numbers& n) { return amp::masked_fill(x.at(0), x.at(1), n.at(0)); }},
      {"masked_select", binary<amp::masked_select>},
      {"max_pool1d",
       [](const Inputs& x, const Numbers& n) { return amp::max_pool1d(x.at(0), whole(n)); }},
      {"outer", binary<amp::outer>},
      {"pad",  // by as many zeros on each side of the last two dimensions
       [](const Inputs& x, const Numbers& n) {
         const std::int64_t by = whole(n);
         return amp::pad(x.at(0), {by, by, by, by});
       }},
      {"repeat_interleave",
       [](const Inputs& x, const Numbers& n) {
         return amp::repeat_interleave(x.at(0), whole(n, 0), whole(n, 1));
       }},
      {"roll", [](const Inputs& x,
                  const Numbers& n) { return amp::roll(x.at(0), whole(n, 0), whole(n, 1)); }},
      {"scatter_add",
       [](const Inputs& x, const Numbers& n) {
         return amp::scatter_add(x.at(0), whole(n), x.at(1), x.at(2));
       }},
      {"smooth_l1_loss",
       [](const Inputs& x, const Numbers&) { return amp::smooth_l1_loss(x.at(0), x.at(1)); }},
      {"sort",
       [](const Inputs& x, const Numbers& n) { return amp::sort(x.at(0), whole(n)).values; }},
      {"topk",
       [](const Inputs& x, const Numbers& n) {
         return amp::topk(x.at(0), whole(n, 0), whole(n, 1)).values;
       }},
      {"tril", [](const Inputs& x, const Numbers&) { return amp::tril(x.at(0)); }},
      {"unfold", [](const Inputs& x, const Numbers& n) { return amp::unfold(x.at(0), whole(n)); }},
  };
}

}  // namespace cpu_benchmark
