// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An optimizer whose state is spread over the ranks does what the whole one does, with a part of
// its memory.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "distributed/training.hpp"
#include "support/catch.hpp"

namespace distributed_sharded_optimizer {

using amp::Communicator;
using amp::DataParallel;
using amp::GradScaler;
using amp::NamedTensors;
using amp::ShardedOptimizer;
using amp::Tensor;
using amp_test::error_of;
using amp_test::errors_on_ranks;
using amp_test::largest_difference;
using amp_test::Mlp;
using amp_test::on_ranks;
using amp_test::raw_bits;
using amp_test::Samples;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int kSteps = 5;
constexpr amp::DataParallelOptions kSmallBuckets{.bucket_bytes = 256, .first_bucket_bytes = 64};

struct Outcome {
  NamedTensors parameters, state;
  std::vector<double> norms;
  amp::GradScalerState scaler;
};

/// A training in which a rank overflows at one step.
template <class Optimizer>
Outcome train(Communicator& world, const Mlp& model, Optimizer& optimizer, const Samples& samples,
              bool clips, int begin = 0, int end = kSteps) {
  GradScaler scaler({.init_scale = 64, .agree = amp::agreement(world)});
  Outcome outcome;
  for (int step = begin; step < end; ++step) {
    optimizer.zero_grad();
    Samples::Batch batch = samples.part(step, world.rank(), world.size());
    if (step == 2 && world.rank() == world.size() - 1)
      batch.y = amp::full({batch.count(), 3}, std::numeric_limits<float>::infinity());
    scaler.scale(model.loss(batch)).backward();
    if (clips)
      outcome.norms.push_back(scaler.unscale_and_clip(optimizer, 0.05).template item<double>());
    if (scaler.step(optimizer).skipped() != (step == 2)) throw amp::Error("skipped the wrong step");
    scaler.update();
  }
  outcome.parameters = model.named_parameters();
  outcome.state = optimizer.state_dict();
  outcome.scaler = scaler.state_dict();
  return outcome;
}

template <class O>
Outcome train_whole(Communicator& world, const typename O::Options& options, amp::DType dtype,
                    bool clips) {
  const Samples samples(12);
  const Mlp model = amp_test::make_mlp(1);
  model.to(dtype);
  DataParallel parallel(model, world, kSmallBuckets);
  O optimizer(model.named_parameters(), options);
  return train(world, model, optimizer, samples, clips);
}
template <class O>
Outcome train_sharded(Communicator& world, const typename O::Options& options, amp::DType dtype,
                      bool clips) {
  const Samples samples(12);
  const Mlp model = amp_test::make_mlp(1);
  model.to(dtype);
  DataParallel parallel(model, world, kSmallBuckets);
  ShardedOptimizer<O> optimizer(parallel, options);
  return train(world, model, optimizer, samples, clips);
}

/// The common norm may differ in the last bit from that of a whole optimizer, and with it what is
/// clipped by it.
template <class O>
void compare(const typename O::Options& options, bool clips, amp::DType dtype = amp::kFloat32) {
  for (const int size : {1, 2, 3, 4}) {
    INFO(size << " ranks, " << (clips ? "clipped" : "not clipped"));
    const auto whole = on_ranks(
        size, [&](Communicator& world) { return train_whole<O>(world, options, dtype, clips); });
    const auto sharded = on_ranks(
        size, [&](Communicator& world) { return train_sharded<O>(world, options, dtype, clips); });
    for (const Outcome& rank : sharded) {
      CHECK((raw_bits(rank.parameters) == raw_bits(sharded[0].parameters)));
      CHECK((raw_bits(rank.norms) == raw_bits(sharded[0].norms)));
      CHECK(rank.scaler == whole[0].scaler);
      CHECK(largest_difference(rank.parameters, whole[0].parameters) <=
            (clips ? dtype == amp::kFloat32 ? 1e-6 : 0.01 : 0));
      REQUIRE(rank.state.size() == whole[0].state.size());
      for (std::size_t i = 0; i < rank.state.size(); ++i) {
        INFO(rank.state[i].first);
        CHECK(rank.state[i].first == whole[0].state[i].first);
        CHECK(rank.state[i].second.shape() == whole[0].state[i].second.shape());
        if (!clips) CHECK((raw_bits(rank.state[i].second) == raw_bits(whole[0].state[i].second)));
      }
      for (std::size_t i = 0; i < rank.norms.size(); ++i) {
        if (std::isfinite(whole[0].norms[i]))
          CHECK(rank.norms[i] == Approx(whole[0].norms[i]).epsilon(1e-6));
        else
          CHECK_FALSE(std::isfinite(rank.norms[i]));
      }
    }
  }
}

}  // namespace

