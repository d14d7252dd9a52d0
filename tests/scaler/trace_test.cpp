// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Training loops at random, 10,000 cycles each: after every update the scaler's whole state is the
// reference's, bit for bit, and what was skipped did not move.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"

namespace trace {
namespace {

using scaler_test::Dice;
using scaler_test::Reference;
using scaler_test::same_bits;

enum class Way { kStep, kUnscaleStep, kClipStep, kUnscale, kClip, kSkip, kUnscaleSkip, kCount };

constexpr bool looks(Way way) { return way != Way::kSkip; }
constexpr bool steps(Way way) { return way <= Way::kClipStep; }
constexpr bool skips(Way way) { return way == Way::kSkip || way == Way::kUnscaleSkip; }

/// An optimizer of any type, and how it goes through a cycle. run() returns whether its step was
/// skipped (false without a step); weight() is its one weight.
struct Member {
  std::function<bool(amp::GradScaler&, Way, double)> run;
  std::function<double()> weight;
};

template <class Optimizer>
bool go(amp::GradScaler& scaler, Optimizer& optimizer, Way way) {
  if (way == Way::kUnscaleStep || way == Way::kUnscale || way == Way::kUnscaleSkip)
    scaler.unscale_(optimizer);
  if (way == Way::kClipStep || way == Way::kClip) (void)scaler.unscale_and_clip(optimizer, 0.5);
  if (skips(way)) scaler.skip_step(optimizer);
  return steps(way) && scaler.step(optimizer).skipped();
}

template <class Optimizer>
Member raw() {
  auto optimizer = std::make_shared<Optimizer>(scaler_test::make_raw<Optimizer>({1}, {0}, 1e-3));
  using T = typename decltype(optimizer->gradient)::value_type;
  return {[optimizer](amp::GradScaler& scaler, Way way, double gradient) {
            optimizer->gradient[0] = static_cast<T>(gradient);
            return go(scaler, *optimizer, way);
          },
          [optimizer] { return static_cast<double>(optimizer->weights[0]); }};
}

template <class Optimizer, class Options>
Member own(amp::DType dtype, const Options& options) {
  const amp::Tensor p = amp::ones({1}, {.dtype = dtype, .requires_grad = true});
  auto optimizer = std::make_shared<Optimizer>(std::vector{p}, options);
  return {[=](amp::GradScaler& scaler, Way way, double gradient) {
            p.set_grad(amp::full({1}, gradient, {.dtype = dtype}));
            return go(scaler, *optimizer, way);
          },
          [p] { return p.item<double>(); }};
}

Member random_member(Dice& dice) {
  switch (dice.below(8)) {
    case 0:
      return own<amp::SGD>(amp::kFloat32, amp::SGDOptions{.lr = 1e-4, .momentum = 0.9});
    case 1:
      return own<amp::Adam>(amp::kBFloat16, amp::AdamOptions{});
    case 2:
      return own<amp::AdamW>(amp::kFloat64, amp::AdamOptions{});
    case 3:
      return raw<scaler_test::RawSGD<float>>();
    case 4:
      return raw<scaler_test::RawSGD<amp::bfloat16>>();
    case 5:
      return raw<scaler_test::AwareSGD<float>>();
    case 6:
      return raw<scaler_test::AwareSGD<double>>();
    default:
      return raw<scaler_test::RawSGD<double>>();
  }
}

/// One training run beside the reference.
class Run {
 public:
  Run(std::uint64_t seed, amp::ScalePolicy policy)
      : dice_(seed),
        overflows_(dice_),
        options_(scaler_test::random_options(dice_, policy)),
        expected_(options_),
        own_kernels_(dice_.chance(0.2)) {
    scaler_ = std::make_unique<amp::GradScaler>(options_);
    const std::uint64_t count = 1 + dice_.below(3);
    for (std::uint64_t i = 0; i < count; ++i) members_.push_back(random_member(dice_));
    scaler_test::start(*scaler_);
    if (own_kernels_) (void)scaler_->found_inf_data(amp::kCPU);
  }

