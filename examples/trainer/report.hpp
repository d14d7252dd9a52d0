// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What remains of a training: text in the terminal, and a folder with a page to look at, its curves
// as SVG and its numbers as JSON.
#pragma once

#include "trainer/chart.hpp"
#include "trainer/files.hpp"
#include "trainer/options.hpp"
#include "trainer/page.hpp"
#include "trainer/summary.hpp"
#include "trainer/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace examples {

inline nlohmann::ordered_json to_json(const Options& options, const std::vector<Result>& results) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json runs = Json::array();  // numbers that are not finite are null
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
          {{"step", result.scaled ? step : Json::array()},
           {"scale", scale},
           {"skipped", skipped}}}});
  }
  Json settings = Json::object();
  for (const auto& [flag, value] : options.given) settings[flag] = value;
  return {{"options", settings}, {"runs", runs}};
}

struct Charts {
  Chart loss{.title = "Training loss", .x_label = "step", .y_label = "cross entropy"};
  Chart accuracy{.title = "Test accuracy", .x_label = "epoch", .y_label = "%"};
  Chart scale{.title = "Loss scale", .x_label = "step", .y_label = "scale", .powers_of_two = true};
};

/// Trailing means over a fortieth of the points, which shows the trend of a loss that jumps from
/// step to step.
inline std::vector<Point> smoothed(const std::vector<Point>& points) {
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

/// Of the first seed of each precision.
inline Charts charts_of(const std::vector<Result>& results) {
  Charts charts;
  for (const std::vector<Result>& group : by_precision(results)) {
    const Result& result = group.front();
    Line losses{result.name}, accuracies{result.name}, scales{result.name};
    for (std::size_t i = 0; i < result.epochs.size(); ++i) {
      accuracies.points.push_back(
          {static_cast<double>(i + 1), 100 * result.epochs[i].test_accuracy});
    }
    std::int64_t skipped = 0;
    for (const Sample& sample : result.samples) {
      const auto step = static_cast<double>(sample.step);
      losses.points.push_back({step, sample.loss});
      if (result.scaled) scales.points.push_back({step, sample.scale});
      if (sample.skipped > skipped) scales.crosses.push_back({step, sample.scale});
      skipped = sample.skipped;
    }
    losses.points = smoothed(losses.points);
    charts.loss.lines.push_back(losses);
    scales.colour = charts.accuracy.lines.size();  // in each chart the same
    charts.accuracy.lines.push_back(accuracies);
    if (result.scaled) charts.scale.lines.push_back(scales);
  }
  return charts;
}

/// Writes report.html, which needs no other file, and the same as summary.json, loss.svg,
/// accuracy.svg and loss_scale.svg.
inline void write_report(const Options& options, const std::vector<Result>& results) {
  const Charts charts = charts_of(results);
  const std::filesystem::path folder = options.report;
  std::filesystem::create_directories(folder);
  const auto summary = to_json(options, results);  // paths in it need not be UTF-8
  using Summary = std::remove_const_t<decltype(summary)>;
  write_file(folder / "summary.json",
             summary.dump(2, ' ', false, Summary::error_handler_t::replace) + "\n");
  write_file(folder / "loss.svg", to_svg(charts.loss));
  write_file(folder / "accuracy.svg", to_svg(charts.accuracy));
  write_file(folder / "loss_scale.svg", to_svg(charts.scale));
  std::vector<Figure> figures = {
      {to_svg(charts.loss), "Step by step: the mean over the last fortieth of the steps."},
      {to_svg(charts.accuracy), "Over all test images, after each epoch."}};
  if (!charts.scale.lines.empty()) {
    figures.push_back({to_svg(charts.scale),
                       "What the loss is multiplied by, so that small gradients do not become 0 in "
                       "float16. A cross is a skipped step: a gradient overflowed, and the scale "
                       "was halved."});
  }
  write_file(folder / "report.html", to_html(options, results, figures));
  std::printf("report: %s\n", (folder / "report.html").string().c_str());
}

}  // namespace examples
