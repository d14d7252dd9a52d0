// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a piece of work costs on the device, and the table of costs.
#pragma once

#include <amp/amp.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/cuda/standin.hpp"
#include "traffic/accesses.hpp"

namespace traffic {

using amp::kCUDA;
using amp::Tensor;

/// What a piece of work costs.
struct Cost {
  std::int64_t launches = 0;
  Bytes bytes;
};

inline Cost cost_of(const std::function<void()>& work) {
  standin::toolkit().reset();
  Meter::instance().reset();
  work();
  return {standin::toolkit().counters.launches, Meter::instance().bytes()};
}

inline std::int64_t bytes_of(const Tensor& x) { return x.numel() * amp::item_size(x.dtype()); }
inline std::int64_t bytes_of(const std::vector<Tensor>& tensors) {
  std::int64_t sum = 0;
  for (const Tensor& x : tensors) sum += bytes_of(x);
  return sum;
}

class Table {
 public:
  void heading(std::string_view text) {
    text_ += "\n## " + std::string(text) +
             "\n\n| what | launches | fewest | bytes moved | fewest | ratio | asked / moved | why "
             "more |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  }
  void row(std::string_view what, const Cost& cost, std::int64_t launches, std::int64_t bytes,
           std::string_view why) {
    const auto moved = cost.bytes.moved();
    char line[512];
    std::snprintf(
        line, sizeof line, "| %s | %lld | %lld | %lld | %lld | %.2f | %.2f | %s |\n",
        std::string(what).c_str(), static_cast<long long>(cost.launches),
        static_cast<long long>(launches), static_cast<long long>(moved),
        static_cast<long long>(bytes),
        bytes == 0 ? 1.0 : static_cast<double>(moved) / static_cast<double>(bytes),
        moved == 0 ? 0.0 : static_cast<double>(cost.bytes.asked()) / static_cast<double>(moved),
        std::string(why).c_str());
    text_ += line;
  }
  void note(const std::string& text) { text_ += "\n" + text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Runs an op forward and backward and reports both. The fewest bytes: what goes in, and what comes
/// out; backward those of `saved` besides both gradients.
struct OpRow {
  std::string what;
  std::vector<Tensor> inputs;  // those that are floating point get gradients
  std::function<Tensor(const std::vector<Tensor>&)> op;
  std::int64_t saved = 0;  // bytes that backward has to read besides the gradient
  std::string why_forward = {}, why_backward = {};
  std::int64_t launches_forward = 1, launches_backward = 1;
  bool backward = true;
};

inline void report(Table& table, const OpRow& row) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : row.inputs) {
    leaves.push_back(x.detach());
    if (row.backward && amp::is_floating_point(x.dtype())) leaves.back().requires_grad_();
  }
  (void)row.op(leaves);  // makes handles and memory
  Tensor y;
  const Cost forward = cost_of([&] { y = row.op(leaves); });
  table.row(row.what, forward, row.launches_forward, bytes_of(leaves) + bytes_of(y),
            row.why_forward);
  if (!row.backward) return;
  const Tensor grad = amp::ones(y.shape(), {.dtype = y.dtype(), .device = kCUDA});
  const Cost backward = cost_of([&] { y.backward(grad); });
  std::int64_t least = bytes_of(grad) + row.saved;
  for (const Tensor& leaf : leaves) {
    if (leaf.requires_grad()) least += bytes_of(leaf.grad());
  }
  table.row(row.what + ", backward", backward, row.launches_backward, least, row.why_backward);
}

}  // namespace traffic
