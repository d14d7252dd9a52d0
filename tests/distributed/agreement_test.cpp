// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ranks agree on every skipped step: scale, counters and parameters are the same on all, whichever
// rank a gradient overflows on.
#include <amp/scaler/train_step.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "distributed/training.hpp"
#include "support/catch.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // kSanitize

namespace distributed_agreement {

using amp::Communicator;
using amp::DataParallel;
using amp::GradScaler;
using amp::GradScalerState;
using amp::Tensor;
using amp_test::error_of;
using amp_test::errors_on_ranks;
using amp_test::Mlp;
using amp_test::on_ranks;
using amp_test::raw_bits;
using amp_test::Samples;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Gradients that no rank sends.
struct Own {
  std::vector<float> gradient = std::vector<float>(4, 1);
  int steps = 0;
  std::vector<amp::TensorView> gradients() { return {{gradient.data(), 4}}; }
  void step() { ++steps; }
};

}  // namespace

TEST_CASE("2,000 random steps leave all ranks with one scale", "[distributed]") {
  constexpr int kRanks = 4, kUpdates = 2000;
  const amp::GradScalerOptions options{
      .init_scale = 1024, .growth_interval = 7, .max_scale = 0x1p20, .hysteresis = 2};
  struct Trace {
    std::vector<GradScalerState> states;
    std::vector<bool> planted;  // on this rank
    int steps;
  };
  const auto traces = on_ranks(kRanks, [&](Communicator& world) {
    amp::GradScalerOptions own = options;
    own.agree = amp::agreement(world);
    GradScaler scaler(own);
    (void)scaler.scale_data(amp::kCPU);
    Own optimizer;
    std::mt19937 random(static_cast<unsigned>(world.rank()));
    Trace trace;
    for (int update = 0; update < kUpdates; ++update) {
      const bool plants = random() % 40 == 0;
      trace.planted.push_back(plants);
      optimizer.gradient.assign(4, 1);
      if (plants) optimizer.gradient[random() % 4] = random() % 2 == 0 ? kInfinity : std::nanf("");
      const unsigned path = static_cast<unsigned>(update) % 3;
      if (path == 1) scaler.unscale_(optimizer);
      if (path == 2) (void)scaler.unscale_and_clip(optimizer, 1.0);
      scaler.step(optimizer);
      scaler.update();
      trace.states.push_back(scaler.state_dict());
    }
    trace.steps = optimizer.steps;
    return trace;
  });
  std::vector<bool> any(kUpdates, false);
  for (const Trace& trace : traces) {
    for (std::size_t i = 0; i < any.size(); ++i) any[i] = any[i] || trace.planted[i];
  }
  const std::vector<GradScalerState> expected = amp::replay(options, any);
  for (const Trace& trace : traces) {
    CHECK((trace.states == expected));
    CHECK(trace.steps == expected.back().applied);
  }
}

TEST_CASE("what a rank overflows in skips the step on all", "[distributed][thread]") {
  const Samples samples(8);
  for (int planted = 0; planted < 3; ++planted) {
    struct Outcome {
      bool skipped, unchanged;
      double scale;
      std::string bits;
    };
    const auto outcomes = on_ranks(3, [&](Communicator& world) {
      const Mlp model = amp_test::make_mlp(1);
      DataParallel parallel(model, world);
      amp::AdamW optimizer(model.named_parameters());
      GradScaler scaler({.init_scale = 256, .agree = amp::agreement(world)});
      Samples::Batch batch = samples.part(0, world.rank(), 3);
      if (world.rank() == planted) batch.y = amp::full({batch.count(), 3}, kInfinity);
      const std::string before = raw_bits(model.named_parameters());
      scaler.scale(model.loss(batch)).backward();
      const amp::StepResult result = scaler.step(optimizer);
      scaler.update();
      const std::string after = raw_bits(model.named_parameters());
      // The next step goes through.
      optimizer.zero_grad();
      scaler.scale(model.loss(samples.part(1, world.rank(), 3))).backward();
      if (scaler.step(optimizer).skipped()) throw amp::Error("skipped a good step");
      scaler.update();
      return Outcome{result.skipped(), before == after, scaler.get_scale(),
                     raw_bits(model.named_parameters())};
    });
    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.skipped);
      CHECK(outcome.unchanged);
      CHECK(outcome.scale == 128);
      CHECK(outcome.bits == outcomes[0].bits);
    }
  }
}

TEST_CASE("test_sharded_grad_scaler_found_inf (test_fsdp_sharded_grad_scaler.py)",
          "[distributed]") {
  const auto claims = on_ranks(2, [](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world);
    amp::ShardedOptimizer<amp::SGD> optimizer(parallel, {.lr = 0.1});
    GradScaler scaler({.init_scale = 2, .agree = amp::agreement(world)});
    double scale = 2;
    std::string wrong;
    for (int i = 0; i < 10; ++i) {
      Samples::Batch batch = Samples(8).part(i, world.rank(), 2);
      const bool bad = i % 2 == 0;
      if (bad && world.rank() == 0) batch.y = amp::full({batch.count(), 3}, kInfinity);
      const std::string before = raw_bits(model.named_parameters());
      scaler.scale(model.loss(batch)).backward();
      scaler.step(optimizer);
      scaler.update();
      if (bad) scale /= 2;
      const bool unchanged = before == raw_bits(model.named_parameters());
      if (unchanged != bad || scaler.get_scale() != scale) wrong += std::to_string(i) + " ";
    }
    return wrong;
  });
  for (const std::string& wrong : claims) CHECK(wrong.empty());
}

