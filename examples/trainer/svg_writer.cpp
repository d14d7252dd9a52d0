// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes the elements of SVG, with one style sheet for all pictures.
#include "trainer/svg_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

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

std::string escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '<')
      text += "&lt;";
    else if (c == '&')
      text += "&amp;";
    else if (c == '"')
      text += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)  // XML allows no other control characters
      text += c;
  }
  return text;
}

/// Colours after Paul Tol's bright scheme, which are distinct for colour-blind readers as well.
constexpr std::string_view kChartStyle = R"(<style>
.amp-chart text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
.amp-chart .title { font-size: 15px; font-weight: 600; }
.amp-chart .quiet { fill: #59636e; }
.amp-chart .ground { fill: #ffffff; }
.amp-chart .rule { stroke: #dddddd; }
.amp-chart .ink { stroke: #1f2328; stroke-width: 1.5; fill: none; }
.amp-chart .curve { stroke-width: 2; fill: none; }
.amp-chart .limit { stroke-width: 1.5; fill: none; }
.amp-chart .dashed { stroke-dasharray: 5 4; }
.amp-chart .faint { opacity: .14; }
.amp-chart .half { opacity: .45; }
.amp-chart .f0 { fill: #4477aa; } .amp-chart .s0 { stroke: #4477aa; }
.amp-chart .f1 { fill: #ee6677; } .amp-chart .s1 { stroke: #ee6677; }
.amp-chart .f2 { fill: #228833; } .amp-chart .s2 { stroke: #228833; }
.amp-chart .f3 { fill: #ccbb44; } .amp-chart .s3 { stroke: #ccbb44; }
.amp-chart .f4 { fill: #aa3377; } .amp-chart .s4 { stroke: #aa3377; }
.amp-chart .f5 { fill: #66ccee; } .amp-chart .s5 { stroke: #66ccee; }
@media (prefers-color-scheme: dark) {
.amp-chart text { fill: #f0f6fc; }
.amp-chart .quiet { fill: #9198a1; }
.amp-chart .ground { fill: #0d1117; }
.amp-chart .rule { stroke: #30363d; }
.amp-chart .ink { stroke: #f0f6fc; }
.amp-chart .faint { opacity: .22; }
.amp-chart .f0 { fill: #6fa3d8; } .amp-chart .s0 { stroke: #6fa3d8; }
.amp-chart .f2 { fill: #4fb860; } .amp-chart .s2 { stroke: #4fb860; }
.amp-chart .f4 { fill: #d770ae; } .amp-chart .s4 { stroke: #d770ae; }
}
</style>
)";

SvgWriter::SvgWriter(double width, double height, std::string_view title) {
  begin("svg");
  attribute("xmlns", "http://www.w3.org/2000/svg");
  attribute("viewBox", "0 0 " + number(width) + " " + number(height));
  attribute("width", number(width));
  attribute("height", number(height));
  attribute("role", "img");
  attribute("class", "amp-chart");
  svg_ += ">\n<title>" + escaped(title) + "</title>\n";
  svg_ += kChartStyle;
  rectangle(0, 0, width, height, "ground");
}

void SvgWriter::text(double x, double y, std::string_view anchor, std::string_view words,
                     std::string_view css_class) {
  begin("text");
  attribute("x", coordinate(x));
  attribute("y", coordinate(y));
  attribute("text-anchor", anchor);
  if (!css_class.empty()) attribute("class", css_class);
  svg_ += ">" + escaped(words) + "</text>\n";
}

void SvgWriter::rectangle(double x, double y, double width, double height,
                          std::string_view css_class, std::string_view hint) {
  begin("rect");
  attribute("x", coordinate(x));
  attribute("y", coordinate(y));
  attribute("width", coordinate(width));
  attribute("height", coordinate(height));
  attribute("class", css_class);
  svg_ += hint.empty() ? "/>\n" : "><title>" + escaped(hint) + "</title></rect>\n";
}

void SvgWriter::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  path("M" + coordinate(x1) + " " + coordinate(y1) + " L" + coordinate(x2) + " " + coordinate(y2),
       css_class);
}

void SvgWriter::path(std::string_view commands, std::string_view css_class) {
  begin("path");
  attribute("class", css_class);
  attribute("d", commands);
  svg_ += "/>\n";
}

void SvgWriter::circle(double x, double y, double radius, std::string_view css_class) {
  begin("circle");
  attribute("cx", coordinate(x));
  attribute("cy", coordinate(y));
  attribute("r", number(radius));
  attribute("class", css_class);
  svg_ += "/>\n";
}

std::string SvgWriter::finish() { return std::exchange(svg_, std::string()) + "</svg>\n"; }

std::string SvgWriter::coordinate(double value) {
  char digits[400];
  const auto end = std::to_chars(digits, std::end(digits), value, std::chars_format::fixed, 2);
  return std::string(digits, end.ptr);
}

std::string SvgWriter::number(double value) {
  char digits[32];
  const double rounded = std::abs(value) < 1e-12 ? 0.0 : value;
  const auto end = std::to_chars(digits, std::end(digits), rounded, std::chars_format::general, 6);
  return std::string(digits, end.ptr);
}

void SvgWriter::begin(std::string_view element) { (svg_ += '<') += element; }

void SvgWriter::attribute(std::string_view name, std::string_view value) {
  ((((svg_ += ' ') += name) += "=\"") += value) += '"';
}

}  // namespace examples
