// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The trainer's pictures: line charts, and histograms of gradients.
#include "trainer/chart.hpp"
#include "trainer/histogram_picture.hpp"
#include "trainer/svg_writer.hpp"

#include <amp/amp.hpp>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/xml.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace chart {
namespace {

using amp_test::error_of;
using amp_test::xml_error;
using Catch::Matchers::ContainsSubstring;
using examples::Chart;
using examples::ticks;
using examples::to_svg;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}
/// Without the style sheet.
std::string drawing(const Chart& chart) {
  const std::string svg = to_svg(chart);
  CHECK(xml_error(svg) == "");
  return svg.substr(svg.find("</style>"));
}

TEST_CASE("xml: the checker finds what is not well-formed", "[examples][chart]") {
  CHECK(xml_error("<a b=\"c\"><d/>x &lt; y</a>\n") == "");
  for (const char* bad : {"", "<a>", "<a></b>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a>x & y</a>",
                          "<a/><b/>", "<a b=\"<\"/>", "text", "<a"})
    CHECK(xml_error(bad) != "");
}

TEST_CASE("chart: marks are round and lie within", "[examples][chart]") {
  CHECK(ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(ticks(1, 3, 8, 1) == std::vector<double>{1, 2, 3});
  const auto small = ticks(0.011, 0.019, 4);
  CHECK(small.size() >= 3);
  CHECK(small.front() >= 0.011);
  CHECK(small.back() <= 0.0191);
}

TEST_CASE("chart: lines are drawn to scale and interrupted by what is not finite",
          "[examples][chart]") {
  const double nan = std::nan("");
  const std::string svg = drawing({.title = "a < b & c",
                                   .lines = {{"up", {{0, 0}, {1, 1}, {2, 2}}},
                                             {"gap", {{0, 1}, {1, nan}, {2, 1}}},
                                             {"none", {{0, nan}}}}});
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "a &lt; b &amp; c") == 1);
  CHECK(count(svg, "M70.00 350.00 L325.00 203.00 L580.00 56.00") == 1);
  CHECK(count(svg, "M70.00 203.00 M580.00 203.00") == 1);
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "inf") == 0);
}

TEST_CASE("chart: powers of two are even steps, and one value, or none, has room",
          "[examples][chart]") {
  const std::string svg =
      drawing({.lines = {{"scale", {{0, 1}, {1, 2}, {2, 4}, {3, 0}}}}, .powers_of_two = true});
  CHECK(count(svg, "M70.00 350.00 L325.00 203.00 L580.00 56.00") == 1);
  CHECK(count(svg, "2^1<") == 1);
  const std::string one = drawing({.lines = {{"flat", {{5, 7}}}}});
  CHECK(count(one, "M325.00 203.00") == 1);
  CHECK(count(drawing({}), "nan") == 0);
}

TEST_CASE("chart: a run that diverges leaves the scale to the others", "[examples][chart]") {
  const double nan = std::nan("");
  const std::string svg =
      drawing({.lines = {{"up", {{0, 0}, {2, 2}}}, {"away", {{0, 0}, {1, 1e9}, {2, nan}}}}});
  CHECK(count(svg, "M70.00 350.00 L580.00 56.00") == 1);
  CHECK(count(svg, "M70.00 350.00 L325.00 56.00 \"") == 1);
}

TEST_CASE("histogram: the picture is SVG that needs nothing else", "[examples][chart]") {
  amp::GradientHistogram h(65536);
  h.add("conv<1>", amp::tensor({0x1p-14F, 0x1p-12F, 0x1p3F, 0.0F}, {4}));  // times 2^16
  h.add("linear", amp::tensor({0x1p-30F, HUGE_VALF}, {2}));
  const std::string svg = to_svg(h, "a < b & \"c\"");
  CHECK(xml_error(svg) == "");
  CHECK(count(svg, "a &lt; b &amp; &quot;c&quot;") == 2);  // the title, and for screen readers
  CHECK(count(svg, "float16 at scale 1<") == 1);
  CHECK(count(svg, "float16 at scale 2^16<") == 1);
  CHECK(count(svg, "class=\"f5\"") == 2);  // zeros: a bar and the legend
  CHECK(count(svg, "2^-46 to 2^-45: 16.67 %") == 1);
  CHECK(count(svg, "infinite: 1, NaN: 0") == 1);
  CHECK(count(svg, "prefers-color-scheme: dark") == 1);
  for (const char* resource : {"href", "url(", "@import", "<script", "<image"})
    CHECK(count(svg, resource) == 0);
  amp::GradientHistogram unscaled;
  CHECK(xml_error(to_svg(unscaled)) == "");
  unscaled.add("w", amp::tensor({0x1p-149F, 0x1p127F, 0.0F, std::nanf("")}, {4}));
  const std::string wide = to_svg(unscaled, "Gradients", amp::kBFloat16);
  CHECK(xml_error(wide) == "");
  CHECK(count(wide, "dashed\"") == 0);
  CHECK(count(wide, "2^-149 to 2^-148: 25.00 %") == 1);
  CHECK_THAT(error_of([&] { return to_svg(unscaled, "", amp::kInt32); }),
             ContainsSubstring("`format` must be a floating-point dtype"));
}

}  // namespace
}  // namespace chart
