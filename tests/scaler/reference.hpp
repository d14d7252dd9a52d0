// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Dynamic loss scaling once more, from what the projects document and not from amp: events have
// absolute numbers, as in fairseq, and every policy keeps its project's own count of bad steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <amp/amp.hpp>

#include "support/splitmix64.hpp"

namespace scaler_test {

class Reference {
 public:
  explicit Reference(const amp::GradScalerOptions& options)
      : options_(options),
        scale_(options.policy == amp::ScalePolicy::kNone ? 1.0F : as_float(options.init_scale)),
        tolerance_(options.hysteresis) {}

  std::int64_t applied = 0, skipped = 0;

  float scale() const { return scale_; }
  std::int64_t clean_steps() const { return iter_ - clean_since_; }

  void set_scale(double scale) { scale_ = as_float(scale); }
  void set_growth_factor(double factor) { options_.growth_factor = factor; }
  void set_backoff_factor(double factor) { options_.backoff_factor = factor; }
  void set_growth_interval(std::int64_t interval) { options_.growth_interval = interval; }

  /// An update that saw gradients.
  void update(bool found_inf) {
    const std::int64_t now = iter_++;
    if (found_inf) {
      clean_since_ = iter_;
      ++overflows_since_rescale_;
      if (!intolerable(now)) return;
      scale_ = std::min(scale_, std::max(as_float(wide() * options_.backoff_factor),
                                         as_float(options_.min_scale)));
      last_rescale_iter_ = now;
      overflows_since_rescale_ = 0;
    } else {
      last_clean_iter_ = now;
      forgive();
      if (fixed() || clean_steps() < options_.growth_interval) return;
      scale_ = std::max(scale_, std::min(as_float(wide() * options_.growth_factor),
                                         as_float(options_.max_scale)));
      clean_since_ = iter_;
      last_rescale_iter_ = now;
      tolerance_ = options_.hysteresis;
    }
  }

  /// What a scaler must say of itself.
  amp::GradScalerState state() const {
    const bool counts_up = options_.policy == amp::ScalePolicy::kEveryNth;
    return {.scale = wide(),
            .growth_factor = options_.growth_factor,
            .backoff_factor = options_.backoff_factor,
            .growth_interval = options_.growth_interval,
            .min_scale = options_.min_scale,
            .max_scale = options_.max_scale,
            .hysteresis = options_.hysteresis,
            .hysteresis_left =
                counts_up ? options_.hysteresis - bad_in_a_row_ : std::max(1, tolerance_),
            .growth_tracker = static_cast<std::int32_t>(clean_steps()),
            .applied = applied,
            .skipped = skipped,
            .consecutive_skips = iter_ - 1 - last_clean_iter_,
            .policy = options_.policy,
            .overflow_share = options_.overflow_share,
            .updates_since_change = iter_ - 1 - last_rescale_iter_,
            .bad_since_backoff = overflows_since_rescale_};
  }

 private:
  static float as_float(double value) { return static_cast<float>(value); }
  double wide() const { return static_cast<double>(scale_); }
  bool fixed() const {
    return options_.policy == amp::ScalePolicy::kStatic ||
           options_.policy == amp::ScalePolicy::kNone;
  }

  /// Whether the overflow of update `now` lowers the scale.
  bool intolerable(std::int64_t now) {
    switch (options_.policy) {
      case amp::ScalePolicy::kRefillAtGrowth:  // Megatron-LM: hysteresis_tracker -= 1, ... <= 0
      case amp::ScalePolicy::kRefillAtGoodStep:
        return --tolerance_ <= 0;
      case amp::ScalePolicy::kEveryNth:  // Paddle: decr_count == decr_every_n_nan_or_inf
        if (++bad_in_a_row_ != options_.hysteresis) return false;
        bad_in_a_row_ = 0;
        return true;
      case amp::ScalePolicy::kOverflowShare: {  // fairseq: pct_overflow >= tolerance
        const auto iter_since_rescale = static_cast<double>(now - last_rescale_iter_);
        const auto overflows = static_cast<double>(overflows_since_rescale_);
        return overflows / iter_since_rescale >= options_.overflow_share;
      }
      case amp::ScalePolicy::kStatic:
      case amp::ScalePolicy::kNone:
        break;
    }
    return false;
  }
  /// What a clean step gives back.
  void forgive() {
    if (options_.policy == amp::ScalePolicy::kRefillAtGoodStep) tolerance_ = options_.hysteresis;
    bad_in_a_row_ = 0;
  }

