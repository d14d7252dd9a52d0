// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training loop with a GradScaler on the CUDA device: in the steady state it allocates nothing,
// copies nothing and waits for nothing.
#include <amp/cuda.hpp>

#include "cuda/training.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_scaler_calls {
namespace {

using cuda_training::kEps;
using cuda_training::Path;

standin::Counters counters;
constexpr auto kReset = [] { standin::toolkit().reset(); };
constexpr auto kCount = [] { counters = standin::toolkit().counters; };

void check_settled() {
  CHECK(counters.launches > 0);
  CHECK(counters.synchronisations == 0);
  CHECK(counters.allocations == 0);
  CHECK(counters.frees == 0);
  CHECK(counters.to_device == 0);
  CHECK(counters.to_host == 0);
  CHECK(counters.on_device == 0);
}

template <class Optimizer, class Options>
void check(const Options& options) {
  for (const Path path : {Path::kStep, Path::kUnscale, Path::kClip}) {
    INFO("path " << static_cast<int>(path));
    (void)cuda_training::train<Optimizer>(amp::kCUDA, options, path, kReset, kCount);
    check_settled();
  }
}

TEST_CASE("cuda scaler: the loop never waits", "[cuda][cached]") {
  check<amp::SGD>(amp::SGDOptions{.lr = 0.01,
                                  .momentum = 0.9,
                                  .weight_decay = 0.01,
                                  .nesterov = true,
                                  .schedule = amp::cosine_schedule(40).after_warmup(5)});
  check<amp::Adam>(
      amp::AdamOptions{.lr = 0.01, .eps = kEps, .schedule = amp::one_cycle_schedule(60)});
  check<amp::AdamW>(amp::AdamOptions{.lr = 0.01, .eps = kEps});
}

TEST_CASE("cuda scaler: two optimizers never wait", "[cuda][cached]") {
  (void)cuda_training::train_two(amp::kCUDA, kReset, kCount);
  check_settled();
}

}  // namespace
}  // namespace cuda_scaler_calls
