// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The output of the trainer: the report, and the summary.
#include "trainer/report.hpp"
#include "trainer/history.hpp"
#include "trainer/summary.hpp"

#include <amp/autocast.hpp>
#include <amp/ops.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/xml.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace report {
namespace {

using examples::Result;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
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
  CHECK(count(to_svg(charts.accuracy), "<circle") == 1);
  REQUIRE(charts.scale.lines.size() == 1);
  REQUIRE(charts.scale.lines[0].crosses.size() == 1);
  CHECK(charts.scale.lines[0].crosses[0].x == 2);

  const std::string page = examples::to_html({}, {result}, {{to_svg(charts.loss), "a < b"}});
  CHECK(count(page, "<svg ") == 1);
  CHECK(count(page, "a &lt; b") == 1);
  CHECK(count(page, ">20.00 %</td>") == 1);
  for (const char* other_file : {"src=", "href=", "url(", "@import"})
    CHECK(count(page, other_file) == 0);
}

TEST_CASE("report: the precision of each op is a table, and a wide table scrolls",
          "[examples][report]") {
  Result result{.name = "amp-bf16", .epochs = {{1, 0.5, 0.5}}};
  {
    const amp::TraceGuard tracing(result.trace);
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    (void)amp::softmax(amp::linear(amp::ones({3, 4}), amp::ones({8, 4})), 1);
  }
  const std::string page = examples::to_html({}, {result}, {});
  const std::size_t body = page.find("<body>");
  CHECK(amp_test::xml_error(page.substr(body, page.find("</html>") - body)) == "");
  CHECK(count(page, "<tr>") == 2 + 1 + 2);  // the results; a heading and two ops
  CHECK(count(page, ">linear</td>") == 1);
  CHECK(count(page, ">float32 x2 -> bfloat16 x2 => bfloat16</td>") == 1);
  CHECK(count(page, "<p>2 ops and 0 backward functions: ") == 1);

  CHECK(count(page, "\n.scrolls { overflow-x: auto;") == 1);
  std::size_t tables = 0;
  for (auto at = page.find("<table>"); at != page.npos; at = page.find("<table>", at + 1)) {
    ++tables;
    const std::size_t begin = page.rfind("<div class=\"scrolls\"", at);
    CHECK((begin != page.npos && page.find("</div>", begin) > at));
  }
  CHECK(tables == 2);
}

TEST_CASE("report: the gradients of each precision, as a picture and in numbers",
          "[examples][report]") {
  Result scaled{.name = "amp-fp16", .scaled = true, .epochs = {{1, 0.5, 0.5}}};
  Result plain{.name = "fp32", .epochs = {{1, 0.5, 0.5}}};
  scaled.gradients.set_scale(65536);
  for (Result* const result : {&scaled, &plain}) {
    result->gradients.add("w", amp::tensor({0x1p-20F, 0x1p-14F, 0.0F, 0x1p-30F}, {4}));
  }
  const Result without{.name = "bf16", .epochs = {{1, 0.5, 0.5}}};
  const std::vector<Result> results = {plain, scaled, without, scaled};
  const auto with = examples::with_gradients(results);
  REQUIRE(with.size() == 2);
  CHECK(with[0]->name == "amp-fp16");

  const amp_test::TemporaryFolder folder;
  examples::Options options;
  options.report = folder.path.string();
  examples::write_report(options, results);
  const auto text_of = [&](const char* name) {
    std::ifstream file(folder / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const char* picture : {"gradients.svg", "gradients-fp32.svg", "loss.svg", "loss_scale.svg"})
    CHECK(amp_test::xml_error(text_of(picture)) == "");
  CHECK(count(text_of("gradients.svg"), "Gradients, amp-fp16") == 2);
  CHECK(!std::filesystem::exists(folder / "gradients-bf16.svg"));
  const std::string page = text_of("report.html");
  CHECK(count(page, "<svg ") == 5);
  CHECK(count(page, "33.33 % of those that are not 0 would become 0 at scale 1, and") == 1);
  CHECK(count(page, "at the last scale, 2^16, and 0.00 % at the recommended") == 1);

  const auto json = nlohmann::json::parse(text_of("summary.json"));
  const auto& gradients = json["runs"][0]["gradients"];
  CHECK(gradients["values"] == 4);
  CHECK(gradients["zeros"] == 1);
  CHECK(gradients["flushed_share_at_scale_1"] == Approx(1.0 / 3));
  CHECK(gradients["recommended_scale"] == 0x1p25);
  CHECK(gradients["exponent"] == std::vector<int>{-30, -20, -14});
  CHECK(json["runs"][1]["gradients"]["scale"] == 65536);
  CHECK(json["runs"][2]["gradients"].is_null());
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
