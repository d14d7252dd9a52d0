// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes the folder with the report of a training.
#include "trainer/report.hpp"
#include "trainer/histogram_picture.hpp"
#include "trainer/svg_writer.hpp"

#include <amp/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace examples {
namespace {

bool has_gradients(const Result& result) { return result.gradients.all().total() > 0; }

/// The losses of the gradients in float16, as JSON; null if no gradients were counted.
nlohmann::ordered_json gradients_json(const Result& result) {
  using Json = nlohmann::ordered_json;
  if (!has_gradients(result)) return {};
  const amp::ExponentHistogram& all = result.gradients.all();
  const double scale = result.gradients.scale();
  Json exponent = Json::array(), count = exponent;
  for (int e = amp::ExponentHistogram::kMinExponent; e <= amp::ExponentHistogram::kMaxExponent;
       ++e) {
    if (all.count(e) == 0) continue;
    exponent.push_back(e);
    count.push_back(all.count(e));
  }
  return {{"values", all.total()},
          {"zeros", all.zeros()},
          {"not_finite", all.infs() + all.nans()},
          {"scale", scale},
          {"flushed_share_at_scale_1", all.flushed_share()},
          {"flushed_share_at_scale", all.flushed_share(scale)},
          {"recommended_scale", all.recommended_scale().scale},
          {"flushed_share_at_recommended_scale", all.recommended_scale().flushed_share},
          {"exponent", exponent},
          {"count", count}};
}

}  // namespace

std::string to_json(const Options& options, const std::vector<Result>& results) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json runs = Json::array();
  for (const Result& result : results) {
    Json loss = Json::array(), accuracy = loss, test_accuracy = loss;
    Json step = loss, mean_loss = loss, scale = loss, skipped = loss;
    for (const Epoch& epoch : result.epochs) {
      loss.push_back(number(epoch.loss));
      accuracy.push_back(epoch.accuracy);
      test_accuracy.push_back(epoch.test_accuracy);
    }
    for (const Sample& sample : result.samples) {
      step.push_back(sample.step);
      mean_loss.push_back(number(sample.loss));
      if (!result.scaled) continue;
      scale.push_back(sample.scale);
      skipped.push_back(sample.skipped);
    }
    runs.push_back(
        {{"precision", result.name},
         {"seed", result.seed},
         {"test_accuracy", result.epochs.back().test_accuracy},
         {"seconds_per_step", result.seconds_per_step},
         {"peak_tensor_bytes", result.peak_bytes},
         {"skipped_steps", result.skipped},
         {"epochs", {{"loss", loss}, {"accuracy", accuracy}, {"test_accuracy", test_accuracy}}},
         {"steps", {{"step", step}, {"mean_loss", mean_loss}}},
         {"loss_scale",
          {{"step", result.scaled ? step : Json::array()}, {"scale", scale}, {"skipped", skipped}}},
         {"gradients", gradients_json(result)}});
  }
  Json settings = Json::object();
  for (const auto& [flag, value] : options.given) settings[flag] = value;
  const Json summary = {{"options", settings}, {"runs", runs}};
  // The command line may not be UTF-8.
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// --- curves -------------------------------------------------------------------------------------

namespace {

/// Returns trailing means over a fortieth of the points, which show the trend of a noisy loss.
std::vector<Point> smoothed(const std::vector<Point>& points) {
  const std::size_t most = points.size() / 40 + 1;
  std::vector<Point> means;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t count = std::min(most, i + 1);
    double sum = 0;
    for (std::size_t j = i + 1 - count; j <= i; ++j) sum += points[j].y;
    means.push_back({points[i].x, sum / static_cast<double>(count)});
  }
  return means;
}

}  // namespace