  amp::GradScalerOptions options_;
  float scale_;
  std::int64_t iter_ = 0;         // the number of the next update
  std::int64_t clean_since_ = 0;  // from this one on all were clean, or the scale grew here
  std::int64_t last_clean_iter_ = -1;
  std::int64_t last_rescale_iter_ = -1;       // grown or backed off, also where a bound held it
  std::int64_t overflows_since_rescale_ = 0;  // since it was lowered: growth leaves it, in fairseq
  int tolerance_;                             // overflows until backoff; stays below 1 once used up
  int bad_in_a_row_ = 0;
};

/// Equality to the sign of a zero.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same_bits(const amp::GradScalerState& a, const amp::GradScalerState& b) {
  return a == b && same_bits(a.scale, b.scale) && same_bits(a.growth_factor, b.growth_factor) &&
         same_bits(a.backoff_factor, b.backoff_factor) && same_bits(a.min_scale, b.min_scale) &&
         same_bits(a.max_scale, b.max_scale) && same_bits(a.overflow_share, b.overflow_share);
}

inline constexpr amp::ScalePolicy kPolicies[] = {
    amp::ScalePolicy::kRefillAtGrowth, amp::ScalePolicy::kRefillAtGoodStep,
    amp::ScalePolicy::kEveryNth,       amp::ScalePolicy::kOverflowShare,
    amp::ScalePolicy::kStatic,         amp::ScalePolicy::kNone};

/// Random choices that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  /// In [0, n).
  std::uint64_t below(std::uint64_t n) { return (next() >> 11) % n; }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::uint64_t next() {
    const std::uint64_t bits = amp_test::splitmix64(state_);
    state_ += 0x9E3779B97F4A7C15U;
    return bits;
  }
  std::uint64_t state_;
};

/// Options with every member drawn anew.
inline amp::GradScalerOptions random_options(Dice& dice, amp::ScalePolicy policy) {
  const auto growth = dice.one_of<double>({2, 2, 1.5, 4, 1.001, 1e6, 1 + dice.unit() + 0x1p-30});
  return {
      .init_scale = dice.one_of<double>({65536, 1, 3, 100, 0.3, 1e30, 0x1p15 * (dice.unit() + 1)}),
      .growth_factor = growth,
      .backoff_factor =
          dice.one_of<double>({0.5, 0.5, 0.25, 1 / growth, 0.999, 0.02 + 0.9 * dice.unit()}),
      .growth_interval = dice.one_of<std::int64_t>({1, 2, 3, 7, 20, 100, 2000}),
      .min_scale = dice.one_of<double>({0x1p-64, 0x1p-64, 1e-3, 0.1, 1, 2}),
      .max_scale = dice.one_of<double>({0x1p126, 0x1p126, 0x1p24, 1e6, 65504}),
      .hysteresis = 1 + static_cast<int>(dice.below(6)),
      .policy = policy,
      .overflow_share =
          dice.one_of<double>({0, 0.05, 0.07, 0.1, 0.14, 0.25, 0.28, 0.5, 1, dice.unit()}),
      .on_skips = {}};
}

/// Overflows that come at one rate for a while, then at another.
class Overflows {
 public:
  explicit Overflows(Dice& dice) : dice_(dice) {}
  bool next() {
    if (left_-- == 0) {
      rate_ = dice_.one_of<double>({0, 0, 0.001, 0.02, 0.07, 0.14, 0.3, 0.6, 0.95, 1});
      left_ = dice_.below(200);
    }
    return dice_.chance(rate_);
  }

 private:
  Dice& dice_;
  double rate_ = 0;
  std::uint64_t left_ = 0;
};

}  // namespace scaler_test
