// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training loop with a GradScaler on the CUDA device: it gives the host's bits, and in the
// steady state it allocates nothing, copies nothing and waits for nothing.
#include <amp/cuda.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_scaler {
namespace {

using Tensors = std::vector<amp::Tensor>;
using Values = std::vector<std::vector<double>>;

constexpr std::size_t kSteps = 50, kSettled = 4;
constexpr double kEps = 1e-3;  // float16 moments underflow to 0, and are divided by it
constexpr bool bad_step(std::size_t i) { return i == 7 || i == 8 || i == 23 || i == 49; }

enum class Path { kStep, kUnscale, kClip };

/// What one run leaves behind.
struct Outcome {
  Values tensors;
  std::vector<float> norms;  // of all steps, where they were clipped
  amp::GradScalerState state;
  standin::Counters settled;  // of the steps from kSettled on
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

template <class Optimizer, class Options>
Outcome train(amp::Device device, const Options& options, Path path) {
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
    if (i == kSettled) standin::toolkit().reset();
    optimizer.zero_grad();
    for (std::size_t p = 0; p < all.size(); ++p) scaler.scale(problem.loss(p, i)).backward();
    if (path == Path::kUnscale) scaler.unscale_(optimizer);
    if (path == Path::kClip)
      norms.select(0, static_cast<std::int64_t>(i)).copy_(scaler.unscale_and_clip(optimizer, 2.0));
    scaler.step(optimizer);
    scaler.update();
  }
  outcome.settled = standin::toolkit().counters;
  for (const amp::Tensor& p : all) outcome.tensors.push_back(p.template to_vector<double>());
  for (const auto& [name, tensor] : optimizer.state_dict())
    outcome.tensors.push_back(tensor.template to_vector<double>());
  outcome.norms = norms.to_vector<float>();
  outcome.state = scaler.state_dict();
  return outcome;
}

template <class Optimizer, class Options>
void check(const Options& options) {
  for (const Path path : {Path::kStep, Path::kUnscale, Path::kClip}) {
    INFO("path " << static_cast<int>(path));
    const Outcome host = train<Optimizer>(amp::kCPU, options, path);
    const Outcome device = train<Optimizer>(amp::kCUDA, options, path);
    REQUIRE(host.tensors.size() == device.tensors.size());
    for (std::size_t i = 0; i < host.tensors.size(); ++i) {
      INFO("tensor " << i);
      CHECK((host.tensors[i] == device.tensors[i]));
    }
    for (std::size_t i = 0; i < kSteps; ++i)
      CHECK((host.norms[i] == device.norms[i] ||
             (std::isnan(host.norms[i]) && std::isnan(device.norms[i]))));
    CHECK((host.state == device.state));
    CHECK(device.state.skipped == 4);
    CHECK(device.state.applied == kSteps - 4);
    CHECK(device.settled.launches > 0);
    CHECK(device.settled.synchronisations == 0);
    CHECK(device.settled.allocations == 0);
    CHECK(device.settled.frees == 0);
    CHECK(device.settled.to_device == 0);
    CHECK(device.settled.to_host == 0);
    CHECK(device.settled.on_device == 0);
  }
}

TEST_CASE("cuda scaler: the loop with SGD has the host's bits, and never waits", "[cuda]") {
  check<amp::SGD>(amp::SGDOptions{.lr = 0.01});
  check<amp::SGD>(amp::SGDOptions{.lr = 0.01,
                                  .momentum = 0.9,
                                  .weight_decay = 0.01,
                                  .nesterov = true,
                                  .schedule = amp::cosine_schedule(40).after_warmup(5)});
}

TEST_CASE("cuda scaler: the loop with Adam has the host's bits, and never waits", "[cuda]") {
  check<amp::Adam>(amp::AdamOptions{.lr = 0.01, .eps = kEps, .weight_decay = 0.01});
  check<amp::Adam>(
      amp::AdamOptions{.lr = 0.01, .eps = kEps, .schedule = amp::one_cycle_schedule(60)});
}

TEST_CASE("cuda scaler: the loop with AdamW has the host's bits, and never waits", "[cuda]") {
  check<amp::AdamW>(amp::AdamOptions{.lr = 0.01, .eps = kEps});
}

/// Two optimizers, of which one is left out at times.
Values train_two(amp::Device device, standin::Counters& settled) {
  const Problem problem(device);
  const Tensors& all = problem.parameters;
  amp::SGD first({all[0], all[1]}, {.lr = 0.01, .momentum = 0.9});
  amp::AdamW second({all[2], all[3]}, {.lr = 0.01, .eps = kEps});
  amp::GradScaler scaler({.init_scale = 64, .growth_interval = 3, .max_scale = 512});
  const float* const inverse = scaler.inverse_scale_data(device);
  float* const found = scaler.found_inf_data(device);
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (i == kSettled) standin::toolkit().reset();
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
  settled = standin::toolkit().counters;
  CHECK(scaler.inverse_scale_data(device) == inverse);
  CHECK(scaler.found_inf_data(device) == found);
  const amp::GradScalerState state = scaler.state_dict();
  Values values{{state.scale, static_cast<double>(state.applied),
                 static_cast<double>(state.skipped), static_cast<double>(state.growth_tracker)}};
  for (const amp::Tensor& p : all) values.push_back(p.to_vector<double>());
  return values;
}

TEST_CASE("cuda scaler: two optimizers, one left out at times", "[cuda]") {
  standin::Counters settled;
  const Values host = train_two(amp::kCPU, settled), device = train_two(amp::kCUDA, settled);
  CHECK((host == device));
  CHECK(settled.synchronisations == 0);
  CHECK(settled.allocations == 0);
  CHECK(settled.to_device + settled.to_host + settled.on_device == 0);
}

}  // namespace
}  // namespace cuda_scaler
