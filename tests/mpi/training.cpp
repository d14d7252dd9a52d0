// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data parallel training on processes: the parameters are those of one process with the whole
// batch, up to rounding, with the same bits on all ranks; a step that overflows on one rank is
// skipped on all;
// 2,000 random steps leave one scale.
#include <amp/distributed/mpi.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "distributed/training.hpp"
#include "mpi/expect.hpp"

namespace {

using amp::DataParallel;
using amp::GradScaler;
using amp::MpiCommunicator;
using amp::Tensor;
using amp_test::expect;
using amp_test::largest_difference;
using amp_test::Mlp;
using amp_test::raw_bits;
using amp_test::Samples;

constexpr int kSteps = 8;
constexpr amp::DataParallelOptions kSmallBuckets{.bucket_bytes = 256, .first_bucket_bytes = 64};

/// Throws unless these bits are the same on all ranks.
void expect_same(MpiCommunicator& world, const std::string& bits, const std::string& what) {
  std::vector<unsigned char> root(bits.begin(), bits.end());
  const Tensor x = amp::tensor(root, {static_cast<std::int64_t>(root.size())});
  world.broadcast(x).wait();
  expect(x.to_vector<std::uint8_t>() == root, what + " the same on all ranks");
}

amp::NamedTensors train_alone(const Samples& samples) {
  const Mlp model = amp_test::make_mlp(1);
  amp::AdamW optimizer(model.named_parameters(), {.lr = 0.01});
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    model.loss(samples.all(step)).backward();
    optimizer.step();
  }
  return model.named_parameters();
}

template <class Optimizer>
void train(MpiCommunicator& world, const Mlp& model, DataParallel& parallel, Optimizer& optimizer,
           const Samples& samples, std::int64_t total) {
  GradScaler scaler({.init_scale = 1024, .agree = amp::agreement(world)});
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    const Samples::Batch batch = samples.part(step, world.rank(), world.size());
    if (batch.count() == 0) {
      parallel.backward_without_samples();
    } else {
      scaler.scale(parallel.weigh(model.loss(batch), batch.count(), total)).backward();
    }
    if (batch.count() == 0) (void)scaler.scale_data(amp::kCPU);
    scaler.step(optimizer);
    scaler.update();
  }
}

void check_training(MpiCommunicator& world) {
  for (const std::int64_t total :
       {12, 7, 3}) {  // 7 is uneven, and of 3 samples four ranks miss one
    const Samples samples(total);
    const amp::NamedTensors alone = train_alone(samples);
    for (const auto wire : {std::optional<amp::DType>(), std::optional(amp::kBFloat16)}) {
      for (const bool sharded : {false, true}) {
        amp::DataParallelOptions options = kSmallBuckets;
        options.wire = wire;
        const Mlp model = amp_test::make_mlp(1 + world.rank());  // rank 0's is what counts
        DataParallel parallel(model, world, options);
        if (sharded) {
          amp::ShardedOptimizer<amp::AdamW> optimizer(parallel, {.lr = 0.01});
          train(world, model, parallel, optimizer, samples, total);
        } else {
          amp::AdamW optimizer(model.named_parameters(), {.lr = 0.01});
          train(world, model, parallel, optimizer, samples, total);
        }
        const double difference = largest_difference(model.named_parameters(), alone);
        expect(
            difference < (wire ? 0.05 : 1e-5),
            "ranks train as one process does; parameters differ by " + std::to_string(difference));
        expect_same(world, raw_bits(model.named_parameters()), "parameters are");
        parallel.check_parameters();
        if (!sharded) expect(parallel.statistics().passes == kSteps, "each step sends once");
      }
    }
  }
}

void check_overflow(MpiCommunicator& world) {
  const Samples samples(8);
  for (int planted = 0; planted < world.size(); ++planted) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    amp::SGD optimizer(model.parameters(), {.lr = 0.1});
    GradScaler scaler({.init_scale = 256, .agree = amp::agreement(world)});
    Samples::Batch batch = samples.part(0, world.rank(), world.size());
    if (world.rank() == planted)
      batch.y = amp::full({batch.count(), 3}, std::numeric_limits<double>::infinity());
    const std::string before = raw_bits(model.named_parameters());
    scaler.scale(model.loss(batch)).backward();
    expect(scaler.step(optimizer).skipped(), "what overflows on one rank is skipped on all");
    scaler.update();
    expect(before == raw_bits(model.named_parameters()), "a skipped step changes nothing");
    expect(scaler.get_scale() == 128, "all scales back off");
  }
}

/// What MPI still reads and writes when backward throws is not memory of others.
void check_memory_after_error(MpiCommunicator& world) {
  constexpr std::int64_t kMany = 1 << 20;
  {
    const Tensor unused = amp::ones({1}, {.requires_grad = true});
    const Tensor large = amp::ones({kMany}, {.requires_grad = true});
    DataParallel parallel({{"unused", unused}, {"large", large}}, world, kSmallBuckets);
    amp_test::expect_error("\"unused\"", [&] { amp::sum(large * 2).backward(); });
  }
  std::vector<Tensor> others;
  for (int i = 0; i < 12; ++i) others.push_back(amp::full({kMany}, 7));
  world.barrier();
  for (const Tensor& other : others)
    expect(amp::min(other).item<float>() == 7 && amp::max(other).item<float>() == 7,
           "messages of a pass that failed are not written into other memory");
}

/// Gradients that no rank sends.
struct Own {
  std::vector<float> gradient = std::vector<float>(4, 1);
  std::vector<amp::TensorView> gradients() { return {{gradient.data(), 4}}; }
  void step() {}
};

void check_traces(MpiCommunicator& world) {
  GradScaler scaler(
      {.init_scale = 1024, .growth_interval = 7, .hysteresis = 2, .agree = amp::agreement(world)});
  (void)scaler.scale_data(amp::kCPU);
  Own optimizer;
  std::mt19937 random(static_cast<unsigned>(world.rank()));
  std::string trace;
  for (int update = 0; update < 2000; ++update) {
    optimizer.gradient.assign(4, 1);
    if (random() % 40 == 0) optimizer.gradient[2] = std::nanf("");
    scaler.step(optimizer);
    scaler.update();
    const amp::GradScalerState state = scaler.state_dict();
    trace += std::to_string(state.scale) + " " + std::to_string(state.growth_tracker) + " " +
             std::to_string(state.hysteresis_left) + " " + std::to_string(state.applied) + "\n";
  }
  expect_same(world, trace, "scale, tracker and counters are");
  const amp::GradScalerCounters counters = scaler.counters();
  expect(counters.skipped > 10 && counters.applied > 1000, "some steps are skipped, most are not");
}

}  // namespace

int main(int argc, char** argv) {
  return amp::run_mpi(argc, argv, [](MpiCommunicator& world) {
    check_training(world);
    check_overflow(world);
    check_traces(world);
    check_memory_after_error(world);
  });
}
