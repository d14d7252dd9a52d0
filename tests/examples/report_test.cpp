// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the trainer writes: charts, and the summary.
#include "trainer/report.hpp"
#include "trainer/chart.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace report {
namespace {

using examples::Chart;
using examples::Result;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("chart: marks are round and lie within", "[examples][report]") {
  CHECK(examples::ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(examples::ticks(1, 3, 8, 1) == std::vector<double>{1, 2, 3});
  const auto small = examples::ticks(0.011, 0.019, 4);
  CHECK(small.size() >= 3);
  CHECK(small.front() >= 0.011);
  CHECK(small.back() <= 0.0191);
}

TEST_CASE("chart: lines are drawn to scale and interrupted by what is not finite",
          "[examples][report]") {
  const double nan = std::nan("");
  const std::string svg = examples::to_svg({.title = "a < b & c",
                                            .lines = {{"up", {{0, 0}, {1, 1}, {2, 2}}},
                                                      {"gap", {{0, 1}, {1, nan}, {2, 1}}},
                                                      {"none", {{0, nan}}}}});
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "a &lt; b &amp; c") == 1);
  CHECK(count(svg, "M70.00 350.00 L325.00 203.00 L580.00 56.00") == 1);
  CHECK(count(svg, "M70.00 203.00 M580.00 203.00") == 1);
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "inf") == 0);
}

TEST_CASE("chart: powers of two are even steps; one value, or none, has room around it",
          "[examples][report]") {
  const std::string svg = examples::to_svg(
      {.lines = {{"scale", {{0, 1}, {1, 2}, {2, 4}, {3, 0}}}}, .powers_of_two = true});
  CHECK(count(svg, "M70.00 350.00 L325.00 203.00 L580.00 56.00") == 1);
  CHECK(count(svg, "2^1<") == 1);
  const std::string one = examples::to_svg({.lines = {{"flat", {{5, 7}}}}});
  CHECK(count(one, "M325.00 203.00") == 1);
  CHECK(count(examples::to_svg({}), "nan") == 0);
}

TEST_CASE("report: the table's spread, and the summary", "[examples][report]") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Result> results = {
      {.name = "a", .seed = 1, .skipped = 2, .epochs = {{2, 0.1, 0.2}, {1, 0.3, 0.4}}},
      {.name = "b", .seed = 1, .epochs = {{inf, 0.1, 0.1}}},
      {.name = "a", .seed = 2, .epochs = {{3, 0.2, 0.6}}, .scales = {{5, 65536, 1}}}};
  const auto groups = examples::by_precision(results);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].size() == 2);
  const examples::Spread spread =
      examples::spread(groups[0], [](const Result& r) { return r.epochs.back().test_accuracy; });
  CHECK(spread.mean == Approx(0.5));
  CHECK(spread.half == Approx(0.1));

  examples::Options options;
  options.given = {{"lr", "0.1"}};
  const auto json = examples::to_json(options, results);
  CHECK(json["options"]["lr"] == "0.1");
  REQUIRE(json["runs"].size() == 3);
  CHECK(json["runs"][0]["test_accuracy"] == 0.4);
  CHECK(json["runs"][0]["epochs"]["loss"].size() == 2);
  CHECK(json["runs"][1]["epochs"]["loss"][0].is_null());
  CHECK(json["runs"][1]["loss_scale"]["scale"].is_array());
  CHECK(json["runs"][2]["loss_scale"]["scale"][0] == 65536.0);
  CHECK(json["runs"][2]["loss_scale"]["step"][0] == 5);
}

}  // namespace
}  // namespace report
