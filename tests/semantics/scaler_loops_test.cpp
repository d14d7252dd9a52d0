// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests that train under a GradScaler beside a control without.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "semantics/scaling_case.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace scaler_loops {
namespace {

using amp::GradScaler;
using amp::kCPU;
using amp::Tensor;
using scaler_test::parameter;
using semantics_test::Data;
using semantics_test::kSkipIter;
using semantics_test::make_data;
using semantics_test::Network;
using semantics_test::run_scaling_case;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The plain loop, the scaled forward pass under autocast where `dtype` says so.
struct Autocast {
  amp::DType dtype;
  bool text_between = false;  // the scaler's state goes through text after each batch

  template <class Optimizer>
  void operator()(const Data& data, const Network& network, Optimizer& optimizer,
                  GradScaler& scaler, bool scaled) const {
    for (std::size_t i = 0; i < data.size(); ++i) {
      optimizer.zero_grad();
      const Tensor loss = [&] {
        const amp::AutocastGuard autocast(kCPU, {.dtype = dtype, .enabled = scaled});
        return amp::mse_loss(network(data[i].input), data[i].target);
      }();
      const bool bad = i == kSkipIter && scaler.is_enabled();
      if (!scaled) {
        loss.backward();
        if (!bad) optimizer.step();
        continue;
      }
      scaler.scale(loss).backward();
      if (bad) network.poison();
      CHECK(scaler.step(optimizer).skipped() == bad);
      scaler.update();
      if (text_between)
        scaler.load_state_dict(amp::parse_grad_scaler_state(amp::to_string(scaler.state_dict())));
    }
  }
};

/// One gradient through one step and update: the parameter, the scale and the tracker after it.
struct Outcome {
  double parameter, scale;
  std::int32_t tracker;
  bool skipped;
};
Outcome one_step(double gradient, double scale) {
  const Tensor p = parameter({1}, {gradient});
  amp::SGD sgd({p}, {.lr = 1});
  GradScaler scaler({.init_scale = scale});
  scaler_test::start(scaler);
  const bool skipped = scaler.step(sgd).skipped();
  scaler.update();
  return {p.item<double>(), scaler.get_scale(), scaler.state_dict().growth_tracker, skipped};
}

}  // namespace

// --- training ------------------------------------------------------------------------------------

TEST_CASE(
    "test_grad_scaling_autocast (test_torch.py): float16 with a scaler is float32 within 1e-3") {
  run_scaling_case({3, 1, 1e-3}, Autocast{amp::kFloat16});
  run_scaling_case({3, 1, 1e-3}, Autocast{amp::kFloat16, true});  // PyTorch pickles the scaler
  run_scaling_case({3, 1}, Autocast{amp::kFloat32});              // nothing but the scale: no bit
}

// PyTorch's test asserts that its comparison fails for these two, whose first step is the sign of
// the gradient; amp's Adam is compared in float32, where it must not.
TEST_CASE("test_grad_scaling_autocast (test_torch.py): Adam and AdamW, but for the rounding") {
  run_scaling_case<amp::Adam>({3, 1}, Autocast{amp::kFloat32}, amp::AdamOptions{.lr = 0.1});
  run_scaling_case<amp::AdamW>({3, 1}, Autocast{amp::kFloat32}, amp::AdamOptions{.lr = 0.1});
}

// The hole is PyTorch's as well: gradients are tested when they are unscaled.
TEST_CASE(
    "test_params_invalidated_with_grads_invalidated_between_unscale_and_step (test_torch.py)") {
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    const Network network(7);
    amp::SGD sgd(network.parameters(), {.lr = 1});
    GradScaler scaler({.init_scale = 128, .growth_interval = 1});
    const semantics_test::Batch batch = make_data()[0];
    scaler.scale(amp::mse_loss(network(batch.input), batch.target)).backward();
    scaler.unscale_(sgd);
    for (const Tensor& p : sgd.parameters()) p.grad().fill_(bad);
    CHECK_FALSE(scaler.step(sgd).skipped());
    for (const Tensor& p : sgd.parameters()) {
      for (const float x : p.to_vector<float>()) CHECK_FALSE(std::isfinite(x));
    }
  }
}