  /// What went wrong in the next cycle; empty where nothing did.
  const char* cycle() {
    change_settings();
    bool looked = own_kernels_, found = false;
    std::int64_t applied = 0, skipped = 0;
    if (own_kernels_ && dice_.chance(0.3)) {
      found = overflows_.next();
      *scaler_->found_inf_data(amp::kCPU) = found ? 1 : 0;
    }
    const std::size_t must = dice_.below(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i != must && dice_.chance(0.3)) continue;
      const auto way = static_cast<Way>(dice_.below(static_cast<std::uint64_t>(Way::kCount)));
      const bool bad = overflows_.next();
      const double weight = members_[i].weight();
      const bool was_skipped = members_[i].run(*scaler_, way, gradient(bad));
      if (was_skipped != (bad && steps(way))) return "a wrong answer of StepResult";
      if (!(steps(way) && !bad) && !same_bits(members_[i].weight(), weight))
        return "a weight moved without a step";
      looked = looked || looks(way);
      found = found || (bad && looks(way));
      if (steps(way)) ++(bad ? skipped : applied);
      if (skips(way)) ++skipped;
    }
    if (options_.policy != amp::ScalePolicy::kNone && dice_.chance(0.002)) {
      const double value = std::ldexp(1 + dice_.unit(), static_cast<int>(dice_.below(30)) - 10);
      scaler_->update(value);
      if (own_kernels_) *scaler_->found_inf_data(amp::kCPU) = 0;
      expected_.set_scale(value);
    } else {
      scaler_->update();
      if (looked) expected_.update(found);
      expected_.applied += applied;
      expected_.skipped += skipped;
    }
    if (dice_.chance(0.0008)) reload(dice_.chance(0.5));
    return compare();
  }

  std::int64_t applied() const { return expected_.applied; }

 private:
  double gradient(bool bad) {
    if (bad) return dice_.one_of<double>({HUGE_VAL, -HUGE_VAL, std::nan("")});
    return static_cast<double>(expected_.scale()) * (2 * dice_.unit() - 1);
  }
  void change_settings() {
    if (dice_.chance(0.002)) {  // often below the tracker
      const auto clean = static_cast<std::uint64_t>(expected_.clean_steps());
      const auto interval = static_cast<std::int64_t>(1 + dice_.below(2 * clean + 5));
      scaler_->set_growth_interval(interval);
      expected_.set_growth_interval(interval);
    }
    if (dice_.chance(0.001)) {
      const double growth = 1.01 + dice_.unit(), backoff = 0.1 + 0.8 * dice_.unit();
      scaler_->set_growth_factor(growth);
      scaler_->set_backoff_factor(backoff);
      expected_.set_growth_factor(growth);
      expected_.set_backoff_factor(backoff);
    }
  }
  /// A fresh scaler with other options takes the state over: as numbers or as text, before its
  /// first use or after.
  void reload(bool as_text) {
    const amp::GradScalerState state = scaler_->state_dict();
    auto fresh = std::make_unique<amp::GradScaler>(amp::GradScalerOptions{.on_skips = {}});
    if (dice_.chance(0.5)) scaler_test::start(*fresh);
    fresh->load_state_dict(as_text ? amp::parse_grad_scaler_state(amp::to_string(state)) : state);
    scaler_ = std::move(fresh);
    scaler_test::start(*scaler_);
    if (own_kernels_) (void)scaler_->found_inf_data(amp::kCPU);
  }
  const char* compare() {
    if (!same_bits(scaler_->state_dict(), expected_.state())) return "another state";
    const float scale = expected_.scale();
    if (*scaler_->scale_data(amp::kCPU) != scale) return "another scale on the device";
    if (*scaler_->inverse_scale_data(amp::kCPU) !=
        static_cast<float>(1.0 / static_cast<double>(scale)))
      return "another inverse on the device";
    return "";
  }

  Dice dice_;
  scaler_test::Overflows overflows_;
  amp::GradScalerOptions options_;
  Reference expected_;
  bool own_kernels_;
  std::unique_ptr<amp::GradScaler> scaler_;
  std::vector<Member> members_;
};

}  // namespace

TEST_CASE("trace: 10,000 random cycles of every policy, with everything that may be in a loop",
          "[values]") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const amp::ScalePolicy policy = scaler_test::kPolicies[seed % 6];
    Run run(seed, policy);
    const char* wrong = "";
    int cycles = 0;
    for (; cycles < 10'000 && *wrong == '\0'; ++cycles) wrong = run.cycle();
    INFO("seed " << seed << ", policy " << static_cast<int>(policy) << ", cycle " << cycles << ": "
                 << wrong);
    CHECK(*wrong == '\0');
    CHECK(run.applied() > 100);  // the trace is not all overflows
  }
}

}  // namespace trace
