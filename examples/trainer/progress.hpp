// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the trainer prints while it trains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace examples {

double seconds_now();

/// "nan" and "inf" instead of a number, whatever the sign: a naive fp16 run may end there.
std::string loss_text(double loss);

/// "2^16", which is shorter and says more than 65536.
std::string scale_text(double scale);

/// "8s", "2m05s" or "1h07m".
std::string duration_text(double seconds);

/// What a line of the terminal holds, less the last column; that of 80 where there is none.
std::size_t terminal_columns();

/// How an epoch goes so far.
struct Status {
  std::int64_t images = 0;           // seen in this epoch
  double loss = 0;                   // mean over these
  double accuracy = 0;               // of the predictions made while training
  std::optional<double> scale = {};  // none without gradient scaling
  std::int64_t skipped = 0;  // steps skipped because a gradient overflowed, since the run began
};

/// One line per epoch. On a terminal it is rewritten in place, fits, and has a bar where there is
/// room for it; elsewhere it is repeated now and then.
class Progress {
 public:
  Progress(std::string name, std::int64_t epochs, std::int64_t images_per_epoch);

  /// `images` of the epoch have been seen by a run that this one resumes.
  void begin_epoch(std::int64_t epoch, std::int64_t images = 0);

  /// Whether the last line is old enough for another: asking costs less than finding out a status.
  [[nodiscard]] bool due() const;

  void show(const Status& status);

  /// Removes a line that was to be rewritten.
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