// PyTorch lets the user clip scaled gradients to a scaled norm. Here clip_grad_norm_ refuses a
// gradient that carries the scale, and unscale_and_clip does the same without unscaling first.
TEST_CASE("test_grad_scaling_clipping (test_torch.py): clipped without unscale_, as the control") {
  constexpr double kMaxNorm = 0.2;
  run_scaling_case({3, 1, 1e-5}, [=](const Data& data, const Network& network, amp::SGD& sgd,
                                     GradScaler& scaler, bool scaled) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      sgd.zero_grad();
      const Tensor loss = amp::mse_loss(network(data[i].input), data[i].target);
      const bool bad = i == kSkipIter && scaler.is_enabled();
      if (!scaled) {
        loss.backward();
        amp::clip_grad_norm_(sgd.parameters(), kMaxNorm);
        if (!bad) sgd.step();
        continue;
      }
      scaler.scale(loss).backward();
      if (bad) network.poison();
      if (scaler.is_enabled()) {
        CHECK_THAT(amp_test::error_of([&] {
                     return amp::clip_grad_norm_(sgd.parameters(), kMaxNorm * scaler.get_scale());
                   }),
                   Catch::Matchers::ContainsSubstring("unscale_and_clip"));
      }
      const Tensor norm = scaler.unscale_and_clip(sgd, kMaxNorm);
      if (!bad) CHECK(norm.item<float>() > kMaxNorm);
      CHECK(scaler.step(sgd).skipped() == bad);
      scaler.update();
    }
  });
}

TEST_CASE("test_grad_scaling_clipping_separate_unscale (test_torch.py): unscale_, clip, step") {
  constexpr double kMaxNorm = 0.2;
  run_scaling_case({3, 1, 1e-7}, [=](const Data& data, const Network& network, amp::SGD& sgd,
                                     GradScaler& scaler, bool scaled) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      sgd.zero_grad();
      const Tensor loss = amp::mse_loss(network(data[i].input), data[i].target);
      const bool bad = i == kSkipIter && scaler.is_enabled();
      if (!scaled) {
        loss.backward();
        amp::clip_grad_norm_(sgd.parameters(), kMaxNorm);
        if (!bad) sgd.step();
        continue;
      }
      scaler.scale(loss).backward();
      if (bad) network.poison();
      scaler.unscale_(sgd);
      const float norm = amp::clip_grad_norm_(sgd.parameters(), kMaxNorm).item<float>();
      CHECK(std::isfinite(norm) != bad);  // error_if_nonfinite=False
      CHECK(scaler.step(sgd).skipped() == bad);
      scaler.update();
    }
  });
}

TEST_CASE("test_grad_scaling_accumulation (test_torch.py): two backwards for each step") {
  constexpr std::size_t kAccumulated = 2;
  run_scaling_case({2, 0}, [](const Data& data, const Network& network, amp::SGD& sgd,
                              GradScaler& scaler, bool scaled) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Tensor loss =
          amp::mse_loss(network(data[i].input), data[i].target) / static_cast<double>(kAccumulated);
      (scaled ? scaler.scale(loss) : loss).backward();
      if ((i + 1) % kAccumulated != 0) continue;
      if (scaled) {
        CHECK_FALSE(scaler.step(sgd).skipped());
        scaler.update();
      } else {
        sgd.step();
      }
      sgd.zero_grad();
    }
  });
}

namespace {

/// Two models, two optimizers, two losses of both outputs; infinite gradients in the second model
/// at batch 2 must leave out the second optimizer's step alone.
struct Multiple {
  Network model0{7}, model1{8};
  amp::SGD optimizer0{model0.parameters(), {.lr = 1}};
  amp::Adam optimizer1{model1.parameters(), {.lr = 0.01}};

  void train(const Data& data, GradScaler* scaler, bool skips) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      optimizer0.zero_grad();
      optimizer1.zero_grad();
      const Tensor y0 = model0(data[i].input), y1 = model1(data[i].input);
      const Tensor loss0 = amp::mse_loss(y0 * 0.3 + y1 * 0.7, data[i].target),
                   loss1 = amp::mse_loss(y0 * 0.6 - y1 * 0.4, data[i].target);
      const bool bad = i == kSkipIter && skips;
      if (scaler == nullptr) {
        (loss0 + loss1).backward();  // one graph is walked once
        optimizer0.step();
        if (!bad) optimizer1.step();
        continue;
      }
      const std::vector<Tensor> losses = scaler->scale({loss0, loss1});
      (losses[0] + losses[1]).backward();
      if (bad) model1.poison();
      scaler->unscale_(optimizer0);  // one of them explicitly
      const amp::StepResult result0 = scaler->step(optimizer0), result1 = scaler->step(optimizer1);
      scaler->update();
      CHECK_FALSE(result0.skipped());
      CHECK(result1.skipped() == bad);
    }
  }
};

}  // namespace