TEST_CASE("a scaler that does not agree refuses parameters of several ranks", "[distributed]") {
  const Samples samples(8);
  const auto errors = errors_on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world);
    amp::SGD optimizer(model.parameters(), {.lr = 0.1});
    GradScaler scaler;
    scaler.scale(model.loss(samples.part(0, world.rank(), 2))).backward();
    const auto names = [&](auto&& call) {
      const std::string error = error_of(call);
      if (error.find("parameter 0, float32[7, 5], is trained by several ranks") ==
              std::string::npos ||
          error.find(".agree = amp::agreement(communicator)") == std::string::npos)
        throw amp::Error("not named: " + error);
    };
    names([&] {
      scaler.unscale_(optimizer);
      return 0;
    });
    names([&] { return scaler.unscale_and_clip(optimizer, 1.0); });
    scaler.step(optimizer);
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("step: parameter 0") &&
                          ContainsSubstring("is trained by several ranks"));
}

TEST_CASE("a word that a rank's own kernel sets is agreed on", "[distributed]") {
  for (const float value : {1.0F, -1.0F, std::nanf(""), 0x1p-149F}) {
    const auto scales = on_ranks(2, [&](Communicator& world) {
      GradScaler scaler({.init_scale = 8, .agree = amp::agreement(world)});
      float* const found = scaler.found_inf_data(amp::kCPU);
      if (world.rank() == 1) *found = value;
      scaler.update();
      const double lowered = scaler.get_scale();
      scaler.update();  // found_inf is 0 again
      return std::vector<double>{lowered, scaler.get_scale(), *found};
    });
    for (const auto& scale : scales) CHECK(scale == std::vector<double>{4, 4, 0});
  }
}

TEST_CASE("what the pass of unscale_and_clip finds is agreed on", "[distributed]") {
  const auto results = on_ranks(2, [](Communicator& world) {
    GradScaler scaler({.init_scale = 8, .agree = amp::agreement(world)});
    (void)scaler.scale_data(amp::kCPU);
    float gradient[] = {1, world.rank() == 0 ? kInfinity : 2};
    double steps = 0;
    amp::PlainOptimizer optimizer({{gradient, 2}}, [&](const amp::GradScale& scale) {
      if (!scale.skips()) ++steps;
    });
    (void)scaler.unscale_and_clip(optimizer, 1.0);
    const bool skipped = scaler.step(optimizer).skipped();
    scaler.update();
    return std::vector<double>{skipped ? 1.0 : 0.0, steps, scaler.get_scale()};
  });
  for (const auto& result : results) CHECK(result == std::vector<double>{1, 0, 4});
}

TEST_CASE("ranks that sanitize agree that they did", "[distributed]") {
  const auto results = on_ranks(2, [](Communicator& world) {
    GradScaler scaler({.init_scale = 8,
                       .on_overflow = amp::OverflowPolicy::kSanitize,
                       .agree = amp::agreement(world)});
    (void)scaler.scale_data(amp::kCPU);
    Own optimizer;
    if (world.rank() == 1) optimizer.gradient[2] = kInfinity;
    scaler.step(optimizer);
    scaler.update();
    return std::vector<double>{scaler.get_scale(), static_cast<double>(optimizer.steps)};
  });
  for (const auto& result : results) CHECK(result == std::vector<double>{4, 1});
}

TEST_CASE("steps of TrainStep in float32 agree as well", "[distributed]") {
  const Samples samples(8);
  const auto bits = on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world);
    amp::SGD optimizer(model.parameters(), {.lr = 0.1});
    GradScaler scaler({.init_scale = 256, .agree = amp::agreement(world)});
    amp::TrainStep train(scaler, {.on_skip = amp::OnSkip::kFloat32, .float32_steps = 2});
    for (int step = 0; step < 4; ++step) {
      Samples::Batch batch = samples.part(step, world.rank(), 2);
      if (step == 1 && world.rank() == 1) batch.y = amp::full({batch.count(), 3}, kInfinity);
      const auto result = train(optimizer, [&] { return model.loss(batch); });
      if (result.skipped() != (step == 1) || result.float32 != (step > 1))
        throw amp::Error("another step than expected");
    }
    return raw_bits(model.named_parameters());
  });
  CHECK(bits[0] == bits[1]);
}

TEST_CASE("a disabled scaler asks no rank", "[distributed]") {
  GradScaler scaler({.enabled = false, .agree = [](const Tensor&) { throw amp::Error("asked"); }});
  Own optimizer;
  scaler.step(optimizer);
  scaler.update();
  CHECK(optimizer.steps == 1);
}

TEST_CASE("an error of `agree` leaves a scaler that can go on", "[distributed]") {
  bool fails = true;
  GradScaler scaler({.init_scale = 8, .agree = [&](const Tensor&) {
                       if (fails) throw amp::CommunicationError("the cable is out");
                     }});
  (void)scaler.scale_data(amp::kCPU);
  Own optimizer;
  CHECK(error_of([&] { return scaler.step(optimizer); }) == "the cable is out");
  CHECK(optimizer.steps == 0);
  scaler.update();
  fails = false;
  scaler.step(optimizer);
  scaler.update();
  CHECK(optimizer.steps == 1);
}

}  // namespace distributed_agreement
