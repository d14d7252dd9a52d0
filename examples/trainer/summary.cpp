// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Summarises the results of trainings, and prints them.
#include "trainer/summary.hpp"
#include "trainer/progress.hpp"

#include <amp/diagnostics/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace examples {
namespace {

std::string format(const char* text, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

}  // namespace

Spread spread(const std::vector<Result>& results, double (*value)(const Result&)) {
  double sum = 0, low = INFINITY, high = -INFINITY;
  for (const Result& result : results) {
    sum += value(result);
    low = std::min(low, value(result));
    high = std::max(high, value(result));
  }
  return {sum / static_cast<double>(results.size()), (high - low) / 2};
}

std::vector<std::vector<Result>> by_precision(const std::vector<Result>& results) {
  std::vector<std::vector<Result>> groups;
  for (const Result& result : results) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
      return other.front().name == result.name;
    });
    (group == groups.end() ? groups.emplace_back() : *group).push_back(result);
  }
  return groups;
}

std::string percent_text(const Spread& share, std::size_t seeds) {
  return format("%.2f", 100 * share.mean) +
         (seeds > 1 ? format(" +- %.2f %%", 100 * share.half) : " %");
}

namespace {

/// A row for the trainings of one precision: means over the seeds.
std::vector<std::string> row_of(const std::vector<Result>& group) {
  const auto mean = [&](double (*value)(const Result&)) { return spread(group, value).mean; };
  const Spread accuracy =
      spread(group, [](const Result& r) { return r.epochs.back().test_accuracy; });
  const double peak = mean([](const Result& r) { return static_cast<double>(r.peak_bytes); });
  return {group.front().name,
          format("%.1f ms", 1e3 * mean([](const Result& r) { return r.seconds_per_step; })),
          format("%.1f MiB", peak / 0x1p20),
          loss_text(mean([](const Result& r) { return r.epochs.back().loss; })),
          percent_text(accuracy, group.size()),
          format("%.3g", mean([](const Result& r) { return static_cast<double>(r.skipped); }))};
}

}  // namespace

Rows table_of(const std::vector<Result>& results) {
  Rows rows = {
      {"precision", " time/step", " peak memory", " final loss", " test accuracy", " skipped"}};
  for (const std::vector<Result>& group : by_precision(results)) rows.push_back(row_of(group));
  return rows;
}

std::string note_of(const Options& options, const Result& result) {
  const double loss = result.epochs.back().loss;
  const double first = result.samples.empty() ? INFINITY : result.samples.front().loss;
  if (loss < 4 * first) return "";
  std::string note = result.name + ": the loss is " + loss_text(loss);
  for (const Sample& sample : result.samples) {
    if (std::isfinite(sample.loss) || std::isfinite(loss)) continue;
    note += " from about step " + std::to_string(sample.step) + " on";
    break;
  }
  if (result.name != "fp16") return note + ". A smaller --lr, or --clip 1, may help.";
  note += options.optimizer == "sgd"
              ? ". With weights and gradients in float16, what exceeds 65504 is infinite."
              : ". Adam's second moment, the mean of squared gradients, is float16 as the weights "
                "are: squares below 6e-8 become 0 there, and the step divides by their root.";
  return note + " amp-fp16 keeps both in float32, and scales the loss.";
}

std::vector<std::string> notes_of(const Options& options, const std::vector<Result>& results) {
  std::vector<std::string> notes;
  for (const std::vector<Result>& group : by_precision(results)) {
    const auto failed = std::find_if(group.begin(), group.end(), [&](const Result& result) {
      return !note_of(options, result).empty();
    });
    if (failed != group.end()) notes.push_back(note_of(options, *failed));
  }
  return notes;
}

// --- as text ------------------------------------------------------------------------------------

std::string blocks(const std::vector<double>& values, double low, double high,
                   std::size_t columns) {
  constexpr std::array kBlocks = {"\u2581", "\u2582", "\u2583", "\u2584",
                                  "\u2585", "\u2586", "\u2587", "\u2588"};
  columns = std::min(columns, values.size());
  std::string row;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t begin = i * values.size() / columns, end = (i + 1) * values.size() / columns;
    double mean = 0;
    for (std::size_t v = begin; v < end; ++v) mean += values[v] / static_cast<double>(end - begin);
    if (!std::isfinite(mean)) {
      row += "\u00b7";
      continue;
    }
    const double share = high > low ? (mean - low) / (high - low) : 0;
    row += kBlocks[static_cast<std::size_t>(std::clamp(share * 8, 0.0, 7.0))];
  }
  return row;
}

std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string lines, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line + "\n";
}

namespace {

/// Prints the loss of the first seed of each precision, step by step. All curves share the range of
/// those whose loss ends finite, if there are any.
void print_curves(const std::vector<Result>& results) {
  double low = INFINITY, high = -INFINITY;
  const auto converged = [](const Result& result) {
    return !result.samples.empty() && std::isfinite(result.samples.back().loss);
  };
  const bool none = std::none_of(results.begin(), results.end(), converged);
  for (const Result& result : results) {
    for (const Sample& sample : result.samples) {
      if (!std::isfinite(sample.loss) || !(none || converged(result))) continue;
      low = std::min(low, sample.loss);
      high = std::max(high, sample.loss);
    }
  }
  const std::size_t columns = std::clamp<std::size_t>(terminal_columns(), 40, 80) - 28;
  std::printf("\nloss, first step to last:\n");
  for (const std::vector<Result>& group : by_precision(results)) {
    std::vector<double> losses;
    for (const Sample& sample : group.front().samples) losses.push_back(sample.loss);
    if (losses.empty()) continue;
    std::printf("%-9s %7s %s %s\n", group.front().name.c_str(), loss_text(losses.front()).c_str(),
                blocks(losses, low, high, columns).c_str(), loss_text(losses.back()).c_str());
  }
}

}  // namespace

void print_results(const Options& options, const std::vector<Result>& results) {
  print_curves(results);
  if (results.size() > 1) std::printf("\n%s", amp::diagnostics::table(table_of(results)).c_str());
  std::printf("\n");
  const std::string means =
      options.seeds > 1
          ? "Means over the seeds, +- half the distance from the lowest to the highest. "
          : "";
  if (results.size() > 1)
    std::printf("%s", wrapped(means + "Final loss: mean of the last epoch.", 79).c_str());
  for (const std::string& note : notes_of(options, results))
    std::printf("%s", wrapped(note, 79).c_str());
}

}  // namespace examples
