// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The rows of the families of ops: a row for each kernel.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "traffic/ops.hpp"
#include "traffic/table.hpp"

namespace traffic {

inline Tensor indices(const amp::Shape& shape, std::int64_t below) {
  return amp::randint(below, shape).to(kCUDA);
}

inline void families(Table& table) {
  using In = const std::vector<Tensor>&;
  const amp::Shape rows{64, 512};
  const Tensor x = half(rows), y = half(rows), images = half({8, 16, 16, 16});
  const Tensor places = indices(rows, 64), some = indices({48}, 64);
  const Tensor mask = amp::gt(amp::randn(rows), 0).to(kCUDA);
  const Tensor all = amp::ones(rows, {.dtype = amp::kBool}).to(kCUDA);
  const std::int64_t n = bytes_of(x), i = bytes_of(places);

  table.heading("Families of ops on float16, 64 x 512 (images 8 x 16 x 16 x 16), indices of int64");
  std::vector<OpRow> families = {
      // Functions of several tensors.
      {"addcmul", {x, y, half(rows)}, [](In v) { return amp::addcmul(v[0], v[1], v[2]); }, 2 * n},
      {"lerp", {x, y}, [](In v) { return amp::lerp(v[0], v[1], 0.25); }, 0},
      {"clamp", {x}, [](In v) { return amp::clamp(v[0], -1, 1); }, n},
      {"atan2", {x, y}, [](In v) { return amp::atan2(v[0], v[1]); }, 2 * n},
      {"huber_loss", {x, y}, [](In v) { return amp::huber_loss(v[0], v[1]); }, 2 * n},
      {"rotary_embedding",
       {x},
       [table = amp::rotary_table(amp::arange(64).to(kCUDA), 512)](In v) {
         return amp::rotary_embedding(v[0], table.cos, table.sin);
       },
       64 * 512 * 4},
      {"cdist",
       {half({64, 32}), half({48, 32})},
       [](In v) { return amp::cdist(v[0], v[1], 1); },
       64 * 48 * 2},
      // Folds.
      {"prod over rows", {x}, [](In v) { return amp::prod(v[0], 1); }, n},
      {"amax over columns", {x}, [](In v) { return amp::amax(v[0], 0); }, n},
      {"logsumexp over rows", {x}, [](In v) { return amp::logsumexp(v[0], 1); }, n},
      {"norm", {x}, [](In v) { return amp::norm(v[0]); }, n},
      // Elements that move by their coordinates.
      {"pad",
       {images},
       [](In v) {
         return amp::pad(v[0], {1, 1, 1, 1});
       },
       0},
      {"pad by reflection",
       {images},
       [](In v) {
         return amp::pad(v[0], {1, 1, 1, 1}, {.mode = amp::PadMode::kReflect});
       },
       0},
      {"flip", {x}, [](In v) { return amp::flip(v[0], {1}); }, 0},
      {"roll", {x}, [](In v) { return amp::roll(v[0], 3, 1); }, 0},
      {"repeat",
       {x},
       [](In v) {
         return amp::repeat(v[0], {2, 1});
       },
       0},
      {"repeat_interleave", {x}, [](In v) { return amp::repeat_interleave(v[0], 2, 0); }, 0},
      {"tril", {x}, [](In v) { return amp::tril(v[0]); }, 0},
      // By index.
      {"gather", {x, places}, [](In v) { return amp::gather(v[0], 0, v[1]); }, i},
      {"index_select", {x, some}, [](In v) { return amp::index_select(v[0], 0, v[1]); }, 48 * 8},
      {"scatter_add",
       {x, places, y},
       [](In v) { return amp::scatter_add(v[0], 0, v[1], v[2]); },
       i},
      {"index_add",
       {x, some, half({48, 512})},
       [](In v) { return amp::index_add(v[0], 0, v[1], v[2]); },
       48 * 8},
      {"masked_fill", {x, mask}, [](In v) { return amp::masked_fill(v[0], v[1], 0); }, n / 2},
      {"masked_select", {x, all}, [](In v) { return amp::masked_select(v[0], v[1]); }, n / 2},
      {.what = "nonzero",
       .inputs = {all},
       .op = [](In v) { return amp::nonzero(v[0]); },
       .backward = false},
      {.what = "bincount",
       .inputs = {places.reshape({64 * 512})},
       .op = [](In v) { return amp::bincount(v[0], {}, 64); },
       .backward = false},
      // Order and scans.
      {"sort of rows", {x}, [](In v) { return amp::sort(v[0], 1).values; }, 64 * 512 * 8},
      {"sort of one row",
       {half({1, 32768})},
       [](In v) { return amp::sort(v[0], 1).values; },
       64 * 512 * 8},
      {"topk", {x}, [](In v) { return amp::topk(v[0], 8, 1).values; }, 64 * 8 * 8},
      {"median of rows", {x}, [](In v) { return amp::median(v[0], 1).values; }, 64 * 8},
      {"cumsum along rows", {x}, [](In v) { return amp::cumsum(v[0], 1); }, 0},
      {"cumsum along columns", {x}, [](In v) { return amp::cumsum(v[0], 0); }, 0},
      {"cumprod along rows", {x}, [](In v) { return amp::cumprod(v[0], 1); }, 2 * n},
      {"cummax along rows", {x}, [](In v) { return amp::cummax(v[0], 1).values; }, i},
      {.what = "searchsorted",
       .inputs = {amp::sort(half({64})).values, x},
       .op = [](In v) { return amp::searchsorted(v[0], v[1]); },
       .backward = false},
      {.what = "histc",
       .inputs = {x},
       .op = [](In v) { return amp::histc(v[0], 16, -3, 3); },
       .backward = false},
      // Windows and images.
      {"max_pool1d",
       {half({8, 16, 256})},
       [](In v) { return amp::max_pool1d(v[0], 2); },
       8 * 16 * 128 * 4},
      {"avg_pool3d", {half({2, 4, 16, 16, 16})}, [](In v) { return amp::avg_pool3d(v[0], 2); }, 0},
      {"adaptive_avg_pool2d", {images}, [](In v) { return amp::adaptive_avg_pool2d(v[0], 3); }, 0},
      {"unfold", {images}, [](In v) { return amp::unfold(v[0], 3); }, 0},
      {"instance_norm", {images}, [](In v) { return amp::instance_norm(v[0]); }, n},
      {"interpolate, nearest",
       {images},
       [](In v) { return amp::interpolate(v[0], {.scale_factor = 2}); },
       0},
      {"interpolate, bilinear",
       {images},
       [](In v) {
         return amp::interpolate(v[0],
                                 {.scale_factor = 2, .mode = amp::InterpolateMode::kBilinear});
       },
       0},
      {"interpolate, bicubic, antialias",
       {images},
       [](In v) {
         return amp::interpolate(
             v[0], {.size = 8, .mode = amp::InterpolateMode::kBicubic, .antialias = true});
       },
       0},
      {"grid_sample",
       {images, (amp::rand({8, 16, 16, 2}) * 2.0 - 1.0).to(amp::kFloat16).to(kCUDA)},
       [](In v) { return amp::grid_sample(v[0], v[1]); },
       bytes_of(images) + 8 * 256 * 4},
      // Recurrent nets: the step after the products.
      {"lstm_cell",
       {half({32, 64}), half({32, 64}), half({32, 64}), half({256, 64}), half({256, 64}),
        half({256}), half({256})},
       [](In v) {
         return amp::lstm_cell(v[0], {v[1], v[2]}, v[3], v[4], v[5], v[6]).h;
       },
       0},
  };
  // Why a row has more launches or bytes, forward and backward.
  const std::string sorted = "indices are sorted first, so that sums have an order";
  const std::map<std::string, std::pair<std::string, std::string>> reasons = {
      {"addcmul", {"", "a pass for each gradient: what arrives is read three times"}},
      {"lerp", {"", "a pass for each gradient: what arrives is read twice"}},
      {"atan2", {"", "a pass for each gradient: all is read twice"}},
      {"huber_loss", {"losses are written, then read for their mean", "a pass for each gradient"}},
      {"rotary_embedding", {"the table, in float32; a pass for each half", "a pass for each half"}},
      {"cdist",
       {"points and distances in float32", "points and distances in float32; a pass for each"}},
      {"prod over rows", {"", "the products of the others: the input is read twice"}},
      {"amax over columns", {"", "equal elements are counted first"}},
      {"gather", {"", sorted}},
      {"index_select", {"less: rows not asked for are not read", sorted}},
      {"scatter_add", {sorted, "a copy for the input"}},
      {"index_add", {sorted, "a copy for the input"}},
      {"masked_select", {"the mask is counted first", "the mask again; zeros are written first"}},
      {"nonzero", {"the mask is counted first", ""}},
      {"bincount", {"the range of the values first; sorted, as index_add", ""}},
      {"sort of rows", {"positions, 8 bytes each", "zeros are written first"}},
      {"sort of one row",
       {"keys and positions are sorted in four passes of CUB, and written before and after",
        "zeros are written first"}},
      {"topk", {"positions, 8 bytes each", "zeros are written first"}},
      {"median of rows", {"positions, 8 bytes each", "zeros are written first"}},
      {"cumprod along rows",
       {"", "the products before each element are computed again, in float32"}},
      {"cummax along rows", {"positions, 8 bytes each", ""}},
      {"histc", {"bins are cleared, counted and converted", ""}},
      {"max_pool1d", {"positions for backward, 4 bytes each", ""}},
      {"interpolate, nearest", {"", "the windows of the transposed sum, first"}},
      {"interpolate, bilinear", {"weights first", "weights and their windows first"}},
      {"interpolate, bicubic, antialias", {"weights first", "weights and their windows first"}},
      {"grid_sample",
       {"", "sums over the grid in float32, in order; gradients of images and grid apart"}},
      {"lstm_cell",
       {"gates are written, and read by the step",
        "gradients of gates, biases and products apart"}},
  };
  for (OpRow& row : families) {
    if (const auto found = reasons.find(row.what); found != reasons.end())
      std::tie(row.why_forward, row.why_backward) = found->second;
    report(table, row);
  }
}

}  // namespace traffic
