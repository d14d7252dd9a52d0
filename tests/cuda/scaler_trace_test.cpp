// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Training loops at random, on the host and on the device: both scalers are the reference bit for
// bit after every cycle, what both saw of the gradients is the same, what was skipped did not move,
// and the weights, in any storage, stay equal.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/on_both.hpp"
#include "optim/storage_cases.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"

namespace cuda_scaler_trace {
namespace {

using namespace storage_test;
using scaler_test::Dice;
using scaler_test::Reference;
using scaler_test::same_bits;

enum class Way { kStep, kUnscaleStep, kClipStep, kUnscale, kClip, kSkip, kUnscaleSkip, kCount };

constexpr bool looks(Way way) { return way != Way::kSkip; }
constexpr bool steps(Way way) { return way <= Way::kClipStep; }
constexpr bool skips(Way way) { return way == Way::kSkip || way == Way::kUnscaleSkip; }

/// Two parameters and their optimizer, a step old.
struct Member {
  Tensors params;
  std::unique_ptr<amp::Optimizer> optimizer;
  bool is_adam;

  Member(const Case& c, amp::Device device) : is_adam(c.counts_steps()) {
    amp::manual_seed(3);
    for (const std::int64_t n : {5, 12})
      params.push_back(amp::randn({n}).to(c.dtype).to(device).requires_grad_());
    optimizer = make(c, params);
    set_gradients(params, 0, c.dtype);
    optimizer->step();  // from now on all that it remembers exists
  }
  std::vector<Bits> bits() const { return bits_of(params, *optimizer); }
};

/// What a cycle of one optimizer gave.
struct Outcome {
  bool skipped = false;
  std::optional<float> norm = {};
  std::optional<amp::GradientStatistics> seen = {};

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome go(amp::GradScaler& scaler, const Member& member, Way way, const Tensors& gradients) {
  amp::Optimizer& optimizer = *member.optimizer;
  for (std::size_t i = 0; i < member.params.size(); ++i)
    member.params[i].set_grad(gradients[i].to(member.params[i].device()).clone());
  Outcome outcome;
  if (way == Way::kUnscaleStep || way == Way::kUnscale || way == Way::kUnscaleSkip)
    scaler.unscale_(optimizer);
  if (way == Way::kClipStep || way == Way::kClip)
    outcome.norm = scaler.unscale_and_clip(optimizer, 0.5).item<float>();
  if (skips(way)) scaler.skip_step(optimizer);
  if (steps(way)) outcome.skipped = scaler.step(optimizer).skipped();
  if (looks(way)) outcome.seen = scaler.statistics(optimizer).get();
  if (outcome.norm && std::isnan(*outcome.norm)) outcome.norm = -1;
  if (outcome.seen && std::isnan(outcome.seen->norm)) outcome.seen->norm = -1;
  if (outcome.seen && std::isnan(outcome.seen->max_abs)) outcome.seen->max_abs = -1;
  return outcome;
}

constexpr Case kCases[] = {
    {Formula::kMomentum, amp::kBFloat16, WeightStorage::kMaster},
    {Formula::kAdamW, amp::kBFloat16, WeightStorage::kRemainder},
    {Formula::kAdam, amp::kFloat16, WeightStorage::kMaster, {}, true},
    {Formula::kNesterov, amp::kBFloat16, WeightStorage::kRemainder, amp::kBFloat16, true},
    {Formula::kAdamW, amp::kFloat16, WeightStorage::kStochastic, amp::kBFloat16},
    {Formula::kAdam, amp::kBFloat16, WeightStorage::kKahan},
    {Formula::kSgd, amp::kFloat32, WeightStorage::kParameter},
};

/// One training run beside the reference, on both devices.
class Run {
 public:
  Run(std::uint64_t seed, amp::ScalePolicy policy)
      : dice_(seed),
        overflows_(dice_),
        options_(scaler_test::random_options(dice_, policy)),
        expected_(options_) {
    options_.statistics = true;
    for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(amp::kCUDA)}) {
      scalers_.push_back(std::make_unique<amp::GradScaler>(options_));
      (void)scalers_.back()->scale_data(device);
    }
    const std::uint64_t count = 1 + dice_.below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Case& c = kCases[dice_.below(std::size(kCases))];
      host_.emplace_back(c, amp::kCPU);
      device_.emplace_back(c, amp::kCUDA);
    }
  }