TEST_CASE("test_grad_scaling_multiple (test_torch.py): two models, two optimizers, two losses") {
  const Data data = make_data();
  for (const bool enabled : {true, false}) {
    Multiple control, scaled;
    GradScaler scaler({.init_scale = 128, .growth_interval = 1, .enabled = enabled});
    control.train(data, nullptr, enabled);
    scaled.train(data, &scaler, enabled);
    CHECK(semantics_test::difference(control.model0, scaled.model0) == 0);
    CHECK(semantics_test::difference(control.model1, scaled.model1) == 0);
    CHECK(scaler.get_scale() == (enabled ? 512 : 1));
    CHECK(scaler.counters().skipped == (enabled ? 1 : 0));
  }
}

// On one device, where that found_inf is kept for each optimizer is what remains; on two:
// cuda/several_devices_test.cpp.
TEST_CASE("test_grad_scaling_multigpu (test_cuda_multigpu.py): each optimizer its own found_inf") {
  const Tensor p = parameter({1}, {4}), q = parameter({1}, {kInfinity}), r = parameter({1}, {4});
  amp::SGD a({p}, {.lr = 1}), b({q}, {.lr = 1}), c({r}, {.lr = 1});
  GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  const amp::StepResult ra = scaler.step(a), rb = scaler.step(b), rc = scaler.step(c);
  CHECK(*ra.skipped_data() == 0);
  CHECK(*rb.skipped_data() == 1);
  CHECK(*rc.skipped_data() == 0);
  scaler.update();
  CHECK(scaler.get_scale() == 1);  // once
}

// A graph of the device replays the step there; here it runs as it is written.
TEST_CASE("test_graph_grad_scaling (test_cuda.py): 5, 20000, 5, 40000 at a scale of 4") {
  const Tensor weight = amp::ones({100}, {.requires_grad = true});
  amp::SGD sgd({weight}, {.lr = 0.1});
  GradScaler scaler({.init_scale = 4, .growth_interval = 2});
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<double> inputs = {5, 20000, 5, 40000}, scales = {4, 2, 2, 1};
  const std::vector<std::int32_t> trackers = {1, 0, 1, 0};
  const std::vector<float> gradients = {20, inf, 10, inf};
  for (std::size_t i = 0; i < 4; ++i) {
    INFO("input " << inputs[i]);
    sgd.zero_grad();
    const Tensor x = amp::full({100}, inputs[i], {.dtype = amp::kFloat16});
    scaler.scale(amp::sum(weight.to(amp::kFloat16) * x)).backward();
    CHECK(weight.grad().to_vector<float>() == std::vector<float>(100, gradients[i]));
    CHECK(scaler.step(sgd).skipped() == (gradients[i] == inf));
    scaler.update();
    CHECK(scaler.get_scale() == scales[i]);
    CHECK(scaler.state_dict().growth_tracker == trackers[i]);
  }
}

TEST_CASE("test_inf_gradients_skip_optim_step (test_fsdp_sharded_grad_scaler.py)") {
  const Outcome outcome = one_step(kInfinity, 2);
  CHECK(outcome.skipped);  // PyTorch's step returns None, as it does after a good one
  CHECK(outcome.parameter == 1);
  CHECK(outcome.scale == 1);
}

// Of the sharded gradients one shard remains.
TEST_CASE("test_gradient_scaler (test_fully_shard_grad_scaler.py): unscaled, and halved iff inf") {
  for (const double gradient : {4.0, kInfinity, kNaN}) {
    const Tensor p = parameter({1}, {gradient});
    amp::SGD sgd({p}, {.lr = 1});
    GradScaler scaler({.init_scale = 2});
    scaler_test::start(scaler);
    scaler.unscale_(sgd);
    if (std::isfinite(gradient)) CHECK(p.grad().item<double>() == 2);
    CHECK_THAT(amp_test::error_of([&] { scaler.unscale_(sgd); }),
               Catch::Matchers::ContainsSubstring("already unscaled"));
    CHECK(scaler.step(sgd).skipped() == !std::isfinite(gradient));
    scaler.update();
    CHECK(scaler.get_scale() == (std::isfinite(gradient) ? 2 : 1));
  }
}

TEST_CASE("GradScaler: the numbers of PyTorch 2.6") {
  const Outcome good = one_step(4, 2);
  CHECK(good.parameter == -1);
  CHECK(good.scale == 2);
  CHECK(good.tracker == 1);
  const Outcome bad = one_step(kInfinity, 2);
  CHECK(bad.parameter == 1);
  CHECK(bad.scale == 1);
  CHECK(bad.tracker == 0);
  // update(64) after one good step leaves the tracker.
  const Tensor p = parameter({1}, {4});
  amp::SGD sgd({p}, {.lr = 1});
  GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  scaler.step(sgd);
  scaler.update();
  scaler.update(64.0);
  CHECK(scaler.get_scale() == 64);
  CHECK(scaler.state_dict().growth_tracker == 1);
}

