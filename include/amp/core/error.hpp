// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The exception and the check that throws it. A message says what was expected, what was given, and
// what to do.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// Everything amp throws derives from this.
class AMP_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

inline std::string to_text(std::string_view text) { return std::string(text); }
inline std::string to_text(const char* text) { return text; }
inline std::string to_text(bool value) { return value ? "true" : "false"; }
template <std::integral I>
std::string to_text(I value) {
  return std::to_string(value);
}
template <std::floating_point F>
std::string to_text(F value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}
template <class T>
  requires requires(const T& value) {
    { to_string(value) } -> std::convertible_to<std::string>;
  }
std::string to_text(const T& value) {
  return to_string(value);  // found beside the type
}

template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const Parts&... parts) {
  std::string message;
  (message.append(to_text(parts)), ...);
  throw Error(message);
}

}  // namespace detail

/// Throws amp::Error with the concatenated parts unless `condition` holds. Never disabled; the
/// parts are built only to throw.
#define AMP_CHECK(condition, ...)       \
  do {                                  \
    if (!(condition)) [[unlikely]] {    \
      ::amp::detail::fail(__VA_ARGS__); \
    }                                   \
  } while (false)

}  // namespace amp::inline v0
