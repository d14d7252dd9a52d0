// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training loop with a GradScaler gives the host's bits on the CUDA device. If the device has a
// math library of its own, this holds for everything that does not use it.
#include <cmath>
#include <cstddef>

#include "cuda/on_both.hpp"
#include "cuda/training.hpp"

namespace cuda_scaler {
namespace {

using cuda_training::kEps;
using cuda_training::kSteps;
using cuda_training::Outcome;
using cuda_training::Path;
using cuda_training::Values;

constexpr auto kNothing = [] {};

/// Equal, or with `own_math` apart by what a few roundings of float16 leave behind.
void check_equal(const Values& host, const Values& device, bool own_math) {
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO("tensor " << i);
    if (!own_math) CHECK((host[i] == device[i]));
    REQUIRE(host[i].size() == device[i].size());
    double difference = 0, size = 0;
    for (std::size_t j = 0; j < host[i].size(); ++j) {
      difference += (host[i][j] - device[i][j]) * (host[i][j] - device[i][j]);
      size += host[i][j] * host[i][j];
    }
    CHECK(difference <= 1e-5 * size);
  }
}

template <class Optimizer, class Options>
void check(const Options& options, bool needs_math) {
  for (const Path path : {Path::kStep, Path::kUnscale, Path::kClip}) {
    INFO("path " << static_cast<int>(path));
    const auto run = [&](amp::Device device) {
      return cuda_training::train<Optimizer>(device, options, path, kNothing, kNothing);
    };
    const Outcome host = run(amp::kCPU), device = run(amp::kCUDA);
    const bool own_math = needs_math && cuda_test::kOwnMath;
    check_equal(host.tensors, device.tensors, own_math);
    for (std::size_t i = 0; i < kSteps; ++i) {
      const double a = host.norms[i], b = device.norms[i];
      CHECK((a == b || (std::isnan(a) && std::isnan(b)) ||
             (own_math && std::fabs(a - b) <= 1e-3 * a)));
    }
    CHECK((host.state == device.state));
    CHECK(device.state.skipped == 4);
    CHECK(device.state.applied == kSteps - 4);
  }
}

TEST_CASE("cuda scaler: the loop with SGD has the host's bits", "[cuda]") {
  check<amp::SGD>(amp::SGDOptions{.lr = 0.01}, false);
  check<amp::SGD>(amp::SGDOptions{.lr = 0.01,
                                  .momentum = 0.9,
                                  .weight_decay = 0.01,
                                  .nesterov = true,
                                  .schedule = amp::cosine_schedule(40).after_warmup(5)},
                  true);
}

TEST_CASE("cuda scaler: the loop with Adam has the host's bits", "[cuda]") {
  check<amp::Adam>(amp::AdamOptions{.lr = 0.01, .eps = kEps, .weight_decay = 0.01}, true);
  check<amp::Adam>(
      amp::AdamOptions{.lr = 0.01, .eps = kEps, .schedule = amp::one_cycle_schedule(60)}, true);
}

TEST_CASE("cuda scaler: the loop with AdamW has the host's bits", "[cuda]") {
  check<amp::AdamW>(amp::AdamOptions{.lr = 0.01, .eps = kEps}, true);
}

TEST_CASE("cuda scaler: two optimizers, one left out at times", "[cuda]") {
  check_equal(cuda_training::train_two(amp::kCPU, kNothing, kNothing),
              cuda_training::train_two(amp::kCUDA, kNothing, kNothing), cuda_test::kOwnMath);
}

}  // namespace
}  // namespace cuda_scaler
