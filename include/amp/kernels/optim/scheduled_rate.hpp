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

/// Returns how far `t` is on the way of a piece, from 0 to 1.
AMP_HOST_DEVICE inline double share_of_steps(const Schedule::Piece& p, std::int64_t t) {
  return t < p.steps ? static_cast<double>(t) / static_cast<double>(p.steps) : 1;
}

/// Returns how far `t` is in its cycle of cosines, each of which is p.shape times as long as the
/// one before.
AMP_HOST_DEVICE inline double share_of_restart(const Schedule::Piece& p, std::int64_t t) {
  const auto factor = static_cast<std::int64_t>(p.shape);
  std::int64_t steps = p.steps;
  if (factor == 1) t %= steps;
  while (t >= steps) {
    t -= steps;
    if (steps > INT64_MAX / factor) break;
    steps *= factor;
  }
  return static_cast<double>(t) / static_cast<double>(steps);
}

AMP_HOST_DEVICE inline double one_cycle_rate(const Schedule::Piece& p, double rate,
                                             std::int64_t t) {
  const double initial = rate / p.first, top = p.shape * static_cast<double>(p.steps) - 1;
  const double last = static_cast<double>(p.steps - 1), at = static_cast<double>(t);
  if (at <= top) return cosine_between(initial, rate, top > 0 ? at / top : 1);
  return cosine_between(rate, initial * p.last, at < last ? (at - top) / (last - top) : 1);
}

AMP_HOST_DEVICE inline double cyclic_rate(const Schedule::Piece& p, double rate, std::int64_t t) {
  const auto down = static_cast<std::int64_t>(p.shape), total = p.steps + down;
  const std::int64_t at = t % total;
  const double height = at <= p.steps ? static_cast<double>(at) / static_cast<double>(p.steps)
                                      : static_cast<double>(total - at) / static_cast<double>(down);
  const std::int64_t power = p.kind == Schedule::Kind::kCyclic ? t / total : t;
  return rate + (p.last - rate) * height * ::pow(p.first, static_cast<double>(power));
}

/// Returns the rate that a piece makes of `rate`, t steps after its origin.
AMP_HOST_DEVICE inline double rate_of_piece(const Schedule::Piece& p, double rate, std::int64_t t) {
  switch (p.kind) {
    case Schedule::Kind::kFactor:
      return rate * p.first;
    case Schedule::Kind::kPower:
      return rate * ::pow(p.first, static_cast<double>(t / p.steps));
    case Schedule::Kind::kLinear:
      return rate * (p.first + (p.last - p.first) * share_of_steps(p, t));
    case Schedule::Kind::kPolynomial:
      return t < p.steps ? rate * ::pow(1 - share_of_steps(p, t), p.shape) : 0;
    case Schedule::Kind::kCosine:
      return cosine_between(rate, p.last, share_of_steps(p, t));
    case Schedule::Kind::kRestarts:
      return cosine_between(rate, p.last, share_of_restart(p, t));
    case Schedule::Kind::kOneCycle:
      return one_cycle_rate(p, rate, t);
    case Schedule::Kind::kCyclic:
    case Schedule::Kind::kDecaying:
      return cyclic_rate(p, rate, t);
  }
  return rate;
}

/// Returns the learning rate of the step that follows t applied ones.
AMP_HOST_DEVICE inline double rate_of_schedule(const Schedule& s, double rate, std::int64_t t) {
  const std::int64_t begin = s.begin_of(t);
  for (int i = 0; i < s.count(); ++i)
    if (s[i].begin == begin) rate = rate_of_piece(s[i], rate, t - s[i].origin);
  return rate;
}

AMP_HOST_DEVICE inline double scheduled_rate(const LearningRate& lr, std::int64_t t) {
  return rate_of_schedule(lr.schedule, lr.current != nullptr ? *lr.current : lr.rate, t);
}

}  // namespace amp::inline v0::kernels
