// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Groups of parameters, each with options of its own, and the checks that options have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/kernels/optim/schedule.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Parameters that are trained with the same options.
template <class Options>
struct ParamGroup {
  std::vector<Tensor> params = {};
  Options options = {};
  std::vector<std::string> names = {};  // of params, for state_dict; their numbers if empty
};

namespace detail {

inline constexpr std::string_view kNoParams =
    ": `params` is empty (a module knows the layers that went through register_module)";

inline void check_schedule(std::string_view name, const Schedule& s) {
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
