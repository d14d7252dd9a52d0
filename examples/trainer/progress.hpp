// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The output of the trainer while it trains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace examples {

double seconds_now();

/// Returns the loss as text; "nan" or "inf", without sign, if it is not finite.
std::string loss_text(double loss);

/// Returns a power of two as "2^16".
std::string scale_text(double scale);

/// For example "8s", "2m05s" or "1h07m".
std::string duration_text(double seconds);

/// Returns the usable columns of the terminal: all but the last one; 79 if there is no terminal.
std::size_t terminal_columns();

/// The state of an epoch.
struct Status {
  std::int64_t images = 0;           // processed in this epoch
  double loss = 0;                   // mean over these
  double accuracy = 0;               // of the predictions made while training
  std::optional<double> scale = {};  // none without gradient scaling
  std::int64_t skipped = 0;  // steps skipped because a gradient overflowed, since the run began
};

/// Prints one line per epoch. On a terminal the line is rewritten in place, fits the terminal, and
/// has a bar if there is room; elsewhere a new line is printed at intervals.
class Progress {
 public:
  Progress(std::string name, std::int64_t epochs, std::int64_t images_per_epoch);

  /// `images` is the number of images that the resumed run has processed in this epoch.
  void begin_epoch(std::int64_t epoch, std::int64_t images = 0);

  /// Returns whether it is time for another line. This is cheaper than computing a Status.
  [[nodiscard]] bool due() const;

  void show(const Status& status);

  /// Removes the line that would be rewritten.
  void leave() const;

  [[nodiscard]] std::string line(const Status& status, std::size_t columns) const;

 private:
  std::string name_;
  std::int64_t epoch_ = 0;
  std::int64_t epochs_;
  std::int64_t images_;
  std::int64_t seen_before_ = 0;
  double began_ = 0;
  double shown_ = 0;
  bool live_;  // on a terminal
};

}  // namespace examples
