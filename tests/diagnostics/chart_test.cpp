// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Line charts, and the timeline of the loss scale.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/diagnostics/svg_writer.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/xml.hpp"

namespace chart {
namespace {

using amp::diagnostics::Chart;
using amp::diagnostics::ticks;
using amp::diagnostics::to_svg;
using amp_test::error_of;
using amp_test::xml_error;
using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("xml: the checker finds what is not well-formed", "[diagnostics][chart]") {
  CHECK(xml_error("<a b=\"c\"><d/>x &lt; y</a>\n") == "");
  for (const char* bad : {"", "<a>", "<a></b>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a>x & y</a>",
                          "<a/><b/>", "<a b=\"<\"/>", "text", "<a"})
    CHECK(xml_error(bad) != "");
}

TEST_CASE("chart: marks are round and lie within", "[diagnostics][chart]") {
  CHECK(ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(ticks(1, 3, 8, 1) == std::vector<double>{1, 2, 3});
  const auto small = ticks(0.011, 0.019, 4);
  CHECK(small.size() >= 3);
  CHECK(small.front() >= 0.011);
  CHECK(small.back() <= 0.0191);
}

TEST_CASE("chart: lines are drawn to scale and interrupted by what is not finite",
          "[diagnostics][chart]") {
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
          "[diagnostics][chart]") {
  const std::string svg =
      drawing({.lines = {{"scale", {{0, 1}, {1, 2}, {2, 4}, {3, 0}}}}, .powers_of_two = true});
  CHECK(count(svg, "M70.00 350.00 L325.00 203.00 L580.00 56.00") == 1);
  CHECK(count(svg, "2^1<") == 1);
  const std::string one = drawing({.lines = {{"flat", {{5, 7}}}}});
  CHECK(count(one, "M325.00 203.00") == 1);
  CHECK(count(drawing({}), "nan") == 0);
}

TEST_CASE("chart: a run that diverges leaves the scale to the others", "[diagnostics][chart]") {
  const double nan = std::nan("");
  const std::string svg =
      drawing({.lines = {{"up", {{0, 0}, {2, 2}}}, {"away", {{0, 0}, {1, 1e9}, {2, nan}}}}});
  CHECK(count(svg, "M70.00 350.00 L580.00 56.00") == 1);
  CHECK(count(svg, "M70.00 350.00 L325.00 56.00 \"") == 1);
}

TEST_CASE("timeline: the scale of each step, and a cross for each skip", "[diagnostics][chart]") {
  amp::GradScaler scaler({.init_scale = 8, .growth_interval = 2});
  const amp::Tensor p = amp::ones({2}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0.1});
  amp::LossScaleTimeline timeline;
  for (int step = 1; step <= 6; ++step) {
    sgd.zero_grad();
    scaler.scale(amp::sum(p * (step == 2 ? HUGE_VAL : 1.0))).backward();
    const amp::StepResult result = scaler.step(sgd);
    scaler.update();
    timeline.add(step, scaler.get_scale(), result.skipped());
  }
  CHECK(timeline.size() == 6);
  CHECK(timeline.skips() == 1);
  const amp::diagnostics::Line line = timeline.line("fp16");
  CHECK(line.name == "fp16");
  CHECK(line.points[1].y == 4);
  CHECK(line.crosses[0].x == 2);
  const std::string svg = timeline.to_svg("a & b");
  CHECK(xml_error(svg) == "");
  CHECK(count(svg, "class=\"ink\"") == 1);
  CHECK(count(svg, "a &amp; b") == 1);
  CHECK(xml_error(amp::LossScaleTimeline().to_svg()) == "");
}

TEST_CASE("timeline: steps in order and real scales only", "[diagnostics][chart]") {
  amp::LossScaleTimeline timeline;
  timeline.add(5, 2);
  CHECK_THAT(error_of([&] {
               timeline.add(5, 2);
               return 0;
             }),
             ContainsSubstring("step 5 does not come after step 5"));
  for (const double scale : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    CHECK_THAT(error_of([&] {
                 timeline.add(6, scale, true);
                 return 0;
               }),
               ContainsSubstring("`scale` must be finite and above 0"));
  }
  CHECK(timeline.size() == 1);
  CHECK(timeline.skips() == 0);
}

}  // namespace
}  // namespace chart
