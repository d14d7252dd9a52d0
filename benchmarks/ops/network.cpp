// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers of networks, and what moves, casts or joins tensors.
#include "ops.hpp"

namespace cpu_benchmark {

Ops network_ops() {
  return {
      {"avg_pool2d",
       [](const Inputs& x, const Numbers& n) { return amp::avg_pool2d(x.at(0), whole(n)); }},
      {"bmm", binary<amp::bmm>},
      {"cat", [](const Inputs& x, const Numbers& n) { return amp::cat(x, whole(n)); }},
      {"contiguous",  // of the input with its dimensions in the order of the numbers
       [](const Inputs& x, const Numbers& n) {
         const std::vector<std::int64_t> order(n.begin(), n.end());
         return x.at(0).permute(order).contiguous();
       }},
      {"conv2d",  // stride, padding and groups
       [](const Inputs& x, const Numbers& n) {
         return amp::conv2d(x.at(0), x.at(1), x.at(2),
                            {.stride = whole(n, 0), .padding = whole(n, 1), .groups = whole(n, 2)});
       }},
      {"dropout", [](const Inputs& x, const Numbers& n) { return amp::dropout(x.at(0), n.at(0)); }},
      {"embedding", binary<amp::embedding>},
      {"fill", [](const Inputs& x, const Numbers& n) { return x.at(0).fill_(n.at(0)); }},
      {"index_select",
       [](const Inputs& x, const Numbers& n) {
         return amp::index_select(x.at(0), whole(n), x.at(1));
       }},
      {"linear",
       [](const Inputs& x, const Numbers&) { return amp::linear(x.at(0), x.at(1), x.at(2)); }},
      {"matmul", binary<amp::matmul>},
      {"max_pool2d",
       [](const Inputs& x, const Numbers& n) { return amp::max_pool2d(x.at(0), whole(n)); }},
      {"scaled_dot_product_attention",  // causal, if the name has a number
       [](const Inputs& x, const Numbers& n) {
         return amp::scaled_dot_product_attention(x.at(0), x.at(1), x.at(2), {}, 0.0, !n.empty());
       }},
      {"stack", [](const Inputs& x, const Numbers& n) { return amp::stack(x, whole(n)); }},
      {"type_as",  // the first input in the dtype of the second
       [](const Inputs& x, const Numbers&) { return x.at(0).to(x.at(1).dtype()); }},
  };
}

}  // namespace cpu_benchmark
