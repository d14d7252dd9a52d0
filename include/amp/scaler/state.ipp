// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <system_error>
#include <type_traits>

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

inline constexpr std::string_view kScalerTextHeader = "amp GradScaler 1";

/// Visits all fields with their names.
template <class State, class Visitor>
void visit_fields(State& s, Visitor&& visit) {
  visit("scale", s.scale);
  visit("growth_factor", s.growth_factor);
  visit("backoff_factor", s.backoff_factor);
  visit("growth_interval", s.growth_interval);
  visit("min_scale", s.min_scale);
  visit("max_scale", s.max_scale);
  visit("hysteresis", s.hysteresis);
  visit("hysteresis_left", s.hysteresis_left);
  visit("growth_tracker", s.growth_tracker);
  visit("applied", s.applied);
  visit("skipped", s.skipped);
  visit("consecutive_skips", s.consecutive_skips);
  visit("policy", s.policy);
  visit("overflow_share", s.overflow_share);
  visit("updates_since_change", s.updates_since_change);
  visit("bad_since_backoff", s.bad_since_backoff);
}

template <class Number>
std::string number_text(Number value) {
  char text[64];
  std::to_chars_result end{};
  if constexpr (std::is_floating_point_v<Number>) {
    end = std::to_chars(text, text + sizeof text, value, std::chars_format::hex);
  } else {
    end = std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value));
  }
  return std::string(text, end.ptr);
}

/// What to_chars wrote of a finite number, "-1.8p+3"; not every standard library reads that.
AMP_COLD bool read_hexadecimal(std::string_view text, double& value) {
  const auto read_all = [](std::string_view digits, auto& number, int base) {
    const char* const last = digits.data() + digits.size();
    const auto end = std::from_chars(digits.data(), last, number, base);
    return end.ec == std::errc() && end.ptr == last;
  };
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int exponent = 0;
  if (const std::size_t p = text.find('p'); p != std::string_view::npos) {
    std::string_view power = text.substr(p + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    if (!read_all(power, exponent, 10)) return false;
    text = text.substr(0, p);
  }
  char digits[64];
  std::size_t count = 0, point = text.size();
  for (std::size_t i = 0; i < text.size() && count < sizeof digits; ++i) {
    if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      digits[count++] = text[i];
    }
  }
  std::uint64_t significand = 0;
  if (!read_all({digits, count}, significand, 16)) return false;
  const int fraction = static_cast<int>(count - (std::min)(count, point));
  const double size = std::ldexp(static_cast<double>(significand), exponent - 4 * fraction);
  value = negative ? -size : size;
  return is_finite(value);
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const char* const last = text.data() + text.size();
  if constexpr (std::is_floating_point_v<Number>) {
    return read_hexadecimal(text, value);
  } else if constexpr (std::is_enum_v<Number>) {
    std::underlying_type_t<Number> number{};
    if (!read_number(text, number)) return false;
    value = static_cast<Number>(number);
    return true;
  } else {
    const auto end = std::from_chars(text.data(), last, value);
    return end.ec == std::errc() && end.ptr == last;
  }
}

}  // namespace detail

AMP_COLD std::string to_string(const GradScalerState& state) try {
  std::string text = std::string(detail::kScalerTextHeader) + "\n";
  detail::visit_fields(state, [&](std::string_view name, auto value) {
    text += std::string(name) + " " + detail::number_text(value) + "\n";
  });
  return text;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_COLD GradScalerState parse_grad_scaler_state(std::string_view text) {
  bool complete = true;  // whether the line just read ended
  const auto next_line = [&] {
    const std::size_t end = text.find('\n');
    complete = end != std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(complete ? end + 1 : text.size());
    return line;
  };
  const std::string_view header = next_line();
  AMP_CHECK(complete && header == detail::kScalerTextHeader, "parse_grad_scaler_state: expected \"",
            detail::kScalerTextHeader, "\", but the text begins with \"", header, "\"");
  GradScalerState state;
  detail::visit_fields(state, [&](std::string_view name, auto& value) {
    const std::string_view line = next_line();
    const bool named = line.size() > name.size() && line.substr(0, name.size()) == name &&
                       line[name.size()] == ' ';
    AMP_CHECK(named && complete && detail::read_number(line.substr(name.size() + 1), value),
              "parse_grad_scaler_state: expected \"", name, "\" and a number, but found \"", line,
              "\"");
  });
  AMP_CHECK(text.empty(), "parse_grad_scaler_state: expected the end, but found \"", text, "\"");
  detail::check_state(state);
  return state;
}

}  // namespace amp::inline v0
