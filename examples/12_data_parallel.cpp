// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data parallel training. Four ranks, here threads of this process, each compute the gradients of a
// quarter of the batch and step with the average: the result is that of one process with the whole
// batch. If a gradient overflows on one rank, all skip the step. In the second part the optimizer's
// state is divided over the ranks. With <amp/distributed/mpi.hpp> ranks are processes
// (examples/train_cnn.cpp), with <amp/distributed/nccl.hpp> GPUs; the code below remains the same.
#include <amp/amp.hpp>
#include <amp/distributed.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

using amp::Tensor;
using Values = std::vector<float>;

constexpr int kRanks = 4, kSteps = 30;
constexpr std::int64_t kSamples = 64;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "12_data_parallel: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

struct Net : amp::nn::Module {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(8, 32))};
  amp::nn::Linear second{register_module("second", amp::nn::Linear(32, 1))};

  Tensor loss(const Tensor& x, const Tensor& y) const {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return amp::mse_loss(second(amp::silu(first(x))), y);
  }
  [[nodiscard]] Values weights() const {
    std::vector<Tensor> flat;
    for (const Tensor& parameter : parameters()) flat.push_back(parameter.detach().flatten());
    return amp::cat(flat).to_vector<float>();
  }
};

struct Batch {
  Tensor x, y;
};

struct Outcome {
  Values weights;
  double scale;
  std::int64_t skipped;
};

/// Trains on one rank. The batch of step 10 overflows on rank 2 only.
template <class Optimizer>
Outcome train(amp::Communicator& world, const Net& model, Optimizer& optimizer,
              const Batch& batch) {
  amp::GradScaler scaler({.init_scale = 1024, .agree = amp::agreement(world)});
  const std::int64_t part = kSamples / world.size();
  const Tensor x = batch.x.narrow(0, part * world.rank(), part);
  const Tensor y = batch.y.narrow(0, part * world.rank(), part);
  const Tensor poisoned = amp::full(y.shape(), std::numeric_limits<double>::infinity());
  for (int step = 0; step < kSteps; ++step) {
    const bool overflows = step == 10 && world.rank() == world.size() / 2;
    optimizer.zero_grad();
    scaler.scale(model.loss(x, overflows ? poisoned : y)).backward();  // sends the gradients
    scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
  }
  return {model.weights(), scaler.get_scale(), scaler.counters().skipped};
}

double largest_difference(const Values& a, const Values& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
  return largest;
}

}  // namespace

int main() try {
  amp::manual_seed(12);
  const Batch batch{amp::randn({kSamples, 8}), amp::randn({kSamples, 1})};
  const amp::NamedTensors initial = Net().state_dict();

  const auto run = [&](int ranks, bool sharded) {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
    amp::ThreadGroup::run(ranks, [&](amp::Communicator& world) {
      const Net model;  // with different weights on each rank
      if (world.rank() == 0) model.load_state_dict(initial);
      amp::DataParallel parallel(model, world);  // copies the weights of rank 0
      Outcome& outcome = outcomes[static_cast<std::size_t>(world.rank())];
      if (sharded) {
        amp::ShardedOptimizer<amp::AdamW> optimizer(parallel, {.lr = 0.01});
        outcome = train(world, model, optimizer, batch);
      } else {
        amp::AdamW optimizer(model.named_parameters(), {.lr = 0.01});
        outcome = train(world, model, optimizer, batch);
      }
      parallel.check_parameters();
    });
    for (const Outcome& outcome : outcomes)
      expect(outcome.weights == outcomes[0].weights, "all ranks have the same weights");
    return outcomes[0];
  };

  const Outcome alone = run(1, false), parallel = run(kRanks, false), sharded = run(kRanks, true);
  const double apart = largest_difference(parallel.weights, alone.weights);
  std::printf(
      "weights of %d ranks and of one differ by %.1e at most; steps skipped: %lld and %lld\n",
      kRanks, apart, static_cast<long long>(parallel.skipped),
      static_cast<long long>(alone.skipped));
  std::printf("with the optimizer's state spread over the ranks they differ by %.1e\n",
              largest_difference(sharded.weights, parallel.weights));
  expect(apart < 1e-3, "the parts of a batch together are the batch");
  expect(largest_difference(sharded.weights, parallel.weights) < 1e-6,
         "a sharded optimizer does what the whole one does");
  expect(parallel.skipped == 1 && parallel.scale == 512, "all ranks skip what overflows on one");
} catch (const amp::Error& error) {
  std::fprintf(stderr, "12_data_parallel: %s\n", error.what());
  return EXIT_FAILURE;
}
