// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A scaler's state as text: one "name value" per line, floating-point numbers in hexadecimal, so
// that reading it back gives every bit again.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "amp/scaler/state.hpp"

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

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const char* const last = text.data() + text.size();
  if constexpr (std::is_floating_point_v<Number>) {
    const auto end = std::from_chars(text.data(), last, value, std::chars_format::hex);
    return end.ec == std::errc() && end.ptr == last;
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

inline std::string to_string(const GradScalerState& state) try {
  std::string text = std::string(detail::kScalerTextHeader) + "\n";
  detail::visit_fields(state, [&](std::string_view name, auto value) {
    text += std::string(name) + " " + detail::number_text(value) + "\n";
  });
  return text;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

/// What to_string wrote. Throws, naming the line, for any other text, and for a state that cannot
/// work.
inline GradScalerState parse_grad_scaler_state(std::string_view text) {
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
