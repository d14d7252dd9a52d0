// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the trainer prints while it trains.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
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

/// "2^16", which is shorter and says more than 65536.
inline std::string scale_text(double scale) {
  char buffer[32];
  int exponent = 0;
  const bool power_of_two = std::frexp(scale, &exponent) == 0.5;
  std::snprintf(buffer, sizeof buffer, power_of_two ? "2^%.0f" : "%g",
                power_of_two ? exponent - 1.0 : scale);
  return buffer;
}

/// "8s", "2m05s" or "1h07m".
inline std::string duration_text(double seconds) {
  char buffer[48];
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 3.6e9));
  if (whole < 60) {
    std::snprintf(buffer, sizeof buffer, "%llds", whole);
  } else if (whole < 3600) {
    std::snprintf(buffer, sizeof buffer, "%lldm%02llds", whole / 60, whole % 60);
  } else {
    std::snprintf(buffer, sizeof buffer, "%lldh%02lldm", whole / 3600, whole / 60 % 60);
  }
  return buffer;
}

/// What a line of the terminal holds, less the last column; that of 80 where there is none.
inline std::size_t terminal_columns() {
  winsize window{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return known ? window.ws_col - 1U : 79;
}

/// A part of a line. Where the line is too long, the parts of the highest rank are left out first.
struct Part {
  int rank = 0;
  std::string text = {};
};

/// The parts that fit into `columns`, two blanks apart. What is left is cut: it would begin a line
/// that is never written over.
inline std::string fitted(std::vector<Part> parts, std::size_t columns) {
  std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
  for (;;) {
    std::string line;
    for (const Part& part : parts) line += (line.empty() ? "" : "  ") + part.text;
    if (line.size() <= columns || parts.size() <= 1) return line.substr(0, columns);
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.rank < b.rank; }));
  }
}

/// How an epoch goes so far.
struct Status {
  std::int64_t images = 0;           // seen in this epoch
  double loss = 0;                   // mean over these
  double accuracy = 0;               // of the predictions made while training
  std::optional<double> scale = {};  // none without gradient scaling
  std::int64_t skipped = 0;  // steps left out because a gradient overflowed, since the run began
};

/// One line per epoch. On a terminal it is rewritten in place, fits, and has a bar where there is
/// room for it; elsewhere it is repeated now and then.
class Progress {
 public:
  Progress(std::string name, std::int64_t epochs, std::int64_t images_per_epoch)
      : name_(std::move(name)), epochs_(epochs), images_(images_per_epoch) {}

  /// `images` of the epoch have been seen by a run that this one resumes.
  void begin_epoch(std::int64_t epoch, std::int64_t images = 0) {
    epoch_ = epoch;
    seen_before_ = images;
    began_ = shown_ = seconds_now();
  }

  /// Whether the last line is old enough for another: asking costs less than finding out a status.
  [[nodiscard]] bool due() const { return seconds_now() - shown_ > (live_ ? 0.2 : 10.0); }

  void show(const Status& status) {
    shown_ = seconds_now();
    const bool done = status.images == images_;
    std::printf("%s%s%s", line(status, live_ ? terminal_columns() : std::string::npos).c_str(),
                live_ ? kClear : "", live_ && !done ? "\r" : "\n");
    std::fflush(stdout);
  }

  /// Removes a line that was to be rewritten.
  void leave() const {
    if (live_) std::printf("%s", kClear);
  }

  [[nodiscard]] std::string line(const Status& status, std::size_t columns) const {
    const auto seen = static_cast<double>(status.images - seen_before_);
    const double share = static_cast<double>(status.images) / static_cast<double>(images_);
    const double elapsed = shown_ - began_;
    const bool done = status.images == images_;
    const auto left = static_cast<double>(images_ - status.images);
    char text[8][64] = {};
    const auto put = [&](std::size_t i, const char* format, auto... values) {
      std::snprintf(text[i], sizeof text[i], format, values...);
    };
    put(0, "%-8s", name_.c_str());
    put(1, "epoch %lld/%lld", static_cast<long long>(epoch_), static_cast<long long>(epochs_));
    put(2, "%3.0f %%", 100 * share);
    put(3, "loss %6s", loss_text(status.loss).c_str());
    put(4, "accuracy %4.1f %%", 100 * status.accuracy);
    if (status.scale) {
      put(5, "scale %s", scale_text(*status.scale).c_str());
      put(6, "skipped %lld", static_cast<long long>(status.skipped));
    }
    if (elapsed > 0 && seen > 0) put(7, "%.0f images/s", seen / elapsed);
    const std::string time = done && seen > 0 ? duration_text(elapsed)
                             : seen > 0       ? duration_text(elapsed / seen * left) + " left"
                                              : "";
    return fitted({{9, live_ && !done ? bar(share) : ""},
                   {1, text[0]},
                   {4, text[1]},
                   {5, text[2]},
                   {0, text[3]},
                   {2, text[4]},
                   {3, text[5]},
                   {7, text[6]},
                   {8, text[7]},
                   {6, time}},
                  columns);
  }

 private:
  static constexpr int kCells = 20;
  static constexpr const char* kClear = "\x1b[K";  // the rest of a longer line

  static std::string bar(double share) {
    const auto full = static_cast<std::size_t>(share * kCells);
    return '[' + std::string(full, '#') + std::string(kCells - full, '.') + ']';
  }

  std::string name_;
  std::int64_t epoch_ = 0;
  std::int64_t epochs_;
  std::int64_t images_;
  std::int64_t seen_before_ = 0;
  double began_ = 0;
  double shown_ = 0;
  bool live_ = isatty(STDOUT_FILENO) == 1;
};

}  // namespace examples
