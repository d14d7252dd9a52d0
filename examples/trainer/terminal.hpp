// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Results as text of at most 80 columns: curves, a table, notes.
#pragma once

#include "trainer/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace examples {

/// The values as a row of blocks, low to high; each block is the mean of its share of the values,
/// and a dot where that is not finite.
inline std::string blocks(const std::vector<double>& values, double low, double high,
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

/// The loss of the first seed of each precision, step by step and on one scale: that of those whose
/// loss ends finite, if there are any.
inline void print_curves(const std::vector<Result>& results) {
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

inline void print_table(const std::vector<Result>& results) {
  std::vector<Row> rows = {kHeader};
  for (const std::vector<Result>& group : by_precision(results)) rows.push_back(row_of(group));
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::printf("\n");
  for (const Row& row : rows) {
    std::printf("%-*s", static_cast<int>(widths[0]), row[0].c_str());
    for (std::size_t i = 1; i < row.size(); ++i)
      std::printf("  %*s", static_cast<int>(widths[i]), row[i].c_str());
    std::printf("\n");
  }
}

/// In lines of at most `columns`.
inline std::string wrapped(const std::string& text, std::size_t columns) {
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

inline void print_results(const Options& options, const std::vector<Result>& results) {
  print_curves(results);
  if (results.size() > 1) print_table(results);
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
