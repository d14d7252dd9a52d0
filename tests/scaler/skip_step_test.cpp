// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A step left out, by an overflow or by skip_step: parameters, moments and step counts keep every
// bit.
#include <amp/amp.hpp>
#include <amp/kernels/optim/adam.hpp>
#include <amp/kernels/optim/args.hpp>
#include <amp/kernels/optim/host.hpp>
#include <amp/kernels/optim/sgd.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace skip_step {
namespace {

using scaler_test::Dice;
using scaler_test::parameter;

constexpr std::array kDTypes = {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16};

std::vector<std::uint8_t> bytes(const amp::Tensor& tensor) {
  std::vector<std::uint8_t> bytes(
      static_cast<std::size_t>(tensor.numel() * amp::item_size(tensor.dtype())));
  std::memcpy(bytes.data(), tensor.raw_data(), bytes.size());
  return bytes;
}

// --- beside an optimizer that never met a bad step ----------------------------------------------

enum class Way { kStep, kUnscaleStep, kClipStep };

/// Two parameters, whose gradients come from `dice`.
struct Trained {
  amp::Tensor p, q;
  explicit Trained(amp::DType dtype)
      : p(parameter({1, -2, 0.5}, {0, 0, 0}, dtype)), q(parameter({0.25, -0.0}, {0, 0}, dtype)) {}