Charts charts_of(const std::vector<Result>& results) {
  Charts charts;
  for (const std::vector<Result>& group : by_precision(results)) {
    const Result& result = group.front();
    Line losses{result.name}, accuracies{result.name}, scales{result.name};
    scales.colour = charts.accuracy.lines.size();  // the same in each chart
    for (std::size_t i = 0; i < result.epochs.size(); ++i) {
      accuracies.points.push_back(
          {static_cast<double>(i + 1), 100 * result.epochs[i].test_accuracy});
    }
    std::int64_t skipped = 0;
    for (const Sample& sample : result.samples) {
      const auto step = static_cast<double>(sample.step);
      losses.points.push_back({step, sample.loss});
      scales.points.push_back({step, sample.scale});
      if (sample.skipped > skipped) scales.crosses.push_back(scales.points.back());
      skipped = sample.skipped;
    }
    losses.points = smoothed(losses.points);
    charts.loss.lines.push_back(losses);
    charts.accuracy.lines.push_back(accuracies);
    if (result.scaled) charts.scale.lines.push_back(scales);
  }
  return charts;
}

std::vector<const Result*> with_gradients(const std::vector<Result>& results) {
  std::vector<const Result*> found;
  std::vector<std::string> names;
  for (const Result& result : results) {
    if (!has_gradients(result) || std::count(names.begin(), names.end(), result.name) > 0) continue;
    names.push_back(result.name);
    found.insert(result.name == "amp-fp16" ? found.begin() : found.end(), &result);
  }
  return found;
}

// --- the page -----------------------------------------------------------------------------------

namespace {

/// Returns rows of cells as a table with a label, the first row as its heading. A column whose
/// heading begins with a blank is aligned to the right. A table that is wider than the page
/// scrolls, also by keys.
std::string html_table(const std::string& label, const Rows& rows) {
  std::string text = "<div class=\"scrolls\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                     escaped(label) + "\">\n<table>\n";
  for (const std::vector<std::string>& row : rows) {
    const std::string cell = &row == &rows.front() ? "th" : "td";
    text += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool right = rows.front()[c].starts_with(' ');
      text +=
          "<" + cell + (right ? " class=\"number\">" : ">") + escaped(row[c]) + "</" + cell + ">";
    }
    text += "</tr>\n";
  }
  return text + "</table>\n</div>\n";
}

}  // namespace

