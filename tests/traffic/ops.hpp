// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The rows of the ops of training loops: elementwise functions, reductions, norms, losses, pools.
#pragma once

#include "traffic/table.hpp"

namespace traffic {

inline Tensor half(const amp::Shape& shape) {
  return amp::randn(shape).to(amp::kFloat16).to(kCUDA);
}

inline void ops(Table& table) {
  using In = const std::vector<Tensor>&;
  const amp::Shape rows{64, 512}, images{8, 16, 16, 16};
  const Tensor x = half(rows), vector = half({512}), image = half(images), channel = half({16});
  const std::int64_t n = bytes_of(x);
  Tensor targets = amp::zeros({64}, {.dtype = amp::kInt64, .device = kCUDA});

  table.heading("Ops on float16, 64 x 512 (images 8 x 16 x 16 x 16)");
  const std::vector<OpRow> all = {
      {"add",
       {x, half(rows)},
       [](In v) { return amp::add(v[0], v[1]); },
       0,
       "",
       "each leaf gets a copy of the gradient"},
      {"mul",
       {x, half(rows)},
       [](In v) { return amp::mul(v[0], v[1]); },
       2 * n,
       "",
       "a kernel for each gradient: what arrives is read twice"},
      {"add a vector",
       {x, vector},
       [](In v) { return amp::add(v[0], v[1]); },
       0,
       "",
       "a copy for one leaf, a sum for the other: what arrives is read twice"},
      {"relu", {x}, [](In v) { return amp::relu(v[0]); }, n},
      {"gelu", {x}, [](In v) { return amp::gelu(v[0]); }, n},
      {"dropout", {x}, [](In v) { return amp::dropout(v[0], 0.5, true); }, 0},
      {"dropout_add",
       {x, half(rows)},
       [](In v) { return amp::dropout_add(v[0], v[1], 0.5, true); },
       0,
       "",
       "a copy of the gradient for the residual's leaf"},
      {"to float32", {x}, [](In v) { return v[0].to(amp::kFloat32); }, 0},
      {"sum", {x}, [](In v) { return amp::sum(v[0]); }, 0, "the sums of parts, then theirs"},
      {"mean over rows",
       {x},
       [](In v) { return amp::mean(v[0], 1); },
       0,
       "",
       "scaled first, then spread"},
      {"var of rows",
       {x},
       [](In v) { return amp::var(v[0], 1); },
       n + 64 * 4,
       "means for backward, 4 bytes each"},
      {"var of columns",
       {x},
       [](In v) { return amp::var(v[0], 0); },
       n + 512 * 4,
       "means for backward, 4 bytes each"},
      {"softmax", {x}, [](In v) { return amp::softmax(v[0], 1); }, n},
      {"log_softmax", {x}, [](In v) { return amp::log_softmax(v[0], 1); }, n},
      {"softmax of columns", {x}, [](In v) { return amp::softmax(v[0], 0); }, n},
      {"layer_norm",
       {x, vector, half({512})},
       [](In v) { return amp::layer_norm(v[0], {512}, v[1], v[2]); },
       n + 512,
       "",
       "gradients of weight and bias: a sum per block, then theirs"},
      {"rms_norm",
       {x, vector},
       [](In v) { return amp::rms_norm(v[0], {512}, v[1]); },
       n + 256,
       "",
       "the gradient of the weight: a sum per block, then theirs"},
      {"layer_norm of long rows",
       {half({32, 16384}), half({16384}), half({16384})},
       [](In v) { return amp::layer_norm(v[0], {16384}, v[1], v[2]); },
       32 * 32768 + 32768,
       "",
       "no block holds a row: gradient and input are read again for sums, then theirs"},
      {"batch_norm",
       {image, channel, half({16})},
       [](In v) { return amp::batch_norm(v[0], Tensor(), Tensor(), v[1], v[2], true); },
       bytes_of(image),
       "statistics first: the input is read twice",
       "sums first: gradient and input are read twice"},
      {"cross_entropy",
       {x, targets},
       [](In v) { return amp::cross_entropy(v[0], v[1]); },
       n + 512,
       "rows, then their mean"},
      {"cross_entropy of images",
       {image, amp::zeros({8, 16, 16}, {.dtype = amp::kInt64, .device = kCUDA})},
       [](In v) { return amp::cross_entropy(v[0], v[1]); },
       bytes_of(image) + 8 * 256 * (4 + 8),
       "pixels, then their mean; losses and logarithms of pixels, for it and for backward"},
      {"max of rows",
       {x},
       [](In v) { return (amp::max)(v[0], 1).values; },
       64 * 8,
       "positions for backward, 8 bytes each"},
      {"max of columns",
       {x},
       [](In v) { return (amp::max)(v[0], 0).values; },
       512 * 8,
       "positions for backward, 8 bytes each"},
      {.what = "argmax",
       .inputs = {x},
       .op = [](In v) { return amp::argmax(v[0], 1); },
       .backward = false},
      {"max_pool2d",
       {image},
       [](In v) { return amp::max_pool2d(v[0], 2); },
       bytes_of(image) / 2,
       "positions for backward, 4 bytes each"},
      {"max_pool2d, 3 x 3",
       {image},
       [](In v) { return amp::max_pool2d(v[0], 3, 2, 1); },
       bytes_of(image) / 2,
       "positions for backward, 4 bytes each"},
      {"avg_pool2d", {image}, [](In v) { return amp::avg_pool2d(v[0], 2); }, 0},
      {"embedding",
       {amp::arange(64).to(kCUDA), half({100, 512})},
       [](In v) { return amp::embedding(v[0], v[1]); },
       512,
       "less: rows not asked for are not read",
       "indices are sorted first, so that sums have an order"},
      {"cat",
       {x, half(rows)},
       [](In v) {
         return amp::cat({v[0], v[1]}, 0);
       },
       0,
       "a copy for each",
       "a copy for each"},
  };
  for (const OpRow& row : all) report(table, row);
}

}  // namespace traffic
