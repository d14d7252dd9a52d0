// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/optim/schedule.hpp"
#include "amp/kernels/optim/scheduled_rate.hpp"

namespace amp::inline v0 {

AMP_HOST_DEVICE AMP_INLINE double scheduled_rate(const Schedule& s, double rate, std::int64_t t) {
  return kernels::rate_of_schedule(s, rate, t);
}

}  // namespace amp::inline v0