std::string to_html(const Options& options, const std::vector<Result>& results,
                    const std::vector<Figure>& figures) {
  const Result& first = results.front();
  std::string page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Training report</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 sans-serif; color: #1f2328; background: #fff; max-width: 1180px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; }
code { overflow-wrap: anywhere; }
.scrolls { overflow-x: auto; margin: 1.5em 0; }
table { border-collapse: collapse; white-space: nowrap; }
th, td { padding: .3em .9em; text-align: left; border-bottom: 1px solid #8885; }
h2 + .scrolls { font-size: .85em; }
.number { text-align: right; }
.note { border-left: 4px solid #ee6677; padding: .2em .8em; background: #ee667718; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 500px), 1fr)); gap: 1.5em; }
figure { margin: 0; }
figure svg { width: 100%; height: auto; }
figcaption { font-size: .85em; opacity: .8; }
@media (max-width: 600px) {
  .scrolls, h2 + .scrolls { font-size: .8em; }
  th, td { padding: .3em; }
  th { white-space: normal; vertical-align: bottom; }
}
@media (prefers-color-scheme: dark) { body { color: #f0f6fc; background: #0d1117; } }
</style>
</head>
<body>
)";
  page += "<h1>" + escaped(options.dataset) + ", " + escaped(options.optimizer) + ", " +
          std::to_string(first.epochs.size()) + (first.epochs.size() == 1 ? " epoch" : " epochs") +
          "</h1>\n<p><code>" + escaped(options.command) + "</code></p>\n" +
          html_table("Results", table_of(results));
  for (const std::string& note : notes_of(options, results))
    page += "<p class=\"note\">" + escaped(note) + "</p>\n";
  page +=
      "<p>Final loss: mean of the last epoch. Skipped: steps that were skipped because a "
      "gradient overflowed.";
  if (options.seeds > 1)
    page +=
        " Means over the seeds, +- half the distance from the lowest to the highest; the "
        "curves are those of the first seed.";
  page += "</p>\n<div class=\"figures\">\n";
  for (const Figure& figure : figures) {
    page += "<figure>\n" + figure.svg + "<figcaption>" + escaped(figure.caption) +
            "</figcaption>\n</figure>\n";
  }
  page += "</div>\n";
  for (const std::vector<Result>& group : by_precision(results)) {
    const amp::Trace& trace = group.front().trace;
    if (trace.entries().empty()) continue;
    const std::string title = "Precision of each op: " + group.front().name;
    page += "<h2>" + escaped(title) + "</h2>\n" + html_table(title, trace.rows()) + "<p>" +
            escaped(trace.totals()) + "</p>\n";
  }
  Settings settings = settings_of(options);
  settings["device"] = options.device;
  settings["epochs"] = std::to_string(options.epochs);
  return page + "<h2>Settings</h2>\n<p><code>" + escaped(to_string(settings)) +
         "</code></p>\n</body>\n</html>\n";
}

// --- the folder ---------------------------------------------------------------------------------

namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw amp::Error(path.string() + ": cannot be written");
}

/// Writes the trace of a step: the precision of each op, times, and a timeline.
void write_trace(const std::filesystem::path& folder, const Result& result) {
  if (result.trace.entries().empty()) return;
  write_file(folder / ("precisions-" + result.name + ".txt"), result.trace.precisions());
  write_file(folder / ("trace-" + result.name + ".txt"), result.trace.to_string());
  write_file(folder / ("trace-" + result.name + ".json"), result.trace.to_chrome_trace());
}

/// The caption of a histogram, with its numbers.
std::string gradient_caption(const Result& result) {
  using amp::diagnostics::percent_text;
  using amp::diagnostics::scale_text;
  const amp::GradientHistogram& gradients = result.gradients;
  const amp::ExponentHistogram& all = gradients.all();
  const amp::ScaleRecommendation advice = gradients.recommended_scale();
  std::string text =
      "Gradients of activations in every eighth step of the last epoch, without the loss scale. In "
      "float16 " +
      percent_text(all.flushed_share()) + " of those that are not 0 would become 0 at scale 1, ";
  if (result.scaled) {
    text += percent_text(all.flushed_share(gradients.scale())) + " at the last scale, " +
            scale_text(gradients.scale()) + ", ";
  }
  return text + "and " + percent_text(advice.flushed_share) + " at the recommended scale, " +
         scale_text(advice.scale) + ", at which the largest gradient may grow by a factor of 8." +
         (result.scaled || !result.name.ends_with("fp16")
              ? ""
              : " Gradients that already became 0 in float16 are counted as zeros.");
}

}  // namespace

void write_report(const Options& options, const std::vector<Result>& results) {
  const Charts charts = charts_of(results);
  const std::filesystem::path folder = options.report;
  std::filesystem::create_directories(folder);
  write_file(folder / "summary.json", to_json(options, results));
  write_file(folder / "loss.svg", to_svg(charts.loss));
  write_file(folder / "accuracy.svg", to_svg(charts.accuracy));
  write_file(folder / "loss_scale.svg", to_svg(charts.scale));
  std::vector<Figure> figures = {
      {to_svg(charts.loss), "Step by step: the mean over the last fortieth of the steps."},
      {to_svg(charts.accuracy), "Over all test images, after each epoch."}};
  if (!charts.scale.lines.empty()) {
    figures.push_back({to_svg(charts.scale),
                       "The factor of the loss, so that small gradients do not become 0 in "
                       "float16. A cross is a skipped step: a gradient overflowed, and the scale "
                       "was halved."});
  }
  for (const Result* const result : with_gradients(results)) {
    const std::string svg = to_svg(result->gradients, "Gradients, " + result->name);
    const bool first = result == with_gradients(results).front();
    write_file(folder / (first ? "gradients.svg" : "gradients-" + result->name + ".svg"), svg);
    figures.push_back({svg, gradient_caption(*result)});
  }
  for (const std::vector<Result>& group : by_precision(results)) write_trace(folder, group.front());
  write_file(folder / "report.html", to_html(options, results, figures));
  std::printf("report: %s\n", (folder / "report.html").string().c_str());
}

}  // namespace examples
