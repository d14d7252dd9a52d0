// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data parallel training with a GPU for each rank: it computes what one GPU computes with the whole
// batch, a step neither synchronises nor allocates, and a graph can contain all of it.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "distributed/training.hpp"
#include "nccl/gpus.hpp"
#include "support/catch.hpp"

namespace nccl_training {
namespace {

using amp::DataParallel;
using amp::GradScaler;
using amp::kCUDA;
using amp::Tensor;
using amp_test::Gpu;
using amp_test::largest_difference;
using amp_test::Mlp;
using amp_test::on_gpus;
using amp_test::raw_bits;
using amp_test::Samples;
using standin::toolkit;

constexpr int kSteps = 6, kOverflow = 3;
constexpr amp::DataParallelOptions kSmallBuckets{.bucket_bytes = 256, .first_bucket_bytes = 64};

struct Outcome {
  amp::NamedTensors parameters;
  amp::GradScalerState scaler;
  std::string bits;
};

template <class Optimizer>
Outcome train(const Gpu& gpu, const Mlp& model, Optimizer& optimizer, const Samples& samples) {
  const amp::Device device = gpu.world.device();
  GradScaler scaler({.init_scale = 256, .agree = amp::agreement(gpu.world)});
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    Samples::Batch batch = samples.part(step, gpu.rank(), gpu.size());
    batch = {batch.x.to(device), batch.y.to(device)};
    if (step == kOverflow && gpu.rank() == gpu.size() - 1)
      batch.y = gpu.full(batch.y.shape(), std::numeric_limits<double>::infinity());
    scaler.scale(model.loss(batch)).backward();
    (void)scaler.unscale_and_clip(optimizer, 0.5);
    scaler.step(optimizer);
    scaler.update();
  }
  Outcome outcome;
  for (const auto& [name, tensor] : model.named_parameters())
    outcome.parameters.emplace_back(name, tensor.detach().to(amp::kCPU));
  outcome.scaler = scaler.state_dict();
  outcome.bits = raw_bits(outcome.parameters);
  return outcome;
}

Mlp model_on(const Gpu& gpu) {
  Mlp model = amp_test::make_mlp(1 + gpu.rank());  // rank 0's is what counts
  model.to(gpu.world.device());
  return model;
}

Outcome train_whole(const Gpu& gpu, const amp::DataParallelOptions& options) {
  const Mlp model = model_on(gpu);
  DataParallel parallel(model, gpu.world, options);
  amp::AdamW optimizer(model.named_parameters(), {.lr = 0.01});
  const Outcome outcome = train(gpu, model, optimizer, Samples(12));
  parallel.check_parameters();
  return outcome;
}
Outcome train_sharded(const Gpu& gpu, const amp::DataParallelOptions& options) {
  const Mlp model = model_on(gpu);
  DataParallel parallel(model, gpu.world, options);
  amp::ShardedOptimizer<amp::AdamW> optimizer(parallel, {.lr = 0.01});
  const Outcome outcome = train(gpu, model, optimizer, Samples(12));
  parallel.check_parameters();
  return outcome;
}

}  // namespace

TEST_CASE("nccl: data parallel training is that of one GPU", "[nccl][cuda]") {
  const Outcome alone =
      on_gpus(1, [&](const Gpu& gpu) { return train_whole(gpu, kSmallBuckets); })[0];
  CHECK(alone.scaler.skipped == 1);
  CHECK(alone.scaler.scale == 128);
  for (const int size : {1, 2, 4}) {
    for (const auto wire : {std::optional<amp::DType>(), std::optional(amp::kBFloat16)}) {
      amp::DataParallelOptions options = kSmallBuckets;
      options.wire = wire;
      CAPTURE(size, wire.has_value());
      const auto whole = on_gpus(size, [&](const Gpu& gpu) { return train_whole(gpu, options); });
      const auto sharded =
          on_gpus(size, [&](const Gpu& gpu) { return train_sharded(gpu, options); });
      for (std::size_t r = 0; r < whole.size(); ++r) {
        CHECK(largest_difference(whole[r].parameters, alone.parameters) < (wire ? 0.02 : 1e-6));
        CHECK(largest_difference(sharded[r].parameters, alone.parameters) < (wire ? 0.02 : 1e-6));
        CHECK((whole[r].bits == whole[0].bits));
        CHECK((sharded[r].bits == sharded[0].bits));
        CHECK(whole[r].scaler == alone.scaler);
        CHECK(sharded[r].scaler == alone.scaler);
      }
    }
  }
}

