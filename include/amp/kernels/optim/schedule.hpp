// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Learning-rate schedules.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/learning_rate.hpp"

namespace amp::inline v0 {

/// Returns the schedule rate * gamma^floor(t / every) (torch: StepLR).
constexpr Schedule step_schedule(std::int64_t every, double gamma = 0.1) {
  return {.kind = Schedule::Kind::kStep, .steps = every, .gamma = gamma};
}
/// Returns half a cosine from the rate down to `final_rate` at t = steps, constant from there on
/// (Loshchilov and Hutter 2017, arXiv 1608.03983, equation 5, without restarts; torch:
/// CosineAnnealingLR).
constexpr Schedule cosine_schedule(std::int64_t steps, double final_rate = 0) {
  return {.kind = Schedule::Kind::kCosine, .steps = steps, .final_rate = final_rate};
}
/// Returns a schedule that rises from rate / div_factor to the rate over the first fraction
/// `rising` of `steps`, then falls to rate / div_factor / final_div_factor, by half cosines (Smith
/// and Topin 2018, arXiv 1708.07120; torch: OneCycleLR with max_lr = rate, without its change of
/// the momentum).
constexpr Schedule one_cycle_schedule(std::int64_t steps, double rising = 0.3,
                                      double div_factor = 25, double final_div_factor = 1e4) {
  return {.kind = Schedule::Kind::kOneCycle,
          .steps = steps,
          .final_rate = 1 / final_div_factor,
          .peak_factor = div_factor,
          .rising = rising};
}
/// Returns a linear rise to the rate over `steps`, constant from there on (torch: LinearLR).
constexpr Schedule warmup_schedule(std::int64_t steps, double start = 1.0 / 3) {
  return Schedule{}.after_warmup(steps, start);
}

/// Returns the learning rate of the step that follows t applied ones.
AMP_HOST_DEVICE double scheduled_rate(const Schedule& s, double rate, std::int64_t t);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/kernels/optim/schedule.ipp"
#endif