  std::vector<amp::Tensor> parameters() const { return {p, q}; }
  std::vector<std::uint8_t> bits() const {
    std::vector<std::uint8_t> all = bytes(p), more = bytes(q);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void set_gradients(Dice& dice, double scale) const {
    for (const amp::Tensor& t : parameters()) {
      std::vector<double> values;
      for (std::int64_t i = 0; i < t.numel(); ++i) values.push_back(scale * (dice.unit() - 0.4));
      t.set_grad(amp::tensor(values, t.shape(), {.dtype = t.dtype()}));
    }
  }
};

template <class Optimizer>
bool take(amp::GradScaler& scaler, Optimizer& optimizer, Way way) {
  if (way == Way::kUnscaleStep) scaler.unscale_(optimizer);
  if (way == Way::kClipStep) (void)scaler.unscale_and_clip(optimizer, 0.7);
  const bool skipped = scaler.step(optimizer).skipped();
  scaler.update();
  return skipped;
}

/// Good steps on two optimizers at once; on one of them bad ones and skip_step come between. Both
/// must stay bit for bit alike: a moment or a count that moved would show in the next steps.
template <class Optimizer, class Options>
void check_beside_control(const Options& options, amp::DType dtype, Way way) {
  const amp::GradScalerOptions fixed{
      .init_scale = 256, .policy = amp::ScalePolicy::kStatic, .on_skips = {}};
  const Trained a(dtype), b(dtype);
  Optimizer control(a.parameters(), options), disturbed(b.parameters(), options);
  amp::GradScaler control_scaler(fixed), scaler(fixed);
  scaler_test::start(control_scaler);
  scaler_test::start(scaler);
  Dice dice(3), same(3), events(5);
  bool still = true, alike = true;
  for (int i = 0; i < 150; ++i) {
    for (std::uint64_t bad = events.below(3); bad > 0; --bad) {  // also before the first step
      const std::vector<std::uint8_t> before = b.bits();
      Dice noise(events.below(1000));
      b.set_gradients(noise, 256);
      if (events.chance(0.2)) {
        if (way == Way::kUnscaleStep) scaler.unscale_(disturbed);
        scaler.skip_step(disturbed);
        scaler.update();
      } else {
        const amp::Tensor grad = (events.chance(0.5) ? b.p : b.q).grad();
        grad.narrow(0, 1, 1).fill_(events.one_of<double>({HUGE_VAL, -HUGE_VAL, std::nan("")}));
        still = take(scaler, disturbed, way) && still;
      }
      still = still && b.bits() == before;
    }
    a.set_gradients(dice, 256);
    b.set_gradients(same, 256);
    const bool skipped = take(control_scaler, control, way) || take(scaler, disturbed, way);
    alike = alike && !skipped && a.bits() == b.bits();
  }
  INFO(amp::name(dtype) << ", way " << static_cast<int>(way));
  CHECK(still);
  CHECK(alike);
  CHECK(a.bits() != Trained(dtype).bits());
}

template <class Optimizer, class Options>
void check_beside_control(const Options& options) {
  for (const amp::DType dtype : kDTypes) {
    for (const Way way : {Way::kStep, Way::kUnscaleStep, Way::kClipStep})
      check_beside_control<Optimizer>(options, dtype, way);
  }
}

// --- the kernels over memory that can be looked at ----------------------------------------------

/// Runs `kernel` with the found_inf word 0 and with others; only 0 may change `memory`.
void check_word_decides(const std::function<std::vector<std::uint8_t>()>& memory,
                        const std::function<void(const float*)>& kernel) {
  const std::vector<std::uint8_t> before = memory();
  for (float word : {1.0F, 2.0F, -1.0F, 1e-45F, NAN, HUGE_VALF}) {
    INFO("word " << word);
    kernel(&word);
    CHECK(memory() == before);
  }
  float word = 0;
  kernel(&word);
  CHECK(memory() != before);
}

}  // namespace

TEST_CASE("skipped: SGD's parameters and momentum") {
  check_beside_control<amp::SGD>(amp::SGDOptions{.lr = 0.05, .momentum = 0.9});
  check_beside_control<amp::SGD>(
      amp::SGDOptions{.lr = 0.05, .momentum = 0.5, .weight_decay = 0.1, .nesterov = true});
}

TEST_CASE("skipped: Adam's parameters, moments and step counts") {
  check_beside_control<amp::Adam>(amp::AdamOptions{.lr = 0.01});
  check_beside_control<amp::Adam>(amp::AdamOptions{.lr = 0.01, .weight_decay = 0.1});
}

TEST_CASE("skipped: AdamW's parameters, moments and step counts") {
  check_beside_control<amp::AdamW>(amp::AdamOptions{.lr = 0.01});
}

TEMPLATE_TEST_CASE("skipped: what the kernels write to, state and counts included", "", float,
                   double, amp::half, amp::bfloat16) {
  constexpr std::size_t kSize = 5;
  struct Memory {
    TestType parameter[kSize], gradient[kSize], first[kSize], second[kSize];
    std::int64_t step = 7, applied = 70;
  } memory{};
  for (std::size_t i = 0; i < kSize; ++i) {
    memory.parameter[i] = memory.gradient[i] = static_cast<TestType>(0.5F + static_cast<float>(i));
    memory.first[i] = memory.second[i] = static_cast<TestType>(0.25F);
  }
  memory.gradient[2] = static_cast<TestType>(NAN);
  const auto contents = [&] {
    std::vector<std::uint8_t> copy(sizeof memory);
    std::memcpy(copy.data(), &memory, sizeof memory);
    return copy;
  };
  const amp::DType dtype = amp::dtype_of<TestType>;
  const float one = 1;
  const auto take = [&]<class Rule>(const Rule& rule) {
    check_word_decides(contents, [&](const float* found_inf) {
      void* const states[] = {memory.first, memory.second};
      amp::kernels::OptimizerParameter<Rule> p{
          .parameter = memory.parameter,
          .gradient = memory.gradient,
          .states = {},
          .step = amp::kernels::counts_steps(rule) ? &memory.step : nullptr,
          .numel = kSize,
          .dtype = dtype,
          .gradient_dtype = dtype,
          .state_dtype = dtype};
      for (int s = 0; s < 2; ++s)
        if (s < Rule::kStates) p.states[s] = states[s];
      const amp::kernels::OptimizerGroup<Rule> group{
          .parameters = &p, .count = 1, .settings = {.lr = {0.1, {}}, .rule = rule}};
      amp::kernels::host::optimizer_step<Rule>(
          {.device = amp::kCPU,
           .groups = &group,
           .count = 1,
           .applied = &memory.applied,
           .scale = {.inverse = &one, .found_inf = found_inf}});
    });
  };
  for (const bool nesterov : {false, true})
    take(amp::kernels::SgdRule{.momentum = 0.9, .weight_decay = 0.1, .nesterov = nesterov});
  for (const bool decoupled : {false, true})
    take(amp::kernels::AdamRule{.weight_decay = 0.1, .decoupled = decoupled});
  CHECK(memory.step == 9);
  CHECK(memory.applied == 74);
}

// --- skip_step ----------------------------------------------------------------------------------

TEST_CASE("skip_step: counts, and moves nothing but the count") {
  for (const amp::ScalePolicy policy : scaler_test::kPolicies) {
    INFO(static_cast<int>(policy));
    amp::GradScaler scaler({.init_scale = 8,
                            .growth_interval = 3,
                            .hysteresis = 3,
                            .policy = policy,
                            .overflow_share = 1,
                            .on_skips = {}});
    auto optimizer = scaler_test::make_raw<scaler_test::AwareSGD<float>>({5}, {HUGE_VAL});
    scaler_test::start(scaler);
    scaler.step(optimizer);
    scaler.update();
    optimizer.gradient[0] = 0;
    scaler.step(optimizer);
    scaler.update();
    optimizer.gradient[0] = HUGE_VALF;  // nobody looks at it
    amp::GradScalerState expected = scaler.state_dict();
    for (int i = 0; i < 10; ++i) {
      scaler.skip_step(optimizer);
      CHECK_NOTHROW(scaler.update());
      ++expected.skipped;
      CHECK(scaler.state_dict() == expected);
    }
    CHECK(optimizer.weights[0] == 5);
    CHECK(optimizer.gradient[0] == HUGE_VALF);
  }
}

TEST_CASE("skip_step: needs no gradients") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  CHECK_NOTHROW(scaler.skip_step(sgd));
  CHECK_NOTHROW(scaler.update());
  CHECK(scaler.counters().skipped == 1);
}

