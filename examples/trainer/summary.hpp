// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The results of trainings: a row of numbers for each precision, and notes on failures, as text of
// at most 80 columns.
#pragma once

#include "trainer/options.hpp"

#include <amp/diagnostics.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace examples {

/// Means over the images of one epoch.
struct Epoch {
  double loss = 0;
  double accuracy = 0;       // of the predictions made while training
  double test_accuracy = 0;  // after the epoch
};

/// Several consecutive steps.
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
  double seconds_per_step = 0;  // without evaluation; 0 if no step was run
  std::int64_t peak_bytes = 0;  // of tensors
  bool scaled = false;          // whether a GradScaler scaled the loss
  std::int64_t skipped = 0;
  std::vector<Epoch> epochs = {};
  std::vector<Sample> samples = {};
  amp::GradientHistogram gradients = amp::GradientHistogram();  // activations', last epoch
  amp::Trace trace = amp::Trace();                              // of one step
};

/// The mean, and half of the distance from the smallest to the largest value.
struct Spread {
  double mean = 0, half = 0;
};

Spread spread(const std::vector<Result>& results, double (*value)(const Result&));

/// Returns the results of each precision, in the order of the first of each.
std::vector<std::vector<Result>> by_precision(const std::vector<Result>& results);

/// For example "66.40 %", or "66.40 +- 1.55 %" for several seeds.
std::string percent_text(const Spread& share, std::size_t seeds);

/// Rows of cells, the heading first, as amp::diagnostics::table() takes them.
using Rows = std::vector<std::vector<std::string>>;

/// Returns the heading, and a row of means over the seeds for each precision.
Rows table_of(const std::vector<Result>& results);

/// Returns why the loss of a training is not finite, or far above its first; else "".
std::string note_of(const Options& options, const Result& result);

/// The notes of all precisions.
std::vector<std::string> notes_of(const Options& options, const std::vector<Result>& results);

/// Returns the values as a row of blocks, whose height is between `low` and `high`. Each block is
/// the mean of several values; if it is not finite, it is a dot.
std::string blocks(const std::vector<double>& values, double low, double high, std::size_t columns);

/// Returns the text in lines of at most `columns`.
std::string wrapped(const std::string& text, std::size_t columns);

/// Prints curves, a table, notes.
void print_results(const Options& options, const std::vector<Result>& results);

}  // namespace examples
