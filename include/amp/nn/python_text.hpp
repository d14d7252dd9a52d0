// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Numbers as Python writes them, for the extra_repr of layers.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "amp/tensor/shape.hpp"

namespace amp::inline v0::nn::detail {

inline std::string python_text(bool value) { return value ? "True" : "False"; }
inline std::string python_text(std::int64_t value) { return std::to_string(value); }
/// The number in the fewest digits that identify it: 1.0, 0.0001, 1e-05.
inline std::string python_text(double value) {
  const double magnitude = std::fabs(value);
  const bool fixed = value == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(digits, end.ptr);
  if (fixed && text.find('.') == text.npos) text += ".0";
  return text;
}
inline std::string python_text(const std::optional<double>& value) {
  return value ? python_text(*value) : "None";
}
/// A tuple: (4,) or (4, 5).
inline std::string python_text(const Shape& shape) {
  std::string text = to_string(shape);
  text.front() = '(';
  text.back() = shape.dims() == 1 ? ',' : ')';
  return shape.dims() == 1 ? text + ")" : text;
}

}  // namespace amp::inline v0::nn::detail
