// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training loop with a GradScaler, on any device.
#pragma once

#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace cuda_training {

using Tensors = std::vector<amp::Tensor>;
using Values = std::vector<std::vector<double>>;

inline constexpr std::size_t kSteps = 50, kSettled = 4;
inline constexpr double kEps = 1e-3;  // float16 moments underflow to 0, and are divided by it
constexpr bool bad_step(std::size_t i) { return i == 7 || i == 8 || i == 23 || i == 49; }

enum class Path { kStep, kUnscale, kClip };

/// What one run leaves behind.
struct Outcome {
  Values tensors;
  std::vector<float> norms;  // of all steps, if they were clipped
  amp::GradScalerState state;
};

/// Parameters in four dtypes, each trained on numbers of its own.
struct Problem {
  Tensors parameters, inputs, targets;
  amp::Tensor bad;  // instead of inputs[1]: what makes a step bad

  explicit Problem(amp::Device device) {
    amp::manual_seed(21);
    for (const amp::DType dtype :
         {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64, amp::kFloat32}) {
      const amp::Shape shape{static_cast<std::int64_t>(5 + 300 * parameters.size())};
      const auto draw = [&] { return amp::randn(shape).to(dtype).to(device); };
      parameters.push_back(draw().detach().requires_grad_());
      inputs.push_back(draw());
      targets.push_back(draw());
    }
    bad = inputs[1] * HUGE_VAL;
  }
  /// Of one parameter: elementwise up to the sum, so that gradients do not depend on its order.
  amp::Tensor loss(std::size_t p, std::size_t step) const {
    const amp::Tensor x = p == 1 && bad_step(step) ? bad : inputs[p];
    const amp::Tensor d = parameters[p] * x - targets[p];
    return amp::sum(d * d);
  }
};

/// Calls settled() after kSettled steps, and trained() after the last.
template <class Optimizer, class Options, class Settled, class Trained>
Outcome train(amp::Device device, const Options& options, Path path, const Settled& settled,
              const Trained& trained) {
  const Problem problem(device);
  const Tensors& all = problem.parameters;
  // Two groups, the second with a rate of its own.
  Options slower = options;
  slower.lr = options.lr / 2;
  Optimizer optimizer({{.params = {all[0], all[1], all[2]}, .options = options},
                       {.params = {all[3], all[4]}, .options = slower}});
  amp::GradScaler scaler({.init_scale = 64, .growth_interval = 5, .max_scale = 512});
  const amp::Tensor norms = amp::zeros({kSteps}, {.device = device});
  Outcome outcome{};
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (i == kSettled) settled();
    optimizer.zero_grad();
    for (std::size_t p = 0; p < all.size(); ++p) scaler.scale(problem.loss(p, i)).backward();
    if (path == Path::kUnscale) scaler.unscale_(optimizer);
    if (path == Path::kClip)
      norms.select(0, static_cast<std::int64_t>(i)).copy_(scaler.unscale_and_clip(optimizer, 2.0));
    scaler.step(optimizer);
    scaler.update();
  }
  trained();
  for (const amp::Tensor& p : all) outcome.tensors.push_back(p.template to_vector<double>());
  for (const auto& [name, tensor] : optimizer.state_dict())
    outcome.tensors.push_back(tensor.template to_vector<double>());
  outcome.norms = norms.to_vector<float>();
  outcome.state = scaler.state_dict();
  return outcome;
}

/// Two optimizers, one of which sometimes does not step.
template <class Settled, class Trained>
Values train_two(amp::Device device, const Settled& settled, const Trained& trained) {
  const Problem problem(device);
  const Tensors& all = problem.parameters;
  amp::SGD first({all[0], all[1]}, {.lr = 0.01, .momentum = 0.9});
  amp::AdamW second({all[2], all[3]}, {.lr = 0.01, .eps = kEps});
  amp::GradScaler scaler({.init_scale = 64, .growth_interval = 3, .max_scale = 512});
  const float* const inverse = scaler.inverse_scale_data(device);
  float* const found = scaler.found_inf_data(device);
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (i == kSettled) settled();
    first.zero_grad();
    second.zero_grad();
    for (std::size_t p = 0; p < 4; ++p) scaler.scale(problem.loss(p, i)).backward();
    if (i % 3 == 1) {
      scaler.skip_step(first);
    } else {
      scaler.step(first);
    }
    (void)scaler.unscale_and_clip(second, 1.0);
    scaler.step(second);
    scaler.update();
  }
  trained();
  CHECK(scaler.inverse_scale_data(device) == inverse);
  CHECK(scaler.found_inf_data(device) == found);
  const amp::GradScalerState state = scaler.state_dict();
  Values values{{state.scale, static_cast<double>(state.applied),
                 static_cast<double>(state.skipped), static_cast<double>(state.growth_tracker)}};
  for (const amp::Tensor& p : all) values.push_back(p.to_vector<double>());
  return values;
}

}  // namespace cuda_training
