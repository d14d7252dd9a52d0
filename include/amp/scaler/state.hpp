// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a scaler is told, what it remembers, and which of it can work.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/device/device.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  bool enabled = true;
  double min_scale = 0x1p-64;
  double max_scale = 0x1p126;
  int hysteresis = 1;  // back off at every hysteresis-th bad step; refilled when the scale grows
  std::optional<Device> device = {};  // unset: that of the first loss or gradient
};

/// Everything a scaler remembers between steps. Trivially copyable.
struct GradScalerState {
  double scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  double min_scale = 0x1p-64, max_scale = 0x1p126;
  std::int32_t hysteresis = 1, hysteresis_left = 1, growth_tracker = 0;
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
};

/// Optimizer steps taken and left out, and how many updates in a row saw a non-finite gradient.
struct GradScalerCounters {
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
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
  AMP_CHECK(s.growth_tracker >= 0 && s.applied >= 0 && s.skipped >= 0 && s.consecutive_skips >= 0,
            "GradScaler: counts must not be negative, but `growth_tracker`, `applied`, `skipped` "
            "and `consecutive_skips` are ",
            s.growth_tracker, ", ", s.applied, ", ", s.skipped, " and ", s.consecutive_skips);
}

}  // namespace detail
}  // namespace amp::inline v0
