// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Line charts as SVG: axes, ticks and a legend.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace examples {

/// A point in the coordinates of the data.
struct Point {
  double x = 0, y = 0;
};

/// A line of a chart.
struct Line {
  std::string name = {};
  std::vector<Point> points = {};          // points that are not finite interrupt the line
  std::vector<Point> crosses = {};         // points marked by a cross
  std::optional<std::size_t> colour = {};  // if unset, the index of the line in the chart
};

/// A chart over whole numbers x. A line whose last point is not finite does not influence the range
/// of y, because its values may diverge before that point.
struct Chart {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<Line> lines = {};
  bool powers_of_two = false;  // the y axis is logarithmic
};

/// Returns the chart as an SVG picture.
std::string to_svg(const Chart& chart);

}  // namespace examples
