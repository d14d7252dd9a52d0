// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What trainings came to: a row of numbers for each precision, and what went wrong, to be
// printed as text of at most 80 columns.
#pragma once

#include "trainer/options.hpp"

#include <amp/diagnostics.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace examples {

/// Means over the images of one epoch.
struct Epoch {
  double loss = 0;
  double accuracy = 0;       // of the predictions made while training
  double test_accuracy = 0;  // after it
};

/// Some steps in a row.
struct Sample {
  std::int64_t step = 0;     // the last of them
  double loss = 0;           // mean over their images
  double scale = 1;          // of the loss, after the last one
  std::int64_t skipped = 0;  // steps since the run began
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
  amp::GradientHistogram gradients = amp::GradientHistogram();  // activations', last epoch
  amp::Trace trace = amp::Trace();                              // of one step
};

/// Mean, and the half of the distance from the smallest to the largest.
struct Spread {
  double mean = 0, half = 0;
};

Spread spread(const std::vector<Result>& results, double (*value)(const Result&));

/// The results of each precision, in the order of the first of each.
std::vector<std::vector<Result>> by_precision(const std::vector<Result>& results);

/// "66.40 %", and of several seeds "66.40 +- 1.55 %".
std::string percent_text(const Spread& share, std::size_t seeds);

using Row = std::array<std::string, 6>;

/// What the columns are, and a row of means over the seeds for each precision.
std::vector<Row> table_of(const std::vector<Result>& results);

/// Why a training came to a loss that is not finite, or far above its first; "" if it did not.
std::string note_of(const Options& options, const Result& result);

/// The notes of all precisions.
std::vector<std::string> notes_of(const Options& options, const std::vector<Result>& results);

/// The values as a row of blocks, low to high; each block is the mean of its share of the values,
/// and a dot where that is not finite.
std::string blocks(const std::vector<double>& values, double low, double high, std::size_t columns);

/// In lines of at most `columns`.
std::string wrapped(const std::string& text, std::size_t columns);

/// Prints curves, a table, notes.
void print_results(const Options& options, const std::vector<Result>& results);

}  // namespace examples
