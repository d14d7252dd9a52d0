// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Draws charts.
#include "trainer/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace examples {

std::vector<double> ticks(double low, double high, int count, double smallest) {
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  step = std::max(step, smallest);
  std::vector<double> marks;
  for (double i = std::ceil(low / step); i * step <= high + step * 1e-9; ++i)
    marks.push_back(i * step);
  return marks;
}

std::string escaped(const std::string& words) {
  std::string text;
  for (const char c : words) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return text;
}

namespace {

/// The drawing of one chart.
class ChartWriter {
 public:
  explicit ChartWriter(const Chart& chart) : chart_(chart) {
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
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" "
        "font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        kWidth, kHeight);
    text(kLeft, 20, "start", chart_.title, " font-size=\"15\" font-weight=\"bold\"");
    text((kLeft + kRight) / 2, kHeight - 10, "middle", chart_.x_label);
    text(kLeft, kTop - 10, "start", chart_.y_label);
    for (const double mark : ticks(x_.low, x_.high, 8, 1)) {
      rule(across(mark), kTop, across(mark), kBottom);
      text(across(mark), kBottom + 16, "middle", number(mark));
    }
    for (const double mark : ticks(y_.low, y_.high, 6, chart_.powers_of_two ? 1 : 0)) {
      rule(kLeft, down(mark), kRight, down(mark));
      text(kLeft - 6, down(mark) + 4, "end",
           chart_.powers_of_two ? "2^" + number(mark) : number(mark));
    }
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) draw(i);
    return svg_ + "</svg>\n";
  }

 private:
  struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    void include(double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    /// Makes room where there was nothing, or one value only.
    void widen() {
      if (low > high) low = high = 0;
      if (low == high) low -= 1, high += 1;
    }
  };

  static constexpr std::size_t kFewPoints = 30;
  static constexpr double kWidth = 720, kHeight = 400;
  static constexpr double kLeft = 70, kRight = 580, kTop = 56, kBottom = 350;
  static constexpr const char* kColours[] = {"#4477aa", "#ee6677", "#228833",
                                             "#ccbb44", "#aa3377", "#66ccee"};

  [[nodiscard]] double height_of(double y) const { return chart_.powers_of_two ? std::log2(y) : y; }
  [[nodiscard]] bool drawn(const Point& point) const {
    return std::isfinite(point.x) && std::isfinite(height_of(point.y));
  }
  [[nodiscard]] double across(double x) const {
    return kLeft + (x - x_.low) / (x_.high - x_.low) * (kRight - kLeft);
  }
  /// What lies beyond the others' range is drawn at its edge.
  [[nodiscard]] double down(double height) const {
    height = std::clamp(height, y_.low, y_.high);
    return kBottom - (height - y_.low) / (y_.high - y_.low) * (kBottom - kTop);
  }

  void draw(std::size_t i) {
    const char* const colour = kColours[chart_.lines[i].colour.value_or(i) % std::size(kColours)];
    bool begun = false;
    add("<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
    for (const Point& point : chart_.lines[i].points) {
      if (drawn(point)) {
        add("%s%.2f %.2f ", begun ? "L" : "M", across(point.x), down(height_of(point.y)));
      }
      begun = drawn(point);
    }
    add("\"/>\n");
    mark(chart_.lines[i], colour);
    const double y = kTop + 20 * static_cast<double>(i);
    add("<rect x=\"%g\" y=\"%g\" width=\"14\" height=\"4\" fill=\"%s\"/>\n", kRight + 14, y,
        colour);
    text(kRight + 34, y + 6, "start", chart_.lines[i].name);
  }

  /// Points that are few enough to be told apart, and crosses. A point alone is no line.
  void mark(const Line& line, const char* colour) {
    const bool few = line.points.size() <= kFewPoints;
    for (const Point& point : line.points) {
      if (few && drawn(point)) {
        add("<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" fill=\"%s\"/>\n", across(point.x),
            down(height_of(point.y)), colour);
      }
    }
    for (const Point& point : line.crosses) {
      if (!drawn(point)) continue;
      const double x = across(point.x), y = down(height_of(point.y));
      add("<path stroke=\"black\" stroke-width=\"1.5\" d=\"M%.2f %.2f l8 8 m0 -8 l-8 8\"/>\n",
          x - 4, y - 4);
    }
  }

  void rule(double x1, double y1, double x2, double y2) {
    add("<path stroke=\"#dddddd\" d=\"M%.2f %.2f L%.2f %.2f\"/>\n", x1, y1, x2, y2);
  }
  void text(double x, double y, const char* anchor, const std::string& words,
            const char* style = "") {
    add("<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\"%s>", x, y, anchor, style);
    svg_ += escaped(words) + "</text>\n";
  }
  static std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", std::abs(value) < 1e-12 ? 0.0 : value);
    return buffer;
  }
  template <typename... Values>
  void add(const char* format, Values... values) {
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format, values...);
    svg_ += buffer;
  }
  void add(const char* words) { svg_ += words; }

  const Chart& chart_;
  Range x_, y_;
  std::string svg_;
};

}  // namespace

std::string to_svg(const Chart& chart) { return ChartWriter(chart).write(); }

}  // namespace examples
