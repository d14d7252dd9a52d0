// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Draws line charts.
#include "trainer/chart.hpp"
#include "trainer/svg_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace examples {
namespace {

/// Draws one chart.
class ChartWriter {
 public:
  explicit ChartWriter(const Chart& chart) : chart_(chart), svg_(kWidth, kHeight, chart.title) {
    const auto diverged = [&](const Line& line) {
      return !line.points.empty() && !drawn(line.points.back());
    };
    const bool all = std::all_of(chart.lines.begin(), chart.lines.end(), diverged);
    for (const Line& line : chart.lines) {
      for (const Point& point : line.points) {
        if (!drawn(point)) continue;
        x_.include(point.x);
        if (all || !diverged(line)) y_.include(height_of(point.y));
      }
    }
    x_.widen();
    y_.widen();
  }

  std::string write() {
    svg_.text(kLeft, 20, "start", chart_.title, "title");
    svg_.text((kLeft + kRight) / 2, kHeight - 10, "middle", chart_.x_label, "quiet");
    svg_.text(kLeft, kTop - 10, "start", chart_.y_label, "quiet");
    for (const double mark : ticks(x_.low, x_.high, 8, 1)) {
      svg_.line(across(mark), kTop, across(mark), kBottom, "rule");
      svg_.text(across(mark), kBottom + 16, "middle", SvgWriter::number(mark), "quiet");
    }
    for (const double mark : ticks(y_.low, y_.high, 6, chart_.powers_of_two ? 1 : 0)) {
      const std::string number = SvgWriter::number(mark);
      svg_.line(kLeft, down(mark), kRight, down(mark), "rule");
      svg_.text(kLeft - 6, down(mark) + 4, "end", chart_.powers_of_two ? "2^" + number : number,
                "quiet");
    }
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) draw(i);
    return svg_.finish();
  }

 private:
  struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    void include(double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    /// Makes an empty range, or one of a single value, wide enough to draw.
    void widen() {
      if (low > high) low = high = 0;
      if (low == high) low -= 1, high += 1;
    }
  };

  static constexpr std::size_t kFewPoints = 30;
  static constexpr double kWidth = 720, kHeight = 400;
  static constexpr double kLeft = 70, kRight = 580, kTop = 56, kBottom = 350;

  double height_of(double y) const { return chart_.powers_of_two ? std::log2(y) : y; }
  bool drawn(const Point& point) const {
    return std::isfinite(point.x) && std::isfinite(height_of(point.y));
  }
  double across(double x) const {
    return kLeft + (x - x_.low) / (x_.high - x_.low) * (kRight - kLeft);
  }
  /// Points outside of the range are drawn at its edge.
  double down(double height) const {
    height = std::clamp(height, y_.low, y_.high);
    return kBottom - (height - y_.low) / (y_.high - y_.low) * (kBottom - kTop);
  }

  void draw(std::size_t i) {
    const Line& line = chart_.lines[i];
    const std::string colour = std::to_string(line.colour.value_or(i) % SvgWriter::kColours);
    bool begun = false;
    std::string commands;
    for (const Point& point : line.points) {
      if (drawn(point)) {
        commands += (begun ? "L" : "M") + SvgWriter::coordinate(across(point.x)) + " " +
                    SvgWriter::coordinate(down(height_of(point.y))) + " ";
      }
      begun = drawn(point);
    }
    if (!commands.empty()) svg_.path(commands, "curve s" + colour);
    mark(line, "f" + colour);
    const double y = kTop + 20 * static_cast<double>(i);
    svg_.rectangle(kRight + 14, y, 14, 4, "f" + colour);
    svg_.text(kRight + 34, y + 6, "start", line.name);
  }

  /// Draws circles at the points, if they are few, since a single point makes no line; and crosses.
  void mark(const Line& line, const std::string& colour) {
    const bool few = line.points.size() <= kFewPoints;
    for (const Point& point : line.points) {
      if (few && drawn(point)) svg_.circle(across(point.x), down(height_of(point.y)), 3.5, colour);
    }
    for (const Point& point : line.crosses) {
      if (!drawn(point)) continue;
      const double x = across(point.x), y = down(height_of(point.y));
      svg_.path("M" + SvgWriter::coordinate(x - 4) + " " + SvgWriter::coordinate(y - 4) +
                    " l8 8 m0 -8 l-8 8",
                "ink");
    }
  }

  const Chart& chart_;
  Range x_, y_;
  SvgWriter svg_;
};

}  // namespace

std::string to_svg(const Chart& chart) { return ChartWriter(chart).write(); }

}  // namespace examples
