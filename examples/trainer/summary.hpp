// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What trainings came to: a row of numbers for each precision, and what went wrong.
#pragma once

#include "trainer/history.hpp"
#include "trainer/options.hpp"
#include "trainer/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Means over the images of one epoch.
struct Epoch {
  double loss = 0;
  double accuracy = 0;       // of the predictions made while training
  double test_accuracy = 0;  // after it
};

/// One training, in one precision and from one seed.
struct Result {
  std::string name = {};
  std::uint64_t seed = 0;
  double seconds_per_step = 0;  // without evaluation; 0 where all was resumed
  std::int64_t peak_bytes = 0;  // of tensors
  bool scaled = false;          // the loss, by a GradScaler
  std::int64_t skipped = 0;
  std::vector<Epoch> epochs = {};
  std::vector<Sample> samples = {};
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

inline std::string format(const char* text, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

/// "66.40 %", and of several seeds "66.40 +- 1.55 %".
inline std::string percent_text(const Spread& share, std::size_t seeds) {
  return format("%.2f", 100 * share.mean) +
         (seeds > 1 ? format(" +- %.2f %%", 100 * share.half) : " %");
}

using Row = std::array<std::string, 6>;
inline const Row kHeader = {"precision",  "time/step",     "peak memory",
                            "final loss", "test accuracy", "skipped"};

/// The trainings of one precision: means over the seeds.
inline Row row_of(const std::vector<Result>& group) {
  const auto mean = [&](auto&& value) { return spread(group, value).mean; };
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

/// Why a training came to a loss that is not finite, or far above its first; "" if it did not.
inline std::string note_of(const Options& options, const Result& result) {
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

/// The notes of all precisions.
inline std::vector<std::string> notes_of(const Options& options,
                                         const std::vector<Result>& results) {
  std::vector<std::string> notes;
  for (const std::vector<Result>& group : by_precision(results)) {
    const auto failed = std::find_if(group.begin(), group.end(), [&](const Result& result) {
      return !note_of(options, result).empty();
    });
    if (failed != group.end()) notes.push_back(note_of(options, *failed));
  }
  return notes;
}

}  // namespace examples
