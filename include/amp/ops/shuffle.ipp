// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/shuffle.hpp"

namespace amp::inline v0 {
namespace detail {

/// Views [..., C, H, W] as [B, ...], with the dimensions of `cut` for C, H and W, permutes these,
/// and merges them to three.
AMP_LAZY Tensor shuffle_pixels(const Tensor& input, std::initializer_list<std::int64_t> cut,
                               std::initializer_list<std::int64_t> order, const Shape& result) {
  Shape parts(std::int64_t{1});
  for (int d = 0; d < input.dim() - 3; ++d) parts[0] *= input.shape()[d];
  for (const std::int64_t extent : cut) parts.push_back(extent);
  return reshape(permute(reshape(input, parts), std::span(order.begin(), order.size())), result);
}
AMP_LAZY void check_pixels(std::string_view op, std::string_view argument, const Tensor& input,
                           std::int64_t factor) {
  check_defined(op, "input", input);
  AMP_CHECK(input.dim() >= 3, op, ": `input` must be [..., C, H, W], but is ", describe(input));
  AMP_CHECK(factor > 0 && factor < (std::int64_t{1} << 31), op, ": `", argument,
            "` must be positive, but is ", factor);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor pixel_shuffle(const Tensor& input, std::int64_t upscale_factor) {
  const std::int64_t r = upscale_factor;
  detail::check_pixels("pixel_shuffle", "upscale_factor", input, r);
  const int n = input.dim();
  const std::int64_t c = input.size(-3) / (r * r), h = input.size(-2), w = input.size(-1);
  AMP_CHECK(c * r * r == input.size(-3), "pixel_shuffle: `upscale_factor` ", r, ", squared, ",
            "must divide the channels of `input` ", describe(input));
  Shape result = input.shape();
  result[n - 3] = c;
  result[n - 2] = h * r;
  result[n - 1] = w * r;
  return autocasting::call(
      "pixel_shuffle",
      [&](const Tensor& x) {
        return detail::shuffle_pixels(x, {c, r, r, h, w}, {0, 1, 4, 2, 5, 3}, result);
      },
      input);
}
AMP_LAZY_DEFINITION Tensor pixel_unshuffle(const Tensor& input, std::int64_t downscale_factor) {
  const std::int64_t r = downscale_factor;
  detail::check_pixels("pixel_unshuffle", "downscale_factor", input, r);
  const int n = input.dim();
  const std::int64_t c = input.size(-3), h = input.size(-2) / r, w = input.size(-1) / r;
  AMP_CHECK(h * r == input.size(-2) && w * r == input.size(-1),
            "pixel_unshuffle: `downscale_factor` ", r, " must divide height and width of `input` ",
            describe(input));
  Shape result = input.shape();
  result[n - 3] = c * r * r;
  result[n - 2] = h;
  result[n - 1] = w;
  return autocasting::call(
      "pixel_unshuffle",
      [&](const Tensor& x) {
        return detail::shuffle_pixels(x, {c, h, r, w, r}, {0, 1, 3, 5, 2, 4}, result);
      },
      input);
}

AMP_LAZY_DEFINITION Tensor channel_shuffle(const Tensor& input, std::int64_t groups) {
  detail::check_defined("channel_shuffle", "input", input);
  AMP_CHECK(input.dim() >= 3, "channel_shuffle: `input` must be [N, C, ...], but is ",
            describe(input));
  AMP_CHECK(groups > 0 && input.size(1) % groups == 0, "channel_shuffle: `groups` ", groups,
            " must divide the channels of `input` ", describe(input));
  Shape parts(input.size(0), groups, input.size(1) / groups, std::int64_t{1});
  for (int d = 2; d < input.dim(); ++d) parts[3] *= input.shape()[d];
  return autocasting::call(
      "channel_shuffle",
      [&](const Tensor& x) {
        return detail::reshape(detail::transpose(detail::reshape(x, parts), 1, 2), x.shape());
      },
      input);
}

}  // namespace amp::inline v0
