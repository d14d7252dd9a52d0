// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Line charts as SVG: axes, ticks and a legend.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "amp/core/config.hpp"

namespace amp::inline v0::diagnostics {

/// A point of a chart.
struct Point {
  double x = 0, y = 0;
};

/// A line of a chart.
struct Line {
  std::string name = {};
  std::vector<Point> points = {};          // those that are not finite interrupt the line
  std::vector<Point> crosses = {};         // on it
  std::optional<std::size_t> colour = {};  // the place of the line in the chart, where not given
};

/// Over whole numbers x. A line that ends in what is not finite has no say in the range of y: on
/// its way there it may have been anywhere.
struct Chart {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<Line> lines = {};
  bool powers_of_two = false;  // y is drawn by its logarithm
};

/// The chart as a picture in SVG.
std::string to_svg(const Chart& chart);

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/chart.ipp"
#endif
