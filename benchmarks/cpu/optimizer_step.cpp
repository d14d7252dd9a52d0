// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// adam-resnet50, the whole optimizer step: check, norm, clip, Adam and the bfloat16 copies of the
// weights. Its variant `ideal` is the time to move the least bytes of a step at the bandwidth of a
// loop that scales the gradients in place: 34 bytes for each parameter. The gradient is read twice,
// the weight and two moments are read and written, and the copy is written.
#include <cmath>
#include <memory>

#include "memory.hpp"
#include "on_amp.hpp"

namespace cpu_benchmark {
namespace {

[[gnu::noinline]] void scale_in_place(float* x, std::int64_t n, float factor) {
  for (std::int64_t i = 0; i < n; ++i) x[i] *= factor;
}

struct OptimizerStep {
  OptimizerStep(const std::vector<std::int64_t>& sizes, amp::AdamOptions options)
      : parameters(leaves(sizes)), optimizer(parameters, options), scaler({.init_scale = 1}) {
    scaler.scale(amp::ones({}));
  }
  static std::vector<amp::Tensor> leaves(const std::vector<std::int64_t>& sizes) {
    amp::manual_seed(1);
    std::vector<amp::Tensor> all;
    for (const std::int64_t n : sizes) {
      all.push_back(amp::randn({n}, {.requires_grad = true}));
      all.back().set_grad(amp::randn({n}));
    }
    return all;
  }
  /// Uses each weight's copy, as the forward pass of a loop with autocast does.
  void use_copies() const {
    for (const amp::Tensor& p : parameters)
      copies = amp::detail::low_precision_copy(p, amp::kBFloat16).tensor;
    copies = {};
  }
  amp::Tensor step() {
    const amp::Tensor norm = scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
    return norm;
  }

  std::vector<amp::Tensor> parameters;
  amp::Adam optimizer;
  amp::GradScaler scaler;
  mutable amp::Tensor copies;
};

/// Checks the first step, element by element in double.
void verify(const std::vector<std::int64_t>& sizes) {
  OptimizerStep training(sizes, {.lr = 1e-2});
  std::vector<std::vector<float>> weights, gradients;
  double squares = 0;
  for (const amp::Tensor& p : training.parameters) {
    weights.push_back(p.to_vector<float>());
    gradients.push_back(p.grad().to_vector<float>());
    for (const float g : gradients.back()) squares += static_cast<double>(g) * g;
  }
  training.use_copies();
  const auto norm = training.step().item<double>();
  require(std::abs(norm / std::sqrt(squares) - 1) < 1e-5, "the norm");
  const auto refreshes = amp::autocast_cache_stats().refreshes;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const auto copy = amp::detail::low_precision_copy(training.parameters[t], amp::kBFloat16)
                          .tensor.to_vector<amp::bfloat16>();
    const float* const now = training.parameters[t].const_data<float>();
    for (std::size_t i = 0; i < weights[t].size(); i += 1 + weights[t].size() / 1000) {
      const double g = gradients[t][i] / norm;
      const double expected = weights[t][i] - 1e-2 * g / (std::abs(g) + 1e-8);
      require(std::abs(now[i] - expected) < 1e-5, "a weight");
      require(copy[i].bits() == amp::bfloat16(now[i]).bits(), "a copy");
    }
  }
  require(amp::autocast_cache_stats().refreshes == refreshes, "a copy was cast again");
}

struct Loop {
  explicit Loop(const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t n : sizes) gradients.push_back(amp::ones({n}));
    shares = shares_of(gradients);
  }
  void operator()() {
    on_threads(shares, [&](float* x, std::int64_t n) { scale_in_place(x, n, factor); });
    factor = 1 / factor;  // so that the numbers do not grow
  }

  std::vector<amp::Tensor> gradients;
  std::vector<std::vector<Piece>> shares;
  float factor = 2;
};

constexpr double kBytesOfLoop = 8, kBytesOfStep = 34;

}  // namespace

std::optional<Workload> load_optimizer_step(const Request& request) {
  if (request.name != "adam-resnet50" || request.precision != "bf16") return {};
  if (request.variant == "ideal") {
    const auto loop = std::make_shared<Loop>(resnet50());
    return Workload{.call = [loop] { (*loop)(); }, .count = kBytesOfLoop / kBytesOfStep};
  }
  verify(resnet50());
  const auto training = std::make_shared<OptimizerStep>(resnet50(), amp::AdamOptions{.lr = 1e-4});
  return Workload{.call = [training] {
    training->use_copies();
    training->step();
  }};
}

}  // namespace cpu_benchmark