  /// Returns what went wrong in the next cycle; empty if nothing did.
  const char* cycle(int number) {
    bool looked = false, found = false;
    const std::size_t must = dice_.below(host_.size());
    for (std::size_t m = 0; m < host_.size(); ++m) {
      if (m != must && dice_.chance(0.3)) continue;
      const auto way = static_cast<Way>(dice_.below(static_cast<std::uint64_t>(Way::kCount)));
      const bool bad = overflows_.next();
      const Tensors gradients = random_gradients(bad);
      const bool stays = !steps(way) || bad;
      const auto before = stays ? host_[m].bits() : std::vector<Bits>();
      const Outcome here = go(*scalers_[0], host_[m], way, gradients);
      const Outcome there = go(*scalers_[1], device_[m], way, gradients);
      if (!(here == there)) return "host and device saw different things";
      if (here.skipped != (bad && steps(way))) return "a wrong answer of StepResult";
      if (here.seen && here.seen->found_inf != bad) return "a wrong answer of the statistics";
      if (here.seen && here.seen->elements != 17) return "elements not counted";
      if (stays && host_[m].bits() != before) return "something moved without a step";
      // Of Adam, the device's powers may be rounded otherwise.
      const bool comparable = !(cuda_test::kOwnMath && host_[m].is_adam);
      if (comparable && (stays || number % 50 == 0) && host_[m].bits() != device_[m].bits())
        return "the device's weights are others";
      looked = looked || looks(way);
      found = found || (bad && looks(way));
      if (steps(way)) ++(bad ? expected_.skipped : expected_.applied);
      if (skips(way)) ++expected_.skipped;
    }
    if (looked) expected_.update(found);
    for (const auto& scaler : scalers_) {
      scaler->update();
      if (!same_bits(scaler->state_dict(), expected_.state())) return "another state";
    }
    return "";
  }

  std::int64_t applied() const { return expected_.applied; }

 private:
  Tensors random_gradients(bool bad) {
    const auto scale = static_cast<double>(expected_.scale());
    const bool fits_half = scale <= 32768;
    const amp::DType dtype = dice_.one_of<amp::DType>(
        {amp::kFloat32, amp::kBFloat16, fits_half ? amp::kFloat16 : amp::kFloat32});
    Tensors gradients;
    for (const std::size_t n : {5U, 12U}) {
      std::vector<float> values(n);
      for (float& value : values) value = static_cast<float>(scale * (2 * dice_.unit() - 1));
      if (bad && n == 12)
        values[dice_.below(n)] = dice_.one_of<float>({HUGE_VALF, -HUGE_VALF, std::nanf("")});
      gradients.push_back(amp::tensor(values, {static_cast<std::int64_t>(n)}).to(dtype));
    }
    return gradients;
  }

  Dice dice_;
  scaler_test::Overflows overflows_;
  amp::GradScalerOptions options_;
  Reference expected_;
  std::vector<std::unique_ptr<amp::GradScaler>> scalers_;  // the host's, the device's
  std::vector<Member> host_, device_;
};

}  // namespace

TEST_CASE("cuda scaler trace: random cycles are the reference's, as on the host",
          "[cuda][values]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const amp::ScalePolicy policy = scaler_test::kPolicies[seed % 6];
    Run run(100 + seed, policy);
    const char* wrong = "";
    int cycles = 0;
    for (; cycles < 2'000 && *wrong == '\0'; ++cycles) wrong = run.cycle(cycles);
    INFO("seed " << seed << ", policy " << static_cast<int>(policy) << ", cycle " << cycles << ": "
                 << wrong);
    CHECK(*wrong == '\0');
    CHECK(run.applied() > 100);  // the trace is not all overflows
  }
}

}  // namespace cuda_scaler_trace
