// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the trainer prints while it trains.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

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

/// One line per epoch. On a terminal it is rewritten in place and has a bar; elsewhere it is
/// repeated now and then.
class Progress {
 public:
  Progress(std::string name, std::int64_t epochs, std::int64_t images_per_epoch)
      : name_(std::move(name)), epochs_(epochs), images_(images_per_epoch) {}

  void begin_epoch(std::int64_t epoch) {
    epoch_ = epoch;
    began_ = shown_ = seconds_now();
  }

  /// Whether the last line is old enough for another: asking costs less than finding out a status.
  [[nodiscard]] bool due() const { return seconds_now() - shown_ > (live_ ? 0.2 : 10.0); }

  void show(const Status& status) {
    shown_ = seconds_now();
    const double share = static_cast<double>(status.images) / static_cast<double>(images_);
    const double elapsed = shown_ - began_;
    const bool done = status.images == images_;
    char text[256];
    std::snprintf(text, sizeof text,
                  "%-8s  epoch %lld/%lld  %3.0f %%  loss %6s  accuracy %6.2f %%  %6.0f images/s  "
                  "scale %g  skipped %lld",
                  name_.c_str(), static_cast<long long>(epoch_), static_cast<long long>(epochs_),
                  100 * share, loss_text(status.loss).c_str(), 100 * status.accuracy,
                  static_cast<double>(status.images) / elapsed, status.scale,
                  static_cast<long long>(status.skipped));
    if (!live_ || done) {
      std::printf("%s%s\n", text, live_ ? kClear : "");
    } else {
      char bar[64];
      const auto full = static_cast<int>(share * kCells);
      std::snprintf(bar, sizeof bar, "[%.*s%.*s] %3.0f s left  ", full, "####################",
                    kCells - full, "....................", elapsed / share - elapsed);
      // What does not fit into the window would begin a line that is never written over.
      std::printf("%s%s\r", (bar + std::string(text)).substr(0, columns()).c_str(), kClear);
    }
    std::fflush(stdout);
  }

 private:
  static constexpr int kCells = 20;
  static constexpr const char* kClear = "\x1b[K";  // the rest of a longer line

  static std::size_t columns() {
    winsize window{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
    return known ? window.ws_col - 1U : 79;
  }

  std::string name_;
  std::int64_t epoch_ = 0;
  std::int64_t epochs_;
  std::int64_t images_;
  double began_ = 0;
  double shown_ = 0;
  bool live_ = isatty(STDOUT_FILENO) == 1;
};

}  // namespace examples
