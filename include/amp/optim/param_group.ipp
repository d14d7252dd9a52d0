// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <new>

#include "amp/core/error.hpp"
#include "amp/optim/param_group.hpp"

namespace amp::inline v0 {

AMP_COLD GroupParams::GroupParams(const NamedTensors& named) try {
  for (const auto& [name, tensor] : named) {
    push_back(tensor);
    names_.push_back(name);
  }
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

namespace detail {

AMP_COLD void refuse_option(std::string_view name, const char* option, double value, double below) {
  fail(name, ": `", option, "` must lie in [0, ", below, "), but is ", value);
}

AMP_COLD void check_schedule(std::string_view name, const Schedule& s) {
  using Kind = Schedule::Kind;
  using Fault = Schedule::Fault;
  AMP_CHECK(s.fault() != Fault::kPieces, name, ": a `schedule` may have at most ",
            Schedule::kMaxPieces, " pieces; a multistep_schedule has one for each milestone");
  AMP_CHECK(s.fault() != Fault::kMilestones, name,
            ": the milestones of a `schedule` must be above 0, in increasing order, one fewer than "
            "its schedules (of multistep_schedule: from 0 on)");
  AMP_CHECK(s.fault() != Fault::kWarmup, name,
            ": the warm-up of a `schedule` must take 0 or more steps");
  const auto usable = [](double number) { return number >= 0 && number <= 0x1p1000; };
  for (int i = 0; i < s.count(); ++i) {
    const Schedule::Piece& p = s[i];
    AMP_CHECK(p.steps >= 1, name, ": a `schedule` must take at least 1 step, but has `steps` ",
              p.steps);
    AMP_CHECK(usable(p.first) && usable(p.last) && usable(p.shape), name,
              ": a `schedule` must consist of finite numbers from 0 on, but has ", p.first, ", ",
              p.last, " and ", p.shape);
    AMP_CHECK(p.kind != Kind::kOneCycle || (p.first > 0 && p.shape <= 1), name,
              ": a `schedule` of one cycle must rise for a part of its steps from 0 to 1, from the "
              "rate over a number above 0, but has `rising` ",
              p.shape, " and `div_factor` ", p.first);
    const bool repeats =
        p.kind == Kind::kRestarts || p.kind == Kind::kCyclic || p.kind == Kind::kDecaying;
    AMP_CHECK(
        !repeats || (p.shape >= 1 && p.shape <= 0x1p53 && p.steps <= INT64_MAX / 2), name,
        ": a `schedule` that repeats must have a `factor`, or steps `down`, from 1 on, but has ",
        p.shape, " besides ", p.steps, " steps");
  }
}

}  // namespace detail
}  // namespace amp::inline v0
