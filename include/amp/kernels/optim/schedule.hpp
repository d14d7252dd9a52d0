// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Learning-rate schedules: value types, evaluated by the kernel from the device's count of applied
// steps. So they stand still where a step is skipped, and a captured graph replays them.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The learning rate as a function of t, the number of steps applied before. Made by the functions
/// below; the default is constant. In each case the first `warmup_steps` rise linearly from
/// warmup_start times the rate, and t counts from their end.
struct Schedule {
  enum class Kind : std::uint8_t { kConstant, kStep, kCosine, kOneCycle };

  Kind kind = Kind::kConstant;
  std::int64_t steps = 1;  // kStep: between drops; kCosine, kOneCycle: in all
  double gamma = 1;        // kStep: the factor of each drop
  double final_rate = 0;   // kCosine: at the end; kOneCycle: over the initial rate
  double peak_factor = 1;  // kOneCycle: highest over initial rate
  double rising = 0;       // kOneCycle: the share of the steps that rise
  std::int64_t warmup_steps = 0;
  double warmup_start = 0;

  friend bool operator==(const Schedule&, const Schedule&) = default;

  /// The same, after `count` steps of warm-up that rise linearly from `start` times the rate: from
  /// a third of it by default (torch: LinearLR, then this). after_warmup(count, 0) rises from 0, as
  /// nanoGPT's and most transformers' do.
  constexpr Schedule after_warmup(std::int64_t count, double start = 1.0 / 3) const {
    Schedule schedule = *this;
    schedule.warmup_steps = count;
    schedule.warmup_start = start;
    return schedule;
  }
};

/// rate * gamma^floor(t / every) (torch: StepLR).
constexpr Schedule step_schedule(std::int64_t every, double gamma = 0.1) {
  return {.kind = Schedule::Kind::kStep, .steps = every, .gamma = gamma};
}
/// Half a cosine from the rate down to `final_rate` at t = steps, constant from there on
/// (Loshchilov and Hutter 2017, arXiv 1608.03983, equation 5, without restarts; torch:
/// CosineAnnealingLR).
constexpr Schedule cosine_schedule(std::int64_t steps, double final_rate = 0) {
  return {.kind = Schedule::Kind::kCosine, .steps = steps, .final_rate = final_rate};
}
/// From rate / div_factor up to the rate over the first share of `steps`, then down to
/// rate / div_factor / final_div_factor, by half cosines (Smith and Topin 2018, arXiv 1708.07120;
/// torch: OneCycleLR with max_lr = rate, its momentum left alone).
constexpr Schedule one_cycle_schedule(std::int64_t steps, double rising = 0.3,
                                      double div_factor = 25, double final_div_factor = 1e4) {
  return {.kind = Schedule::Kind::kOneCycle,
          .steps = steps,
          .final_rate = 1 / final_div_factor,
          .peak_factor = div_factor,
          .rising = rising};
}
/// Linearly up to the rate over `steps`, constant from there on (torch: LinearLR).
constexpr Schedule warmup_schedule(std::int64_t steps, double start = 1.0 / 3) {
  return Schedule{}.after_warmup(steps, start);
}

/// From `from` at share 0 to `to` at share 1 along half a cosine.
AMP_HOST_DEVICE inline double cosine_between(double from, double to, double share) {
  return to + (from - to) * (1 + cos(3.14159265358979323846 * share)) / 2;
}

/// The learning rate of the step that follows t applied ones.
AMP_HOST_DEVICE inline double scheduled_rate(const Schedule& s, double rate, std::int64_t t) {
  if (t < s.warmup_steps) {
    const double share = static_cast<double>(t) / static_cast<double>(s.warmup_steps);
    return rate * (s.warmup_start + (1 - s.warmup_start) * share);
  }
  t -= s.warmup_steps;
  switch (s.kind) {
    case Schedule::Kind::kConstant:
      break;
    case Schedule::Kind::kStep:
      return rate * pow(s.gamma, static_cast<double>(t / s.steps));
    case Schedule::Kind::kCosine: {
      const double share = t < s.steps ? static_cast<double>(t) / static_cast<double>(s.steps) : 1;
      return cosine_between(rate, s.final_rate, share);
    }
    case Schedule::Kind::kOneCycle: {
      const double initial = rate / s.peak_factor,
                   top = s.rising * static_cast<double>(s.steps) - 1;
      const double last = static_cast<double>(s.steps - 1), at = static_cast<double>(t);
      if (at <= top) return cosine_between(initial, rate, top > 0 ? at / top : 1);
      return cosine_between(rate, initial * s.final_rate,
                            at < last ? (at - top) / (last - top) : 1);
    }
  }
  return rate;
}

namespace kernels {

/// The learning rate of a step, a function of the steps applied before.
struct LearningRate {
  double rate;
  Schedule schedule;
  const double* current = nullptr;  // on the device, in place of `rate`: what a graph reads

  friend bool operator==(const LearningRate&, const LearningRate&) = default;
};

AMP_HOST_DEVICE inline double scheduled_rate(const LearningRate& lr, std::int64_t t) {
  return amp::scheduled_rate(lr.schedule, lr.current != nullptr ? *lr.current : lr.rate, t);
}

}  // namespace kernels
}  // namespace amp::inline v0