// PyTorch: test_fsdp_ddp_parity_with_grad_scaler (test_fsdp_sharded_grad_scaler.py).
TEST_CASE("a sharded optimizer does what the whole one does", "[distributed]") {
  for (const bool clips : {false, true}) {
    compare<amp::SGD>({.lr = 0.1, .momentum = 0.9}, clips);
    compare<amp::Adam>({.lr = 0.01}, clips);
    compare<amp::AdamW>({.lr = 0.01, .weight_decay = 0.1}, clips);
    compare<amp::Lion>({.lr = 0.01}, clips);
  }
}

TEST_CASE("sharded masters of bfloat16 weights are those of the whole", "[distributed]") {
  for (const auto storage :
       {amp::WeightStorage::kMaster, amp::WeightStorage::kRemainder, amp::WeightStorage::kKahan})
    compare<amp::AdamW>({.lr = 0.01, .storage = storage}, false, amp::kBFloat16);
}

TEST_CASE("moments and masters take the ranks' part of the memory", "[distributed]") {
  const auto bytes_of = [](const NamedTensors& state) {
    std::int64_t bytes = 0;
    for (const auto& [name, tensor] : state) {
      if (tensor.dim() != 0) bytes += tensor.numel() * amp::item_size(tensor.dtype());
    }
    return bytes;
  };
  std::vector<std::int64_t> sums;
  for (const int size : {1, 2, 4}) {
    const auto bytes = on_ranks(size, [&](Communicator& world) {
      const amp::nn::Linear model(64, 64);
      model.to(amp::kBFloat16);
      DataParallel parallel(model, world);
      ShardedOptimizer<amp::AdamW> optimizer(parallel,
                                             {.lr = 0.01, .storage = amp::WeightStorage::kMaster});
      amp::sum(model(amp::ones({2, 64}, {.dtype = amp::kBFloat16}))).backward();
      optimizer.step();
      return bytes_of(optimizer.local().state_dict());
    });
    std::int64_t sum = 0, most = 0;
    for (const std::int64_t b : bytes) {
      sum += b;
      most = std::max(most, b);
    }
    sums.push_back(sum);
    CHECK(most <= sum / size + 3 * 4 * 8 * size);  // parts are multiples of 8 elements
  }
  CHECK(sums[0] == 3 * 4 * (64 * 64 + 64));  // two moments and a master, in float32
  CHECK(sums[1] == sums[0]);
  CHECK(sums[2] == sums[0]);
}

TEST_CASE("a sharded state is loaded by another number of ranks, and by none", "[distributed]") {
  const Samples samples(12);
  const amp::AdamOptions options{.lr = 0.01};
  const auto whole = on_ranks(2, [&](Communicator& world) {
    return train_sharded<amp::AdamW>(world, options, amp::kFloat32, true);
  });
  const auto go_on = [&](Communicator& world, auto&& make) {
    const Mlp model = amp_test::make_mlp(1);
    model.load_state_dict(whole[0].parameters);
    DataParallel parallel(model, world, kSmallBuckets);
    auto optimizer = make(parallel, model);
    optimizer->load_state_dict(whole[0].state);
    return train(world, model, *optimizer, samples, true, kSteps, kSteps + 3);
  };
  const auto sharded = [&](int size) {
    return on_ranks(size, [&](Communicator& world) {
      return go_on(world, [&](DataParallel& parallel, const Mlp&) {
        return std::make_unique<ShardedOptimizer<amp::AdamW>>(parallel, options);
      });
    });
  };
  const auto alone = on_ranks(1, [&](Communicator& world) {
    return go_on(world, [&](DataParallel&, const Mlp& model) {
      return std::make_unique<amp::AdamW>(model.named_parameters(), options);
    });
  });
  for (const int size : {1, 2, 4}) {
    const auto ranks = sharded(size);
    CHECK(largest_difference(ranks[0].parameters, alone[0].parameters) < 1e-6);
    for (const Outcome& rank : ranks)
      CHECK((raw_bits(rank.parameters) == raw_bits(ranks[0].parameters)));
  }
  CHECK((raw_bits(sharded(1)[0].parameters) == raw_bits(alone[0].parameters)));
}