TEST_CASE("nccl: a step of data parallel training waits for nothing", "[nccl][cuda][cached]") {
  for (const bool sharded : {false, true}) {
    standin::Counters counters;
    (void)on_gpus(2, [&](const Gpu& gpu) {
      const Mlp model = model_on(gpu);
      amp::DataParallelOptions options = kSmallBuckets;
      options.wire = amp::kBFloat16;
      DataParallel parallel(model, gpu.world, options);
      amp::AdamW whole(model.named_parameters(), {.lr = 0.01});
      std::optional<amp::ShardedOptimizer<amp::AdamW>> shards;
      if (sharded) shards.emplace(parallel, amp::AdamOptions{.lr = 0.01});
      GradScaler scaler({.init_scale = 256, .agree = amp::agreement(gpu.world)});
      const Samples::Batch host = Samples(8).part(0, gpu.rank(), 2);
      const Samples::Batch batch{host.x.to(gpu.world.device()), host.y.to(gpu.world.device())};
      const auto step_with = [&](auto& optimizer) {
        optimizer.zero_grad();
        {
          const amp::AutocastGuard autocast(kCUDA);
          scaler.scale(model.loss(batch)).backward();
        }
        (void)scaler.unscale_and_clip(optimizer, 1.0);
        scaler.step(optimizer);
        scaler.update();
      };
      const auto step = [&] { sharded ? step_with(*shards) : step_with(whole); };
      for (int i = 0; i < 3; ++i) step();
      gpu.world.barrier();
      gpu.threads.barrier();
      if (gpu.rank() == 0) toolkit().reset();
      gpu.threads.barrier();
      for (int i = 0; i < 3; ++i) step();
      gpu.threads.barrier();
      if (gpu.rank() == 0) counters = toolkit().counters;
      gpu.threads.barrier();
      gpu.world.barrier();
      return 0;
    });
    CAPTURE(sharded);
    CHECK(counters.synchronisations == 0);
    CHECK(counters.allocations == 0);
    CHECK(counters.to_host == 0);
  }
}

TEST_CASE("nccl: a graph contains a step of data parallel training", "[nccl][cuda]") {
  for (const int size : {1, 2}) {
    CAPTURE(size);
    const auto run = [&](const Gpu& gpu, bool graphed) {
      const amp::Device device = gpu.world.device();
      const Mlp model = model_on(gpu);
      DataParallel parallel(model, gpu.world, kSmallBuckets);
      amp::AdamW optimizer(model.named_parameters(), {.lr = 0.01});
      GradScaler scaler(
          {.init_scale = 256, .growth_interval = 3, .agree = amp::agreement(gpu.world)});
      const Tensor x = gpu.full({4, 5}, 0), y = gpu.full({4, 3}, 0);
      const auto fill = [&](int step) {
        const Samples::Batch batch = Samples(4 * size).part(step, gpu.rank(), size);
        x.copy_(batch.x.to(device));
        y.copy_(batch.y.to(device));
        if (step == 5 && gpu.rank() == 0) y.fill_(std::numeric_limits<double>::infinity());
      };
      const auto step = [&] {
        optimizer.zero_grad();
        scaler.scale(model.loss({x, y})).backward();
        (void)scaler.unscale_and_clip(optimizer, 0.5);
        scaler.step(optimizer);
        scaler.update();
      };
      fill(0);
      constexpr int kWarmups = 2;
      if (graphed) {
        amp::cuda::Graph graph(step, {.warmup = kWarmups, .device = device.index});
        for (int i = 1; i < 8; ++i) {
          fill(i);
          graph.replay();
        }
        gpu.world.barrier();
      } else {
        for (int i = 0; i < kWarmups; ++i) step();
        for (int i = 1; i < 8; ++i) {
          fill(i);
          step();
        }
      }
      const amp::GradScalerState state = scaler.state_dict();
      return raw_bits(model.named_parameters()) + " " + std::to_string(state.scale) + " " +
             std::to_string(state.skipped);
    };
    const auto graphed = on_gpus(size, [&](const Gpu& gpu) { return run(gpu, true); });
    const auto eager = on_gpus(size, [&](const Gpu& gpu) { return run(gpu, false); });
    CHECK((graphed == eager));
    CHECK((graphed[0] == graphed.back()));
    CHECK(graphed[0].ends_with(" 1"));
  }
}

TEST_CASE("nccl: parameters that differ on one GPU are found", "[nccl][cuda]") {
  const auto errors = on_gpus(2, [&](const Gpu& gpu) {
    const Mlp model = model_on(gpu);
    DataParallel parallel(model, gpu.world);
    if (gpu.rank() == 1) model.first.weight.select(0, 3).detach().fill_(7);
    return amp_test::error_of([&] {
      parallel.check_parameters();
      return 0;
    });
  });
  for (const std::string& error : errors)
    CHECK(error.find("the parameters of rank 1 differ from those of rank 0, first "
                     "\"first.weight\"") != std::string::npos);
}

TEST_CASE("nccl: memory of the host, and of another GPU, is refused", "[nccl][cuda]") {
  const auto errors = on_gpus(1, [&](const Gpu& gpu) {
    const Mlp model = amp_test::make_mlp(1);
    return amp_test::error_of([&] {
      const DataParallel parallel(model, gpu.world);
      return 0;
    });
  });
  CHECK(errors[0] ==
        "DataParallel: the parameters are on cpu, which a communicator of nccl does "
        "not take");
}

}  // namespace nccl_training
