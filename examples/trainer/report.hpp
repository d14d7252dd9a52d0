// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What remains of a training: a table, and a folder with its numbers as JSON and its curves as SVG.
#pragma once

#include "trainer/chart.hpp"
#include "trainer/options.hpp"
#include "trainer/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

/// Means over the images of one epoch.
struct Epoch {
  double loss = 0;
  double accuracy = 0;       // of the predictions made while training
  double test_accuracy = 0;  // after it
};

/// The scaler, after so many steps.
struct ScaleSample {
  std::int64_t step = 0;
  double scale = 1;
  std::int64_t skipped = 0;  // since the run began
};

/// One training, in one precision and from one seed.
struct Result {
  std::string name = {};
  std::uint64_t seed = 0;
  double seconds_per_step = 0;  // without evaluation; 0 where all was resumed
  std::int64_t peak_bytes = 0;  // of tensors
  std::int64_t skipped = 0;
  std::vector<Epoch> epochs = {};
  std::vector<ScaleSample> scales = {};
};

/// Mean, and the half of the distance from the smallest to the largest.
struct Spread {
  double mean = 0, half = 0;
};

template <typename Value>
Spread spread(const std::vector<Result>& results, Value&& value) {
  double sum = 0, low = INFINITY, high = -INFINITY;
  for (const Result& result : results) {
    sum += value(result);
    low = std::min(low, value(result));
    high = std::max(high, value(result));
  }
  return {sum / static_cast<double>(results.size()), (high - low) / 2};
}

/// The results of each precision, in the order of the first of each.
inline std::vector<std::vector<Result>> by_precision(const std::vector<Result>& results) {
  std::vector<std::vector<Result>> groups;
  for (const Result& result : results) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
      return other.front().name == result.name;
    });
    (group == groups.end() ? groups.emplace_back() : *group).push_back(result);
  }
  return groups;
}

inline void print_table(const std::vector<Result>& results) {
  std::printf(
      "\nprecision  time per step  peak tensor memory  final loss  test accuracy      skipped "
      "steps\n");
  for (const std::vector<Result>& group : by_precision(results)) {
    const Spread accuracy =
        spread(group, [](const Result& r) { return 100 * r.epochs.back().test_accuracy; });
    std::printf(
        "%-9s  %10.1f ms  %14.1f MiB  %10s  %6.2f +- %4.2f %%  %13.0f\n",
        group.front().name.c_str(),
        1e3 * spread(group, [](const Result& r) { return r.seconds_per_step; }).mean,
        spread(group, [](const Result& r) { return static_cast<double>(r.peak_bytes); }).mean /
            0x1p20,
        loss_text(spread(group, [](const Result& r) { return r.epochs.back().loss; }).mean).c_str(),
        accuracy.mean, accuracy.half,
        spread(group, [](const Result& r) { return static_cast<double>(r.skipped); }).mean);
  }
  std::printf(
      "means over the seeds, +- half the distance from the lowest to the highest; final loss: mean "
      "of the last epoch\n");
}

inline nlohmann::ordered_json to_json(const Options& options, const std::vector<Result>& results) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json runs = Json::array();  // numbers that are not finite are null
  for (const Result& result : results) {
    Json loss = Json::array(), accuracy = loss, test_accuracy = loss;
    Json step = loss, scale = loss, skipped = loss;
    for (const Epoch& epoch : result.epochs) {
      loss.push_back(number(epoch.loss));
      accuracy.push_back(epoch.accuracy);
      test_accuracy.push_back(epoch.test_accuracy);
    }
    for (const ScaleSample& sample : result.scales) {
      step.push_back(sample.step);
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
         {"loss_scale", {{"step", step}, {"scale", scale}, {"skipped", skipped}}}});
  }
  Json settings = Json::object();
  for (const auto& [flag, value] : options.given) settings[flag] = value;
  return {{"options", settings}, {"runs", runs}};
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

/// Writes summary.json, loss.svg, accuracy.svg and loss_scale.svg. A chart shows the first seed of
/// each precision.
inline void write_report(const Options& options, const std::vector<Result>& results) {
  Chart loss{.title = "Training loss", .x_label = "epoch", .y_label = "mean cross entropy"};
  Chart accuracy{.title = "Test accuracy", .x_label = "epoch", .y_label = "%"};
  Chart scales{.title = "Loss scale", .x_label = "step", .y_label = "scale", .powers_of_two = true};
  for (const std::vector<Result>& group : by_precision(results)) {
    const Result& result = group.front();
    Line losses{result.name}, accuracies{result.name}, timeline{result.name};
    for (std::size_t i = 0; i < result.epochs.size(); ++i) {
      const auto epoch = static_cast<double>(i + 1);
      losses.points.push_back({epoch, result.epochs[i].loss});
      accuracies.points.push_back({epoch, 100 * result.epochs[i].test_accuracy});
    }
    for (const ScaleSample& sample : result.scales)
      timeline.points.push_back({static_cast<double>(sample.step), sample.scale});
    loss.lines.push_back(losses);
    accuracy.lines.push_back(accuracies);
    if (!timeline.points.empty()) scales.lines.push_back(timeline);
  }
  const std::filesystem::path folder = options.report;
  std::filesystem::create_directories(folder);
  write_file(folder / "summary.json", to_json(options, results).dump(2) + "\n");
  write_file(folder / "loss.svg", to_svg(loss));
  write_file(folder / "accuracy.svg", to_svg(accuracy));
  write_file(folder / "loss_scale.svg", to_svg(scales));
  std::printf("report: %s\n", (folder / "summary.json").string().c_str());
}

}  // namespace examples
