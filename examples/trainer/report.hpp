// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the trainer prints: progress while it trains, and a table at the end.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace examples {

inline double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// "nan" and "inf" instead of a number, whatever the sign: a naive fp16 run may end there.
inline std::string loss_text(double loss) {
  if (std::isnan(loss)) return "nan";
  if (std::isinf(loss)) return "inf";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4f", loss);
  return buffer;
}

/// How an epoch goes so far.
struct Status {
  std::int64_t images = 0;   // seen in this epoch
  double loss = 0;           // mean over these
  double accuracy = 0;       // of the predictions made while training
  double scale = 1;          // 1 without gradient scaling
  std::int64_t skipped = 0;  // steps left out because a gradient overflowed, since the run began
};

/// One line per epoch: rewritten in place on a terminal, otherwise repeated now and then.
class Progress {
 public:
  Progress(std::string name, std::int64_t epochs, std::int64_t images_per_epoch)
      : name_(std::move(name)), epochs_(epochs), images_(images_per_epoch) {}

  void begin_epoch() {
    ++epoch_;
    epoch_began_ = shown_ = seconds_now();
  }

  /// Whether the last line is old enough for another: asking costs less than finding out a status.
  [[nodiscard]] bool due() const { return seconds_now() - shown_ > (live_ ? 0.2 : 10.0); }

  void show(const Status& status) {
    shown_ = seconds_now();
    const auto images = static_cast<double>(status.images);
    std::printf(
        "%-8s  epoch %lld/%lld  %3.0f %%  loss %6s  accuracy %6.2f %%  %6.0f images/s  "
        "scale %g  skipped %lld",
        name_.c_str(), static_cast<long long>(epoch_), static_cast<long long>(epochs_),
        100 * images / static_cast<double>(images_), loss_text(status.loss).c_str(),
        100 * status.accuracy, images / (shown_ - epoch_began_), status.scale,
        static_cast<long long>(status.skipped));
    const bool again = live_ && status.images < images_;
    std::fputs(again ? "   \r" : "\n", stdout);  // the blanks cover what is left of a longer line
    std::fflush(stdout);
  }

 private:
  std::string name_;
  std::int64_t epoch_ = 0;
  std::int64_t epochs_;
  std::int64_t images_;
  double epoch_began_ = 0;
  double shown_ = 0;
  bool live_ = isatty(STDOUT_FILENO) == 1;
};

/// One row of the table.
struct Result {
  std::string name = {};
  double seconds_per_step = 0;
  std::int64_t peak_bytes = 0;  // of tensors, beyond the data set
  double loss = 0;              // mean over the last epoch
  double test_accuracy = 0;
  std::int64_t skipped = 0;
};

inline void print_table(const std::vector<Result>& results) {
  std::printf(
      "\nprecision  time per step  peak tensor memory  final loss  test accuracy  skipped "
      "steps\n");
  for (const Result& result : results) {
    std::printf("%-9s  %10.1f ms  %14.1f MiB  %10s  %11.2f %%  %13lld\n", result.name.c_str(),
                1e3 * result.seconds_per_step, static_cast<double>(result.peak_bytes) / 0x1p20,
                loss_text(result.loss).c_str(), 100 * result.test_accuracy,
                static_cast<long long>(result.skipped));
  }
  std::printf(
      "peak tensor memory: while training, beyond the data set; final loss: mean of the last "
      "epoch\n");
}

}  // namespace examples
