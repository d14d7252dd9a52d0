// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Learning-rate schedules.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/learning_rate.hpp"

namespace amp::inline v0 {

/// Returns the schedule rate * gamma^floor(t / every) (torch: StepLR).
constexpr Schedule step_schedule(std::int64_t every, double gamma = 0.1) {
  return Schedule({.kind = Schedule::Kind::kPower, .steps = every, .first = gamma});
}
/// Returns the schedule rate * gamma^t (torch: ExponentialLR).
constexpr Schedule exponential_schedule(double gamma) { return step_schedule(1, gamma); }
/// Returns a schedule that multiplies the rate by gamma at each milestone, a number of steps
/// (torch: MultiStepLR). Milestones are given in any order, as {30, 80} or as a range, and each is
/// a piece.
template <class Milestones = std::initializer_list<std::int64_t>>
constexpr Schedule multistep_schedule(const Milestones& milestones, double gamma = 0.1) {
  Schedule schedule;
  for (const std::int64_t begin : milestones) {
    if (begin < 0) {
      schedule.set_fault(Schedule::Fault::kMilestones);
      break;
    }
    if (schedule.begin_of(begin) == begin) continue;  // one of several at the same step
    double factor = 1;
    for (const std::int64_t other : milestones) factor *= other <= begin ? gamma : 1;
    schedule.add({.begin = begin, .first = factor});
  }
  return schedule;
}
/// Returns a schedule that multiplies the rate by `factor` in the first `steps` (torch:
/// ConstantLR).
constexpr Schedule constant_schedule(double factor = 1.0 / 3, std::int64_t steps = 5) {
  Schedule schedule({.steps = steps, .first = factor});
  schedule.add({.begin = steps});
  return schedule;
}
/// Returns a schedule whose factor goes linearly from start_factor to end_factor over `steps`, and
/// stays (torch: LinearLR).
constexpr Schedule linear_schedule(double start_factor = 1.0 / 3, double end_factor = 1,
                                   std::int64_t steps = 5) {
  return Schedule(
      {.kind = Schedule::Kind::kLinear, .steps = steps, .first = start_factor, .last = end_factor});
}
/// Returns the schedule rate * (1 - t / steps)^power, 0 from t = steps on (torch: PolynomialLR).
constexpr Schedule polynomial_schedule(std::int64_t steps = 5, double power = 1) {
  return Schedule({.kind = Schedule::Kind::kPolynomial, .steps = steps, .shape = power});
}
/// Returns half a cosine from the rate down to `final_rate` at t = steps, constant from there on
/// (Loshchilov and Hutter 2017, arXiv 1608.03983, equation 5, without restarts; torch:
/// CosineAnnealingLR, which rises again).
constexpr Schedule cosine_schedule(std::int64_t steps, double final_rate = 0) {
  return Schedule({.kind = Schedule::Kind::kCosine, .steps = steps, .last = final_rate});
}
/// Returns half a cosine from the rate down to `final_rate` over `steps`, then another from the
/// rate over `factor` times as many steps, and so on (Loshchilov and Hutter 2017, with restarts;
/// torch: CosineAnnealingWarmRestarts).
constexpr Schedule cosine_restarts_schedule(std::int64_t steps, std::int64_t factor = 1,
                                            double final_rate = 0) {
  return Schedule({.kind = Schedule::Kind::kRestarts,
                   .steps = steps,
                   .last = final_rate,
                   .shape = static_cast<double>(factor)});
}
/// Returns a schedule that rises from rate / div_factor to the rate over the first fraction
/// `rising` of `steps`, then falls to rate / div_factor / final_div_factor, by half cosines (Smith
/// and Topin 2018, arXiv 1708.07120; torch: OneCycleLR with max_lr = rate, without its change of
/// the momentum).
constexpr Schedule one_cycle_schedule(std::int64_t steps, double rising = 0.3,
                                      double div_factor = 25, double final_div_factor = 1e4) {
  return Schedule({.kind = Schedule::Kind::kOneCycle,
                   .steps = steps,
                   .first = div_factor,
                   .last = 1 / final_div_factor,
                   .shape = rising});
}

/// How high the cycles of a cyclic_schedule are, in torch's names.
enum class CyclicMode : std::uint8_t {
  kTriangular,   ///< all alike
  kTriangular2,  ///< each half as high as the one before
  kExpRange,     ///< gamma^t
};
/// Returns a schedule that rises linearly from the rate to max_rate over `up` steps and falls back
/// over `down` steps (0: as many as `up`), again and again (Smith 2017, arXiv 1506.01186; torch:
/// CyclicLR with base_lr = rate, without its change of the momentum).
constexpr Schedule cyclic_schedule(double max_rate, std::int64_t up = 2000, std::int64_t down = 0,
                                   CyclicMode mode = CyclicMode::kTriangular, double gamma = 1) {
  const bool decays = mode == CyclicMode::kExpRange;
  return Schedule({.kind = decays ? Schedule::Kind::kDecaying : Schedule::Kind::kCyclic,
                   .steps = up,
                   .first = decays                             ? gamma
                            : mode == CyclicMode::kTriangular2 ? 0.5
                                                               : 1,
                   .last = max_rate,
                   .shape = static_cast<double>(down == 0 ? up : down)});
}
/// Returns a linear rise to the rate over `steps`, constant from there on (torch: LinearLR).
constexpr Schedule warmup_schedule(std::int64_t steps, double start = 1.0 / 3) {
  return Schedule{}.after_warmup(steps, start);
}

/// Returns the first schedule until the first milestone, then the second one until the next, and so
/// on. Each counts from the step at which it begins (torch: SequentialLR). There must be one
/// milestone fewer than schedules, in increasing order.
constexpr Schedule sequence_schedule(std::initializer_list<Schedule> schedules,
                                     std::initializer_list<std::int64_t> milestones) {
  Schedule all;
  std::int64_t from = 0;
  const std::int64_t* next = milestones.begin();
  for (const Schedule& schedule : schedules) {
    const std::int64_t end = next != milestones.end() ? *next : INT64_MAX;
    if (end <= from) {
      all.set_fault(Schedule::Fault::kMilestones);
      break;
    }
    all.add(schedule, from, end);
    from = end;
    if (next != milestones.end()) ++next;
  }
  if (schedules.size() != milestones.size() + 1) all.set_fault(Schedule::Fault::kMilestones);
  return all;
}
/// Returns the schedules applied one after the other, each to the rate that the one before gives:
/// the product of their factors (torch: ChainedScheduler). A final_rate is a rate, not a factor.
constexpr Schedule chained_schedule(std::initializer_list<Schedule> schedules) {
  Schedule all;
  std::int64_t begin = 0;
  for (bool more = true; more;) {
    std::int64_t next = INT64_MAX;  // the step at which one of them changes its formula
    for (const Schedule& schedule : schedules) {
      if (schedule.fault() != Schedule::Fault::kNone) all.set_fault(schedule.fault());
      const std::int64_t own = schedule.begin_of(begin);
      for (int i = 0; i < schedule.count(); ++i) {
        Schedule::Piece piece = schedule[i];
        if (piece.begin > begin && piece.begin < next) next = piece.begin;
        if (piece.begin != own || piece.does_nothing()) continue;
        piece.begin = begin;
        all.add(piece);
      }
    }
    if (begin > 0 && all.begin_of(begin) != begin) all.add({.begin = begin});
    more = next != INT64_MAX && all.fault() == Schedule::Fault::kNone;
    begin = next;
  }
  return all;
}

/// Returns the learning rate of the step that follows t applied ones.
AMP_HOST_DEVICE double scheduled_rate(const Schedule& s, double rate, std::int64_t t);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/kernels/optim/schedule.ipp"
#endif
