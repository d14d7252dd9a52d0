// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What all pictures are drawn with: SVG without external resources, for light and dark backgrounds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "amp/core/config.hpp"

namespace amp::inline v0::diagnostics {

/// Marks on an axis: 1, 2 or 5 times a power of ten apart, and at least `smallest`; at most about
/// `count` of them.
std::vector<double> ticks(double low, double high, int count, double smallest = 0);

/// As text of HTML or SVG.
std::string escaped(std::string_view words);

/// Writes a picture part by part. Colours are classes, which its style sheet defines for both kinds
/// of background: "f0" to "f5" fill and "s0" to "s5" draw lines in colours that can be told apart,
/// "quiet", "ground", "rule" and "ink" are greys. All classes are of "amp-chart", so that pictures
/// may stand in one page.
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

  /// The whole picture; the writer is empty then.
  std::string finish();

  /// "12.50": a coordinate, in any locale.
  static std::string coordinate(double value);
  /// "12.5", "1e+06": up to six digits.
  static std::string number(double value);

 private:
  void begin(std::string_view element);
  void attribute(std::string_view name, std::string_view value);

  std::string svg_;
};

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/svg_writer.ipp"
#endif
