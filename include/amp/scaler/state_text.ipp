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
#include "amp/scaler/state_text.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {
namespace detail {

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
