// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The whole optimizer step: check, norm, clip, Adam and the bfloat16 copies of the weights, beside
// a loop that scales the gradients in place. "ideal_s" is what the fewest bytes of a step take at
// that loop's rate: 34 for each parameter, the gradient being read twice, the weight and two
// moments read and written, the copy written. "ratio" is ideal / step. AMP_BENCHMARK_STEPS: how
// many are measured.
#include <cmath>
#include <cstdlib>

#include "memory.hpp"

namespace cpu_benchmark {
namespace {

constexpr double kBytes = 34;

int steps_asked_for() {
  const char* const asked = std::getenv("AMP_BENCHMARK_STEPS");
  return asked != nullptr ? std::atoi(asked) : 15;
}

[[gnu::noinline]] void scale_in_place(float* x, std::int64_t n, float factor) {
  for (std::int64_t i = 0; i < n; ++i) x[i] *= factor;
}

struct Training {
  Training(const std::vector<std::int64_t>& sizes, amp::AdamOptions options)
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
  /// As a loop with autocast: each weight's copy was used by the forward pass.
  void use_copies() const {
    for (const amp::Tensor& p : parameters)
      copies = amp::detail::low_precision_copy(p, amp::kBFloat16);
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

/// The first step, element by element in double.
void verify(const std::vector<std::int64_t>& sizes) {
  Training training(sizes, {.lr = 1e-2});
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
                          .to_vector<amp::bfloat16>();
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

void run(benchmark::State& state, const std::vector<std::int64_t>& sizes) {
  verify(resnet50());
  Training training(sizes, {.lr = 1e-4});
  double count = 0;
  for (const std::int64_t n : sizes) count += static_cast<double>(n);
  std::vector<amp::Tensor> gradients;
  for (const amp::Tensor& p : training.parameters) gradients.push_back(p.grad());
  const auto shares = shares_of(gradients);
  std::vector<double> plains, passes, ratios;
  float factor = 2;
  const auto plain = [&] {
    on_threads(shares, [&](float* x, std::int64_t n) { scale_in_place(x, n, factor); });
    factor = 1 / factor;
  };
  for (int i = 0; i < 2; ++i) {
    plain();
    training.use_copies();
    training.step();
  }
  for (auto _ : state) {
    training.use_copies();
    const double before = seconds(plain);
    const double pass = seconds([&] { training.step(); });
    const double after = seconds(plain);
    state.SetIterationTime(pass);
    const double ideal = kBytes / 8 * (before + after) / 2;
    plains.push_back(ideal);
    passes.push_back(pass);
    ratios.push_back(ideal / pass);
  }
  report(state, ratios);
  state.counters["pass_s"] = quantile(passes, 0.5);
  state.counters["ideal_s"] = quantile(plains, 0.5);
  state.counters["GB/s"] = kBytes * count / quantile(passes, 0.5) * 1e-9;
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const char* name, const std::vector<std::int64_t>& sizes) {
    benchmark::RegisterBenchmark(name, [sizes](benchmark::State& state) { run(state, sizes); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(steps_asked_for());
  };
  add("step/resnet50", resnet50());
  add("step/100m", {100'000'000});
  return true;
}();

}  // namespace
}  // namespace cpu_benchmark

BENCHMARK_MAIN();