TEST_CASE("skip_step: after unscale_ the scale moves by what was seen") {
  for (const bool bad : {false, true}) {
    for (const bool clip : {false, true}) {
      auto optimizer =
          scaler_test::make_raw<scaler_test::RawSGD<float>>({5}, {bad ? HUGE_VAL : 8.0});
      amp::GradScaler scaler({.init_scale = 8, .growth_interval = 1});
      scaler_test::start(scaler);
      if (clip) {
        (void)scaler.unscale_and_clip(optimizer, 100);
      } else {
        scaler.unscale_(optimizer);
      }
      scaler.skip_step(optimizer);
      scaler.update();
      INFO("bad " << bad << ", clip " << clip);
      CHECK(scaler.get_scale() == (bad ? 4 : 16));
      CHECK(scaler.counters().skipped == 1);
      CHECK(scaler.counters().applied == 0);
      CHECK(scaler.counters().consecutive_skips == (bad ? 1 : 0));
      CHECK(optimizer.steps == 0);
    }
  }
}

TEST_CASE("skip_step: of one optimizer leaves another's step and its say over the scale") {
  for (const bool bad : {false, true}) {
    auto skipped = scaler_test::make_raw<scaler_test::AwareSGD<float>>({0}, {NAN});
    auto stepped = scaler_test::make_raw<scaler_test::AwareSGD<float>>({0}, {bad ? HUGE_VAL : 8.0});
    amp::GradScaler scaler({.init_scale = 8, .growth_interval = 1});
    scaler_test::start(scaler);
    scaler.skip_step(skipped);
    CHECK(scaler.step(stepped).skipped() == bad);
    scaler.update();
    CHECK(scaler.get_scale() == (bad ? 4 : 16));
    CHECK(scaler.counters().skipped == (bad ? 2 : 1));
    CHECK(scaler.counters().applied == (bad ? 0 : 1));
  }
}

TEST_CASE("skip_step: of amp's optimizers leaves parameters and scaled gradients as they are") {
  for (const amp::DType dtype : kDTypes) {
    const amp::Tensor p = amp::ones({2}, {.dtype = dtype, .requires_grad = true});
    amp::Adam adam({p}, {.lr = 0.1});
    amp::GradScaler scaler({.init_scale = 8});
    scaler.scale(amp::sum(p)).backward();
    scaler.skip_step(adam);
    scaler.update();
    INFO(amp::name(dtype));
    CHECK(p.to_vector<float>() == std::vector<float>{1, 1});
    CHECK(p.grad().to_vector<float>() == std::vector<float>{8, 8});
    CHECK_THROWS_AS(adam.step(), amp::Error);  // the gradient still carries the scale
    adam.zero_grad();
    scaler.scale(amp::sum(p)).backward();
    CHECK_FALSE(scaler.step(adam).skipped());
    CHECK_NOTHROW(scaler.update());
    CHECK(p.to_vector<float>()[0] < 1);
  }
}

TEST_CASE("skip_step: an accumulation cut short goes on in the next cycle") {
  const amp::Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8, .growth_interval = 1});
  scaler.scale(amp::sum(p)).backward();
  scaler.skip_step(sgd);
  scaler.update();  // the scale stands still, so that what is there still fits
  scaler.scale(amp::sum(p)).backward();
  scaler.step(sgd);
  scaler.update();
  CHECK(p.item<float>() == -2);
}

TEST_CASE("skip_step: disabled, it does nothing") {
  auto optimizer = scaler_test::make_raw<scaler_test::RawSGD<float>>({5}, {8});
  amp::GradScaler scaler({.enabled = false});
  CHECK_NOTHROW(scaler.skip_step(optimizer));
  CHECK_NOTHROW(scaler.skip_step(optimizer));
  CHECK_NOTHROW(scaler.update());
  CHECK(scaler.counters().skipped == 0);
  scaler.step(optimizer);
  CHECK(optimizer.weights[0] == -3);
}

}  // namespace skip_step