// --- scale() and the state -----------------------------------------------------------------------

// Containers are lists of tensors here, and do not nest; cuda/several_devices_test.cpp has the
// second device.
TEST_CASE("test_grad_scaling_scale (test_cuda_multigpu.py): every tensor of a list is scaled") {
  GradScaler scaler({.init_scale = 2});
  const Tensor four = amp::full({1}, 4);
  CHECK(scaler.scale(four).item<float>() == 8);
  const std::vector<Tensor> scaled = scaler.scale({four, amp::full({}, 4), four});
  REQUIRE(scaled.size() == 3);
  for (const Tensor& t : scaled) CHECK(t.item<float>() == 8);
  CHECK(*scaler.scale_data(four.device()) == 2);
  CHECK_THROWS_AS(scaler.scale_data(amp::kCUDA), amp::Error);  // lives where the first tensor was
}

TEST_CASE("test_grad_scaling (test_fsdp_sharded_grad_scaler.py): 8 by 2, and a list of 4 and 8") {
  GradScaler scaler({.init_scale = 2});
  CHECK(scaler.scale(amp::full({1}, 8)).item<float>() == 16);
  const std::vector<Tensor> losses = {amp::full({1}, 4), amp::full({1}, 8)};
  const std::vector<Tensor> scaled = scaler.scale(losses);
  CHECK(scaled[0].item<float>() == 8);
  CHECK(scaled[1].item<float>() == 16);
}

TEST_CASE("test_grad_scaling_device_as_key (test_cuda_multigpu.py): equal devices are one") {
  CHECK(amp::Device(kCPU) == amp::Device(kCPU, 0));
  CHECK_FALSE(amp::Device(amp::kCUDA, 0) == amp::Device(amp::kCUDA, 1));
  struct TwoNames {
    float memory[2] = {4, 8};
    std::vector<amp::TensorView> gradients() {
      return {{memory, 1, amp::kFloat32, amp::Device(kCPU), "a"},
              {memory + 1, 1, amp::kFloat32, amp::Device(kCPU, 0), "b"}};
    }
    void step() {}
  } optimizer;
  GradScaler scaler({.init_scale = 2});
  CHECK(scaler.scale_data(amp::Device(kCPU)) == scaler.scale_data(amp::Device(kCPU, 0)));
  scaler.unscale_(optimizer);
  CHECK(optimizer.memory[0] == 2);
  CHECK(optimizer.memory[1] == 4);
}

// Objects are not pickled here: their state is a value, and a text.
TEST_CASE("test_pickle_gradscaler (test_torch.py): the state goes through text") {
  for (const bool used : {false, true}) {
    INFO("used " << used);
    GradScaler scaler(
        {.init_scale = 3, .growth_factor = 4, .backoff_factor = 0.5, .growth_interval = 2});
    if (used) (void)scaler.scale(amp::full({1}, 4));
    GradScaler loaded;
    loaded.load_state_dict(amp::parse_grad_scaler_state(amp::to_string(scaler.state_dict())));
    CHECK(loaded.is_enabled());
    CHECK(loaded.get_scale() == 3);
    CHECK(loaded.get_growth_factor() == 4);
    CHECK(loaded.get_backoff_factor() == 0.5);
    CHECK(loaded.get_growth_interval() == 2);
    CHECK(loaded.state_dict().growth_tracker == 0);
    CHECK(loaded.scale(amp::full({1}, 4)).item<float>() == 12);
  }
}

TEST_CASE("test_grad_scaling_state_dict (test_torch.py): all five are overwritten") {
  GradScaler saved(
      {.init_scale = 3, .growth_factor = 4, .backoff_factor = 0.5, .growth_interval = 2});
  for (const bool used : {false, true}) {
    INFO("used " << used);
    GradScaler scaler(
        {.init_scale = 6, .growth_factor = 7, .backoff_factor = 0.8, .growth_interval = 9});
    amp::GradScalerState other = scaler.state_dict();
    other.growth_tracker = 7;
    scaler.load_state_dict(other);
    if (used) (void)scaler.scale(amp::full({1}, 4));
    scaler.load_state_dict(saved.state_dict());
    CHECK(scaler.get_scale() == 3);
    CHECK(scaler.get_growth_factor() == 4);
    CHECK(scaler.get_backoff_factor() == 0.5);
    CHECK(scaler.get_growth_interval() == 2);
    CHECK(scaler.state_dict().growth_tracker == 0);
    CHECK(scaler.scale(amp::full({1}, 4)).item<float>() == 12);
  }
}

}  // namespace scaler_loops
