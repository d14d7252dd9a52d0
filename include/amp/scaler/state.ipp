// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/scaler/state.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

AMP_COLD void warn_of_skips(const GradScalerCounters& counters) {
  detail::warn("GradScaler skipped the last ", counters.consecutive_skips,
               " updates: a gradient was not finite in each. Lowering the scale did not help; look "
               "for NaN in the loss, the inputs and the parameters");
}

namespace detail {

AMP_COLD void check_scale(std::string_view call, std::string_view what, double value) {
  const auto scale = static_cast<float>(value);
  AMP_CHECK(scale > 0 && is_finite(scale) && is_finite(1 / scale), call, ": `", what,
            "` must be a float above 0, finite as is its inverse, but is ", value);
}
AMP_COLD void check_state(const GradScalerState& s) {
  check_scale("GradScaler", "init_scale", s.scale);
  check_scale("GradScaler", "min_scale", s.min_scale);
  check_scale("GradScaler", "max_scale", s.max_scale);
  AMP_CHECK(s.min_scale <= s.max_scale, "GradScaler: `min_scale` ", s.min_scale,
            " lies above `max_scale` ", s.max_scale);
  AMP_CHECK(s.growth_factor > 1 && is_finite(s.growth_factor),
            "GradScaler: `growth_factor` must be above 1, but is ", s.growth_factor);
  AMP_CHECK(s.backoff_factor > 0 && s.backoff_factor < 1,
            "GradScaler: `backoff_factor` must lie in (0, 1), but is ", s.backoff_factor);
  AMP_CHECK(s.growth_interval >= 1, "GradScaler: `growth_interval` must be at least 1, but is ",
            s.growth_interval);
  AMP_CHECK(s.hysteresis >= 1, "GradScaler: `hysteresis` must be at least 1, but is ",
            s.hysteresis);
  AMP_CHECK(s.hysteresis_left >= 1 && s.hysteresis_left <= s.hysteresis,
            "GradScaler: `hysteresis_left` must lie in [1, ", s.hysteresis, "], but is ",
            s.hysteresis_left);
  AMP_CHECK(s.policy <= ScalePolicy::kNone, "GradScaler: `policy` is no ScalePolicy, but ",
            static_cast<int>(s.policy));
  AMP_CHECK(s.policy != ScalePolicy::kNone || s.scale == 1,
            "GradScaler: with ScalePolicy::kNone the scale must be 1, but is ", s.scale);
  AMP_CHECK(s.overflow_share >= 0 && s.overflow_share <= 1,
            "GradScaler: `overflow_share` must lie in [0, 1], but is ", s.overflow_share);
  AMP_CHECK(s.updates_since_change >= 0 && s.bad_since_backoff >= 0,
            "GradScaler: `updates_since_change` and `bad_since_backoff` must not be negative, but "
            "are ",
            s.updates_since_change, " and ", s.bad_since_backoff);
  AMP_CHECK(s.growth_tracker >= 0 && s.applied >= 0 && s.skipped >= 0 && s.consecutive_skips >= 0,
            "GradScaler: counts must not be negative, but `growth_tracker`, `applied`, `skipped` "
            "and `consecutive_skips` are ",
            s.growth_tracker, ", ", s.applied, ", ", s.skipped, " and ", s.consecutive_skips);
}

AMP_COLD GradScalerState initial_state(const GradScalerOptions& options) {
  const bool scales = options.enabled && options.policy != ScalePolicy::kNone;
  return {.scale = scales ? options.init_scale : 1,
          .growth_factor = options.growth_factor,
          .backoff_factor = options.backoff_factor,
          .growth_interval = options.growth_interval,
          .min_scale = options.min_scale,
          .max_scale = options.max_scale,
          .hysteresis = options.hysteresis,
          .hysteresis_left = options.hysteresis,
          .policy = options.policy,
          .overflow_share = options.overflow_share};
}

AMP_COLD kernels::ScaleRule rule_of(const GradScalerState& s) {
  return {s.growth_factor, s.backoff_factor, s.growth_interval, s.min_scale,
          s.max_scale,     s.hysteresis,     s.policy,          s.overflow_share};
}

AMP_COLD kernels::ScaleState live_part(const GradScalerState& state) {
  kernels::ScaleState live{};
  kernels::set_scale(live, state.scale);
  live.growth_tracker = state.growth_tracker;
  live.hysteresis_left = state.hysteresis_left;
  live.applied = state.applied;
  live.skipped = state.skipped;
  live.consecutive_skips = state.consecutive_skips;
  live.updates_since_change = state.updates_since_change;
  live.bad_since_backoff = state.bad_since_backoff;
  return live;
}
AMP_COLD void set_live_part(GradScalerState& state, const kernels::ScaleState& live) {
  state.scale = static_cast<double>(live.scale);
  state.growth_tracker = live.growth_tracker;
  state.hysteresis_left = live.hysteresis_left;
  state.applied = live.applied;
  state.skipped = live.skipped;
  state.consecutive_skips = live.consecutive_skips;
  state.updates_since_change = live.updates_since_change;
  state.bad_since_backoff = live.bad_since_backoff;
}

}  // namespace detail
}  // namespace amp::inline v0
