// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the trainer writes: charts, and the summary.
#include "trainer/report.hpp"
#include "trainer/chart.hpp"
#include "trainer/history.hpp"
#include "trainer/summary.hpp"

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
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
      {.name = "a",
       .seed = 2,
       .scaled = true,
       .epochs = {{3, 0.2, 0.6}},
       .samples = {{5, 2.5, 65536, 1}}}};
  const auto groups = examples::by_precision(results);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].size() == 2);
  const examples::Spread spread =
      examples::spread(groups[0], [](const Result& r) { return r.epochs.back().test_accuracy; });
  CHECK(spread.mean == Approx(0.5));
  CHECK(spread.half == Approx(0.1));

  examples::Options options;
  options.given = {{"lr", "0.1"}};
  const auto json = nlohmann::json::parse(examples::to_json(options, results));
  CHECK(json["options"]["lr"] == "0.1");
  REQUIRE(json["runs"].size() == 3);
  CHECK(json["runs"][0]["test_accuracy"] == 0.4);
  CHECK(json["runs"][0]["epochs"]["loss"].size() == 2);
  CHECK(json["runs"][1]["epochs"]["loss"][0].is_null());
  CHECK(json["runs"][1]["loss_scale"]["scale"].is_array());
  CHECK(json["runs"][2]["loss_scale"]["scale"][0] == 65536.0);
  CHECK(json["runs"][2]["loss_scale"]["step"][0] == 5);
  CHECK(json["runs"][2]["steps"]["mean_loss"][0] == 2.5);
}

TEST_CASE("report: a path that is no UTF-8 does not lose it", "[examples][report]") {
  const amp_test::TemporaryFolder folder;
  examples::Options options;
  options.report = (folder / "report").string();
  options.given = {{"report", "r\xe9sum\xe9"}};
  examples::write_report(options, {{.name = "a", .epochs = {{1, 0.5, 0.5}}}});
  CHECK(std::filesystem::file_size(folder / "report" / "summary.json") > 0);
}

TEST_CASE("chart: a run that diverges leaves the scale to the others", "[examples][report]") {
  const double nan = std::nan("");
  const std::string svg = examples::to_svg(
      {.lines = {{"up", {{0, 0}, {2, 2}}}, {"away", {{0, 0}, {1, 1e9}, {2, nan}}}}});
  CHECK(count(svg, "M70.00 350.00 L580.00 56.00") == 1);
  CHECK(count(svg, "M70.00 350.00 L325.00 56.00 \"") == 1);
}

TEST_CASE("report: one epoch gives a curve of its steps, a point, and a timeline with its skips",
          "[examples][report]") {
  const Result result{.name = "amp-fp16",
                      .scaled = true,
                      .skipped = 1,
                      .epochs = {{1.5, 0.1, 0.2}},
                      .samples = {{1, 2, 65536, 0}, {2, 1.5, 32768, 1}, {3, 1, 32768, 1}}};
  const examples::Charts charts = examples::charts_of({result});
  REQUIRE(charts.loss.lines.size() == 1);
  CHECK(charts.loss.lines[0].points.size() == 3);
  CHECK(count(examples::to_svg(charts.accuracy), "<circle") == 1);
  REQUIRE(charts.scale.lines.size() == 1);
  REQUIRE(charts.scale.lines[0].crosses.size() == 1);
  CHECK(charts.scale.lines[0].crosses[0].x == 2);

  const std::string page = examples::to_html({}, {result}, {{to_svg(charts.loss), "a < b"}});
  CHECK(count(page, "<svg ") == 1);
  CHECK(count(page, "a &lt; b") == 1);
  CHECK(count(page, "<td>20.00 %</td>") == 1);
  for (const char* other_file : {"src=", "href=", "url(", "@import"})
    CHECK(count(page, other_file) == 0);
}

TEST_CASE("report: a spread needs several seeds; what is not finite has a note",
          "[examples][report]") {
  const double nan = std::nan("");
  CHECK(examples::percent_text({0.5, 0}, 1) == "50.00 %");
  CHECK(examples::percent_text({0.5, 0.01}, 2) == "50.00 +- 1.00 %");
  const Result naive{
      .name = "fp16", .epochs = {{nan, 0.1, 0.1}}, .samples = {{1, 2.3}, {2, nan}, {3, nan}}};
  const std::vector<std::string> notes =
      examples::notes_of({}, {naive, {.name = "fp32", .epochs = {{1, 0.1, 0.1}}}});
  REQUIRE(notes.size() == 1);
  CHECK(count(notes[0], "fp16: the loss is nan from about step 2 on. Adam's second moment") == 1);
  CHECK(count(examples::note_of({.optimizer = "sgd"}, naive), "65504") == 1);
  const Result rising{.name = "fp32", .epochs = {{20, 0.1, 0.1}}, .samples = {{1, 2}, {2, 40}}};
  CHECK(count(examples::note_of({}, rising), "fp32: the loss is 20.0000. A smaller --lr") == 1);
}

TEST_CASE("terminal: blocks rise with the values; lines are wrapped", "[examples][report]") {
  CHECK(examples::blocks({0, 4, 8, std::nan("")}, 0, 8, 50) == "\u2581\u2585\u2588\u00b7");
  CHECK(examples::blocks({0, 8, 4, 4}, 0, 8, 2) == "\u2585\u2585");
  CHECK(examples::wrapped("one two three", 7) == "one two\nthree\n");
}

TEST_CASE("history: a few hundred samples, however many steps", "[examples][report]") {
  examples::History history(100);
  std::int64_t added = 0;
  for (std::int64_t step = 1; step <= 1000; ++step) {
    if (!history.due(step)) continue;
    ++added;
    history.add({.step = step, .loss = static_cast<double>(step), .skipped = step / 10});
  }
  const auto samples = history.samples();
  CHECK(added == 400 + 400 / 2 + 200 / 4);  // each step, each second, each fourth
  REQUIRE(samples.size() == 250);
  CHECK(samples.front().step == 4);
  CHECK(samples.front().loss == 2.5);
  CHECK(samples.back().step == 1000);
  CHECK(samples.back().skipped == 100);
}

}  // namespace
}  // namespace report
