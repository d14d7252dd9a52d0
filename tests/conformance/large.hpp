// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of the ops on inputs large enough to be cut into blocks and shared among threads, which the
// golden cases are not. No expected values: the same op in float64 is the reference, and itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "conformance/calls.hpp"

namespace conformance {

enum class Domain { kAny, kPositive, kUnit };

/// As OpCase; the numbers are made by `large_values`, indices by a similar rule below `classes`.
struct LargeCase {
  std::string_view op;
  std::vector<std::vector<std::int64_t>> inputs;
  std::vector<double> attributes = {};
  std::vector<std::int64_t> index_shape = {};
  std::int64_t classes = 0;
  std::size_t constants = 0;  // how many of the inputs are not differentiated: the last ones
  Domain domain = Domain::kAny;
};

inline const std::vector<LargeCase>& large_cases() {
  using enum Domain;
  static const std::vector<LargeCase> cases = {
      {"matmul", {{150, 130}, {130, 140}}},
      {"matmul", {{3, 40, 50}, {50, 60}}},
      {"bmm", {{6, 40, 30}, {6, 30, 50}}},
      {"linear", {{70, 90}, {110, 90}, {110}}},
      {"conv2d", {{3, 4, 20, 20}, {6, 4, 3, 3}, {6}}, {1, 1, 1, 1, 1, 1, 1}},
      {"conv2d", {{2, 4, 19, 20}, {6, 2, 3, 2}, {6}}, {2, 1, 2, 1, 1, 2, 2}},
      {"conv2d(relu)", {{3, 4, 20, 20}, {6, 4, 3, 3}, {6}}, {1, 1, 1, 1, 1, 1, 1}},
      {"add", {{70, 90}, {70, 90}}},
      {"mul", {{7, 1, 90}, {80, 1}}},
      {"div", {{5000}, {5000}}, {}, {}, 0, 0, kPositive},
      {"gelu", {{70, 90}}},
      {"gelu(x, tanh)", {{70, 90}}},
      {"silu", {{70, 90}}},
      {"log1p", {{70, 90}}, {}, {}, 0, 0, kPositive},
      {"rsqrt", {{70, 90}}, {}, {}, 0, 0, kPositive},
      {"pow", {{90, 70}, {70}}, {}, {}, 0, 0, kPositive},
      {"pow(number, x)", {{70, 90}}, {1.5}},
      {"max(a, b)", {{70, 90}, {90}}},
      {"min(a, b)", {{70, 1}, {90}}},
      {"where", {{70, 90}, {90}}, {}, {70, 1}, 2},
      {"sum", {{200, 300}}},
      {"sum(x, dim)", {{200, 300}}, {0, 0}},
      {"sum(x, dim)", {{30, 40, 50}}, {1, 1}},
      {"mean", {{200, 300}}},
      {"mean(x, dim)", {{200, 300}}, {1, 0}},
      {"var", {{200, 300}}, {1, 1, 0}},
      {"var", {{30, 40, 50}}, {1, 0, 1}},
      {"max", {{200, 300}}},
      {"min", {{200, 300}}},
      {"max(x, dim)", {{200, 300}}, {0, 0}},
      {"min(x, dim)", {{200, 300}}, {1, 1}},
      {"max(x, dim)", {{30, 40, 50}}, {1, 0}},
      {"argmax", {{200, 300}}},
      {"argmax(x, dim)", {{30, 40, 50}}, {1, 0}},
      {"sum(x, dims)", {{30, 40, 50}}, {0, 0, 2}},
      {"mean(x, dims)", {{30, 40, 50}}, {1, 1, 2}},
      {"var(x)", {{200, 300}}},
      {"var(x, dims)", {{30, 40, 50}}, {1, 0, 0, 2}},
      {"std(x, dims)", {{30, 40, 50}}, {1, 1, 1}},
      {"std(x, dims)", {{200, 300}}, {0, 0, 0}},
      {"amax", {{200, 300}}},
      {"amax(x, dims)", {{30, 40, 50}}, {0, 0, 2}},
      {"amin(x, dims)", {{200, 300}}, {1, 0}},
      {"prod(x, dim)", {{5, 300}}, {0, 0}, {}, 0, 0, kPositive},
      {"prod(x, dim)", {{300, 5}}, {1, 1}, {}, 0, 0, kPositive},
      {"logsumexp(x, dims)", {{200, 300}}, {0, 1}},
      {"logsumexp(x, dims)", {{30, 40, 50}}, {1, 0, 2}},
      {"norm", {{200, 300}}},
      {"norm(x, p, dims)", {{30, 40, 50}}, {2, 0, 1}},
      {"norm(x, p, dims)", {{30, 40, 50}}, {3, 1, 0, 2}},
      {"norm(x, p, dims)", {{200, 300}}, {1.5, 0, 0}},
      {"norm(x, p, dims)", {{200, 300}}, {std::numeric_limits<double>::infinity(), 0, 1}},
      {"normalize", {{200, 300}}, {2, 1e-12, 1}},
      {"max_pool2d", {{4, 5, 31, 30}}, {3, 2, 2, 2, 1, 1}},
      {"avg_pool2d", {{4, 5, 31, 30}}, {3, 2, 2, 2, 1, 1}},
      {"softmax", {{200, 300}}, {1}},
      {"softmax", {{30, 40, 50}}, {1}},
      {"log_softmax", {{200, 300}}, {0}},
      {"layer_norm", {{200, 130}, {130}, {130}}, {1e-5, 130}},
      {"layer_norm", {{4, 30, 50}, {30, 50}, {30, 50}}, {1e-5, 30, 50}},
      {"rms_norm", {{200, 130}, {130}}, {1e-5, 130}},
      {"group_norm", {{5, 12, 9, 11}, {12}, {12}}, {3, 1e-5}},
      {"batch_norm",
       {{20, 6, 9, 11}, {6}, {6}, {6}, {6}},
       {1, 0.1, 1e-5, 2, 1},
       {},
       0,
       2,
       kPositive},
      {"batch_norm",
       {{20, 6, 9, 11}, {6}, {6}, {6}, {6}},
       {0, 0.1, 1e-5, 2, 1},
       {},
       0,
       2,
       kPositive},
      {"batch_norm", {{400, 30}, {30}, {30}}, {1, 0.1, 1e-5, 2, 0}},
      {"cross_entropy", {{200, 130}}, {1, -100, 0.125}, {200}, 130},
      {"cross_entropy", {{200, 130}, {130}}, {1, 3, 0}, {200}, 130, 1, kPositive},
      {"cross_entropy", {{20, 30, 13}, {30}}, {2, 3, 0.25}, {20, 13}, 30, 1, kPositive},
      {"cross_entropy(probabilities)", {{200, 130}, {200, 130}}, {1, 0.125}, {}, 0, 0, kUnit},
      {"cross_entropy(probabilities)",
       {{20, 30, 13}, {20, 30, 13}, {30}},
       {2, 0.25},
       {},
       0,
       1,
       kUnit},
      {"nll_loss", {{200, 130}}, {1, 3, 0}, {200}, 130},
      {"nll_loss", {{20, 30, 13}, {30}}, {0, 3, 0}, {20, 13}, 30, 1, kPositive},
      {"mse_loss", {{200, 130}, {200, 130}}, {1}},
      {"binary_cross_entropy_with_logits", {{200, 130}, {200, 130}}, {1}, {}, 0, 0, kUnit},
      {"binary_cross_entropy_with_logits(input, target, options)",
       {{200, 130}, {200, 130}, {130}, {130}},
       {2, 1, 1},
       {},
       0,
       2,
       kUnit},
      {"scaled_dot_product_attention", {{2, 3, 70, 16}, {2, 3, 90, 16}, {2, 3, 90, 24}}, {1, 0}},
      {"scaled_dot_product_attention",
       {{2, 3, 70, 16}, {2, 3, 90, 16}, {2, 3, 90, 24}, {70, 90}},
       {0, 0.25}},
      {"scaled_dot_product_attention",
       {{2, 3, 70, 16}, {2, 3, 90, 16}, {2, 3, 90, 24}},
       {0, 0},
       {2, 1, 70, 90},
       2},
      {"dropout", {{200, 130}}, {0.25, 1}},
      {"embedding", {{50, 40}}, {}, {30, 20}, 50},
      {"index_select", {{50, 40, 6}}, {1}, {300}, 40},
      {"cat", {{40, 30}, {40, 50}, {40, 20}}, {1}},
      {"stack", {{40, 70}, {40, 70}, {40, 70}}, {1}},
      {"addcmul(default)", {{70, 90}, {90}, {70, 1}}},
      {"lerp", {{70, 90}, {70, 90}, {90}}},
      {"clamp(x, numbers)", {{70, 90}}, {-1, 1}},
      {"cdist(default)", {{60, 40}, {50, 40}}},
      {"rotary_embedding", {{3, 40, 60}}, {50, 0}},
      {"flip", {{70, 90}}, {0}},
      {"roll(x, shift)", {{70, 90}}, {777}},
      {"pad", {{6, 30, 40}}, {1, 0, 3, 4, 2, 1}},
      {"repeat", {{40, 90}}, {2, 1, 3}},
      {"repeat_interleave(x, n, dim)", {{70, 90}}, {3, 1}},
      {"tril", {{150, 90}}, {5}},
      {"gather", {{70, 90}}, {0}, {60, 80}, 70},
      {"scatter_add", {{40, 90}, {60, 80}}, {0}, {60, 80}, 40},
      {"index_add", {{40, 90}, {60, 90}}, {0, 1}, {60}, 40},
      {"masked_select", {{70, 90}}, {}, {70, 90}, 2},
      {"sort(x, numbers)", {{30, 700}}, {1, 0}},
      {"topk(x, numbers)", {{30, 700}}, {20, 1, 1}},
      {"median(x, dim)", {{30, 301}}, {1, 0}},
      {"cumsum(x, dim)", {{40, 300}}, {1}},
      {"cumsum(x, dim)", {{300, 40}}, {0}},
      {"logcumsumexp(x, dim)", {{40, 300}}, {1}},
      {"cummax(x, dim)", {{40, 300}}, {1}},
      {"Tensor::reshape", {{70, 90}}, {90, 70}},
      {"Tensor::expand", {{70, 1}}, {30, 70, 90}},
  };
  return cases;
}

/// Multiples of 1/16: of either sign in [-2, 2], in [1/16, 65/16], or in [0, 1].
inline std::vector<double> large_values(std::size_t count, std::size_t seed, Domain domain) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto bits = static_cast<std::uint32_t>(i * 2654435761u + seed * 40503u + 12345u);
    bits ^= bits >> 15;
    bits *= 2246822519u;
    bits ^= bits >> 13;
    const auto number = static_cast<double>(domain == Domain::kUnit ? bits % 17 : bits % 65);
    values[i] = (number + (domain == Domain::kAny        ? -32
                           : domain == Domain::kPositive ? 1
                                                         : 0)) /
                16;
  }
  return values;
}