TEST_CASE("groups of a sharded optimizer have options of their own", "[distributed]") {
  const Samples samples(8);
  const auto run = [&](Communicator& world, bool sharded) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    using Group = amp::SGD::Group;
    const std::vector<Group> groups{
        {.params = model.second.parameters(), .options = {.lr = 0.5}},
        {.params = {model.first.weight}, .options = {.lr = 0.1, .momentum = 0.9}}};
    const auto steps = [&](auto& optimizer) {
      for (int step = 0; step < 3; ++step) {
        optimizer.zero_grad();
        model.loss(samples.part(step, world.rank(), 2)).backward();
        optimizer.step();
      }
      return raw_bits(model.named_parameters());
    };
    if (sharded) {
      ShardedOptimizer<amp::SGD> optimizer(parallel, groups);
      return steps(optimizer);
    }
    amp::SGD optimizer(groups);
    return steps(optimizer);
  };
  const auto whole = on_ranks(2, [&](Communicator& world) { return run(world, false); });
  const auto sharded = on_ranks(2, [&](Communicator& world) { return run(world, true); });
  CHECK(sharded == whole);
}

TEST_CASE("a sharded optimizer takes no moments in blocks", "[distributed]") {
  on_ranks(1, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    CHECK_THROWS_WITH(ShardedOptimizer<amp::AdamW>(parallel, {.moments = amp::kUInt8}),
                      Catch::Matchers::ContainsSubstring("`moments` of uint8 are blocks"));
    return 0;
  });
}

TEST_CASE("more ranks than elements", "[distributed]") {
  const auto values = on_ranks(4, [](Communicator& world) {
    const Tensor p = amp::ones({3}, {.requires_grad = true});
    DataParallel parallel({{"p", p}}, world);
    ShardedOptimizer<amp::SGD> optimizer(parallel, {.lr = 0.5});
    GradScaler scaler({.agree = amp::agreement(world)});
    scaler.scale(amp::sum(p)).backward();
    (void)scaler.unscale_and_clip(optimizer, 100.0);
    scaler.step(optimizer);
    scaler.update();
    return p.to_vector<float>();
  });
  for (const auto& value : values) CHECK(value == std::vector<float>(3, 0.5F));
}

TEST_CASE("a sharded optimizer refuses what it cannot do", "[distributed]") {
  const Samples samples(8);
  amp::ThreadGroup group(1);
  Communicator& world = group.communicator(0);
  const Mlp model = amp_test::make_mlp(1);
  DataParallel parallel(model, world);
  ShardedOptimizer<amp::SGD> optimizer(parallel, {.lr = 0.1});
  const auto make_another = [&] {
    return error_of([&] {
      const ShardedOptimizer<amp::SGD> another(parallel, {.lr = 0.1});
      return 0;
    });
  };
  CHECK_THAT(make_another(), ContainsSubstring("has a ShardedOptimizer already"));
  CHECK_THAT(error_of([&] {
               optimizer.step();
               return 0;
             }),
             ContainsSubstring("step: there are no gradients"));
  GradScaler scaler;
  scaler.scale(model.loss(samples.all(0))).backward();
  CHECK_THAT(error_of([&] { return scaler.step(optimizer); }),
             ContainsSubstring("the optimizer has a part of the gradients") &&
                 ContainsSubstring(".agree"));
  CHECK_THAT(error_of([&] {
               optimizer.step();
               return 0;
             }),
             ContainsSubstring("those of a scaled loss"));
  optimizer.zero_grad();
  CHECK(optimizer.gradients().empty());
  const auto another = amp::ones({2}, {.requires_grad = true});
  const Mlp other = amp_test::make_mlp(1);
  DataParallel fresh(other, world);
  CHECK_THAT(
      error_of([&] {
        const std::vector<amp::SGD::Group> groups{{.params = {another}, .options = {.lr = 1}}};
        const ShardedOptimizer<amp::SGD> wrong(fresh, groups);
        return 0;
      }),
      ContainsSubstring("params[0], float32[2], is no parameter of the DataParallel"));
}

TEST_CASE("a step uses gradients once, and unscale_ as a whole optimizer does", "[distributed]") {
  const Samples samples(8);
  const auto results = on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    ShardedOptimizer<amp::SGD> optimizer(parallel, {.lr = 0.1});
    GradScaler scaler({.init_scale = 64, .agree = amp::agreement(world)});
    scaler.scale(model.loss(samples.part(0, world.rank(), 2))).backward();
    scaler.unscale_(optimizer);
    scaler.step(optimizer);
    scaler.update();
    const std::string error = error_of([&] { return scaler.step(optimizer); });
    return std::vector<std::string>{raw_bits(model.named_parameters()), error};
  });
  const auto plain = on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    amp::SGD optimizer(model.parameters(), {.lr = 0.1});
    model.loss(samples.part(0, world.rank(), 2)).backward();
    optimizer.step();
    return raw_bits(model.named_parameters());
  });
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(results[r][0] == plain[0]);
    CHECK_THAT(results[r][1], ContainsSubstring("no parameter of the optimizer has a gradient"));
  }
}

}  // namespace distributed_sharded_optimizer
