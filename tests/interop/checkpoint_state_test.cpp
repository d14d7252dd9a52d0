// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Averages of weights, and what sets learning rates, in a checkpoint: a resumed run goes on bit for
// bit.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"
#include "support/temporary_folder.hpp"

namespace checkpoint_state {
namespace {

using amp::Tensor;
using amp_test::numbers;
using amp_test::same_bits;

struct Run {
  amp::nn::Linear model{6, 4};
  amp::NAdam optimizer{model.named_parameters(), {.lr = 0.1}};
  amp::ExponentialMovingAverage ema{optimizer, {.decay = 0.7}};
  amp::LambdaLR scheduler{optimizer,
                          [](std::int64_t t) { return 1 / (1 + static_cast<double>(t)); }};
  amp::ReduceLROnPlateau plateau{optimizer, {.factor = 0.5, .patience = 1}};
  amp::Checkpoint checkpoint;

  Run() {
    checkpoint.add("model", model).add("optimizer", optimizer).add("ema", ema);
    checkpoint.add("scheduler", scheduler).add("plateau", plateau);
  }
  void step(int step) {
    optimizer.zero_grad();
    const Tensor loss = amp::mean(amp::square(model(numbers({3, 6}, step, amp::kFloat32))));
    loss.backward();
    optimizer.step();
    scheduler.step();
    plateau.step(step % 3);
  }
};

}  // namespace

TEST_CASE("Checkpoint: averages and schedulers are saved, and a run goes on") {
  const amp_test::TemporaryFolder folder;
  const auto file = folder / "run.safetensors";
  Run whole;
  for (int step = 0; step < 5; ++step) whole.step(step);
  whole.checkpoint.save(file);
  Run resumed;
  resumed.checkpoint.load(file);
  for (int step = 5; step < 9; ++step) {
    whole.step(step);
    resumed.step(step);
  }
  CHECK(same_bits(whole.model.weight, resumed.model.weight));
  CHECK(same_bits(whole.ema.averages()[0], resumed.ema.averages()[0]));
  CHECK(whole.ema.n_averaged() == resumed.ema.n_averaged());
  CHECK(whole.optimizer.options().lr == resumed.optimizer.options().lr);
  CHECK(whole.plateau.num_bad_epochs() == resumed.plateau.num_bad_epochs());
}

}  // namespace checkpoint_state
