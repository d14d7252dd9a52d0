// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes SVG pictures without external resources, for light and dark backgrounds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// Returns the ticks of an axis: at most about `count`, at distances of 1, 2 or 5 times a power of
/// ten, and at least `smallest`.
std::vector<double> ticks(double low, double high, int count, double smallest = 0);

/// Returns the text with its special characters escaped, for HTML or SVG.
std::string escaped(std::string_view words);

/// Writes a picture element by element. Colours are CSS classes, which the picture's style sheet
/// defines for light and dark backgrounds: "f0" to "f5" fill and "s0" to "s5" draw lines in
/// distinct colours; "quiet", "ground", "rule" and "ink" are greys. All rules apply within
/// "amp-chart" only, so that several pictures may be part of one page.
class SvgWriter {
 public:
  static constexpr std::size_t kColours = 6;

  /// Begins a picture of this size.
  SvgWriter(double width, double height, std::string_view title);

  /// `anchor` is start, middle or end.
  void text(double x, double y, std::string_view anchor, std::string_view words,
            std::string_view css_class = {});
  void rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view hint = {});
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void path(std::string_view commands, std::string_view css_class);
  void circle(double x, double y, double radius, std::string_view css_class);

  /// Returns the whole picture. The writer is empty afterwards.
  std::string finish();

  /// Returns a coordinate, such as "12.50", independent of the locale.
  static std::string coordinate(double value);
  /// Returns a number with up to six digits, such as "12.5" or "1e+06".
  static std::string number(double value);

 private:
  void begin(std::string_view element);
  void attribute(std::string_view name, std::string_view value);

  std::string svg_;
};

}  // namespace examples
