// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formulas of the learning-rate schedules, for the kernels of host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/learning_rate.hpp"

namespace amp::inline v0::kernels {

/// Returns the value between `from` (share = 0) and `to` (share = 1) along half a cosine.
AMP_HOST_DEVICE inline double cosine_between(double from, double to, double share) {
  return to + (from - to) * (1 + ::cos(3.14159265358979323846 * share)) / 2;
}

/// Returns the learning rate of the step that follows t applied ones.
AMP_HOST_DEVICE inline double rate_of_schedule(const Schedule& s, double rate, std::int64_t t) {
  if (t < s.warmup_steps) {
    const double share = static_cast<double>(t) / static_cast<double>(s.warmup_steps);
    return rate * (s.warmup_start + (1 - s.warmup_start) * share);
  }
  t -= s.warmup_steps;
  switch (s.kind) {
    case Schedule::Kind::kConstant:
      break;
    case Schedule::Kind::kStep:
      return rate * ::pow(s.gamma, static_cast<double>(t / s.steps));
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

AMP_HOST_DEVICE inline double scheduled_rate(const LearningRate& lr, std::int64_t t) {
  return rate_of_schedule(lr.schedule, lr.current != nullptr ? *lr.current : lr.rate, t);
}

}  // namespace amp::inline v0::kernels
