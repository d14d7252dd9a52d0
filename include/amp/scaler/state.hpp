// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a scaler is told, what it remembers, and which of it can work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0 {

using kernels::ScalePolicy;

/// Optimizer steps taken and left out, and how many updates in a row saw a non-finite gradient.
struct GradScalerCounters {
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
};

/// Called with the counters, where a run of skips became long.
using SkipCallback = std::function<void(const GradScalerCounters&)>;

/// Warns that training does not move.
inline void warn_of_skips(const GradScalerCounters& counters) {
  detail::warn("GradScaler left out the last ", counters.consecutive_skips,
               " updates: a gradient was not finite in each. Lowering the scale did not help; look "
               "for NaN in the loss, the inputs and the parameters");
}

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  bool enabled = true;
  double min_scale = 0x1p-64;
  double max_scale = 0x1p126;
  int hysteresis = 1;                 // bad steps per backoff: see ScalePolicy
  std::optional<Device> device = {};  // unset: that of the first loss or gradient
  ScalePolicy policy = ScalePolicy::kRefillAtGrowth;
  double overflow_share = 0;              // of ScalePolicy::kOverflowShare, in [0, 1]
  std::int64_t skips_in_a_row = 50;       // after so many, and as many again, `on_skips` is called
  SkipCallback on_skips = warn_of_skips;  // may be empty
  bool statistics = false;                // GradScaler::statistics may be asked
};

/// Everything a scaler remembers between steps. Trivially copyable.
struct GradScalerState {
  double scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  double min_scale = 0x1p-64, max_scale = 0x1p126;
  std::int32_t hysteresis = 1, hysteresis_left = 1, growth_tracker = 0;
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
  ScalePolicy policy = ScalePolicy::kRefillAtGrowth;
  double overflow_share = 0;
  std::int64_t updates_since_change = 0, bad_since_backoff = 0;

  friend bool operator==(const GradScalerState&, const GradScalerState&) = default;
};

namespace detail {

inline void check_scale(std::string_view call, std::string_view what, double value) {
  const auto scale = static_cast<float>(value);
  AMP_CHECK(scale > 0 && is_finite(scale) && is_finite(1 / scale), call, ": `", what,
            "` must be a float above 0, finite as is its inverse, but is ", value);
}
inline void check_state(const GradScalerState& s) {
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

inline GradScalerState initial_state(const GradScalerOptions& options) {
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

inline kernels::ScaleRule rule_of(const GradScalerState& s) {
  return {s.growth_factor, s.backoff_factor, s.growth_interval, s.min_scale,
          s.max_scale,     s.hysteresis,     s.policy,          s.overflow_share};
}

/// The part of the state that changes, as it lies on the device.
inline kernels::ScaleState live_part(const GradScalerState& state) {
  kernels::ScaleState live{};
  kernels::set_scale(live, state.scale);
  live.growth_tracker = state.growth_tracker;
  live.hysteresis_left = state.hysteresis_left;
  live.applied = state.applied;
  live.skipped = state.skipped;
  live.consecutive_skipped = state.consecutive_skips;
  live.updates_since_change = state.updates_since_change;
  live.bad_since_backoff = state.bad_since_backoff;
  return live;
}
inline void set_live_part(GradScalerState& state, const kernels::ScaleState& live) {
  state.scale = static_cast<double>(live.scale);
  state.growth_tracker = live.growth_tracker;
  state.hysteresis_left = live.hysteresis_left;
  state.applied = live.applied;
  state.skipped = live.skipped;
  state.consecutive_skips = live.consecutive_skipped;
  state.updates_since_change = live.updates_since_change;
  state.bad_since_backoff = live.bad_since_backoff;
}

}  // namespace detail
}  // namespace amp::inline v0
