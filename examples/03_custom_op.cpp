// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Custom ops. One is composed of amp's ops and gets its own policy, so that autocast treats it like
// matmul; the other defines its backward pass, which is compared with finite differences and with
// the gradient of the composed formula.
#include <amp/amp.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

using amp::Tensor;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "03_custom_op: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

double largest_difference(const Tensor& a, const Tensor& b) {
  return amp::max(amp::abs(a.detach() - b.detach())).item<double>();
}

/// silu(x gate^T) * (x up^T), the gated unit of Shazeer 2020, arXiv 2002.05202: one op to autocast.
Tensor gated_linear(const Tensor& input, const Tensor& gate, const Tensor& up) {
  return amp::autocast_call(
      "gated_linear",
      [](const Tensor& x, const Tensor& g, const Tensor& u) {
        return amp::silu(amp::linear(x, g)) * amp::linear(x, u);
      },
      input, gate, up);
}

/// log(sum(exp(x))) over the last dimension, shifted by the maximum so that nothing overflows. Its
/// derivative is softmax(x), which is better computed directly than through maximum, exp and log.
Tensor log_sum_exp(const Tensor& input) {
  return amp::autocast_call(
      "log_sum_exp",
      [](const Tensor& differentiable) {
        return amp::custom_function(
            [](const Tensor& x) {
              const Tensor highest = amp::max(x, -1, true).values;
              const Tensor sums = amp::sum(amp::exp(x - highest), -1, true);
              return std::pair{(amp::log(sums) + highest).squeeze(-1), [x](const Tensor& grad) {
                                 return std::array{grad.unsqueeze(-1) * amp::softmax(x, -1)};
                               }};
            },
            differentiable);
      },
      input);
}

void show_policy() {
  const Tensor x = amp::randn({8, 16});
  const Tensor gate = amp::randn({32, 16}, {.requires_grad = true});
  const Tensor up = amp::randn({32, 16}, {.requires_grad = true});
  const Tensor exact = gated_linear(x, gate, up);  // outside a scope: just the function
  Tensor y, scores;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    y = gated_linear(x, gate, up);
    scores = log_sum_exp(y);
  }
  const double share = largest_difference(y, exact) / amp::max(amp::abs(exact)).item<double>();
  std::printf("gated_linear: %s outside, %s in the scope, %.1e of the largest value apart\n",
              amp::to_string(exact.dtype()).c_str(), amp::to_string(y.dtype()).c_str(), share);
  expect(exact.dtype() == amp::kFloat32 && y.dtype() == amp::kFloat16, "the policy is applied");
  expect(share < 2e-3, "float16 and float32 agree");

  std::printf("log_sum_exp of it: %s\n", amp::to_string(scores.dtype()).c_str());
  expect(scores.dtype() == amp::kFloat32, "log_sum_exp computes in float32");
  amp::sum(scores).backward();
  expect(gate.grad().dtype() == amp::kFloat32, "gradients return in the dtype of the weights");
}

void show_backward() {
  const Tensor x = amp::randn({4, 5}, {.dtype = amp::kFloat64, .requires_grad = true});
  const Tensor weights = amp::randn({4}, {.dtype = amp::kFloat64});
  amp::sum(log_sum_exp(x) * weights).backward();
  const Tensor own = x.grad().clone();

  x.set_grad(Tensor());
  amp::sum(amp::log(amp::sum(amp::exp(x), -1)) * weights).backward();
  const double from_composed = largest_difference(own, x.grad());

  const double h = 1e-6;  // about the cube root of float64's epsilon, best for central differences
  const std::vector<double> start = x.to_vector<double>();
  const auto value_at = [&](std::size_t i, double step) {
    std::vector<double> moved = start;
    moved[i] += step;
    return amp::sum(log_sum_exp(amp::tensor(moved, x.shape())) * weights).item<double>();
  };
  std::vector<double> slopes;
  for (std::size_t i = 0; i < start.size(); ++i)
    slopes.push_back((value_at(i, h) - value_at(i, -h)) / (2 * h));
  const double from_slopes = largest_difference(own, amp::tensor(slopes, x.shape()));

  std::printf("its gradient: %.1e from the composed op's, %.1e from finite differences\n",
              from_composed, from_slopes);
  expect(from_composed < 1e-12, "the gradient is that of the composed op");
  expect(from_slopes < 1e-8, "the gradient is the slope");

  const double large = log_sum_exp(amp::full({3}, 1000)).item<double>();
  expect(std::abs(large - (1000 + std::log(3.0))) < 1e-3, "large inputs do not overflow");
}

}  // namespace

int main() try {
  amp::register_op("gated_linear", amp::OpPolicy::kLowPrecision);
  amp::register_op("log_sum_exp", amp::OpPolicy::kFloat32);
  amp::manual_seed(3);
  show_policy();
  show_backward();
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
