// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Learning rates that follow a schedule: value types, evaluated by the kernel from the device's
// count of applied steps. So they do not advance if a step is skipped, and a captured graph replays
// them.
#pragma once

#include <cstdint>

namespace amp::inline v0 {

/// The learning rate as a function of t, the number of steps applied before. The functions in
/// schedule.hpp make schedules; the default is constant. In all of them the first `warmup_steps`
/// rise linearly from warmup_start times the rate, and t counts from their end.
struct Schedule {
  enum class Kind : std::uint8_t { kConstant, kStep, kCosine, kOneCycle };

  Kind kind = Kind::kConstant;
  std::int64_t steps = 1;  // kStep: between drops; kCosine, kOneCycle: in all
  double gamma = 1;        // kStep: the factor of each drop
  double final_rate = 0;   // kCosine: at the end; kOneCycle: over the initial rate
  double peak_factor = 1;  // kOneCycle: highest over initial rate
  double rising = 0;       // kOneCycle: the fraction of the steps that rise
  std::int64_t warmup_steps = 0;
  double warmup_start = 0;

  friend bool operator==(const Schedule&, const Schedule&) = default;

  /// Returns the same schedule after a warm-up of `count` steps that rise linearly from `start`
  /// times the rate: a third of it by default (torch: LinearLR, then this). after_warmup(count, 0)
  /// rises from 0, as in nanoGPT and most transformers.
  constexpr Schedule after_warmup(std::int64_t count, double start = 1.0 / 3) const {
    Schedule schedule = *this;
    schedule.warmup_steps = count;
    schedule.warmup_start = start;
    return schedule;
  }
};

namespace kernels {

/// The learning rate of a step, as a function of the steps applied before.
struct LearningRate {
  double rate;
  Schedule schedule;
  const double* current = nullptr;  // on the device, in place of `rate`: what a graph reads

  friend bool operator==(const LearningRate&, const LearningRate&) = default;
};

}  // namespace kernels
}  // namespace amp::inline v0
