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
  AMP_CHECK(s.steps >= 1 && s.warmup_steps >= 0, name,
            ": a `schedule` must take at least 1 step, but has `steps` ", s.steps,
            " and `warmup_steps` ", s.warmup_steps);
  const auto usable = [](double number) { return number >= 0 && number <= 0x1p1000; };
  AMP_CHECK(usable(s.gamma) && usable(s.final_rate) && usable(s.warmup_start) &&
                usable(s.peak_factor) && s.peak_factor > 0 && s.rising >= 0 && s.rising <= 1,
            name,
            ": a `schedule` must consist of finite numbers from 0 on, its `peak_factor` above "
            "0 and `rising` at most 1, but has gamma ",
            s.gamma, ", final_rate ", s.final_rate, ", warmup_start ", s.warmup_start,
            ", peak_factor ", s.peak_factor, ", rising ", s.rising);
}

}  // namespace detail
}  // namespace amp::inline v0