/// The case with its numbers, as the bindings take it.
inline OpCase op_case(const LargeCase& large) {
  const auto count = [](const std::vector<std::int64_t>& shape) {
    return static_cast<std::size_t>(amp::Shape(shape).numel());
  };
  OpCase result;
  result.op = large.op;
  result.attributes = large.attributes;
  for (std::size_t i = 0; i < large.inputs.size(); ++i) {
    const std::vector<std::int64_t>& shape = large.inputs[i];
    result.inputs.push_back({.shape = shape,
                             .values = large_values(count(shape), i + 1, large.domain),
                             .differentiated = i + large.constants < large.inputs.size()});
  }
  if (large.index_shape.empty()) return result;
  result.index_shape = large.index_shape;
  for (const double x : large_values(count(large.index_shape), 9, Domain::kPositive))
    result.index.push_back(large.classes == 0 ? 0
                                              : static_cast<std::int64_t>(x * 16) % large.classes);
  return result;
}

/// An incoming gradient for `output`: multiples of 1/16 in [-2, 2].
inline std::vector<double> large_incoming(const amp::Tensor& output) {
  return large_values(static_cast<std::size_t>(output.numel()), 7, Domain::kAny);
}

/// Outputs, and the gradients of the differentiated inputs (undefined for the others).
struct LargeResult {
  Tensors outputs, gradients;
};

inline LargeResult run_large(const LargeCase& large, const amp::Device& device, amp::DType dtype,
                             Layout layout = Layout::kContiguous) {
  const Call call(op_case(large), device, dtype, layout);
  LargeResult result;
  for (const amp::Tensor& output : call.outputs) result.outputs.push_back(output.detach());
  if (!call.outputs[0].requires_grad()) return result;
  const amp::Tensor& y = call.outputs[0];
  y.backward(amp::tensor(large_incoming(y), y.shape(), {.dtype = dtype, .device = device}));
  for (const Source& source : call.sources) result.gradients.push_back(source.gradient());
  return result;
}

}  // namespace conformance
