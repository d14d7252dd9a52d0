// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes the line of progress, and handles the signals that stop a training.
#include "trainer/progress.hpp"
#include "trainer/stop.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace examples {

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string loss_text(double loss) {
  if (std::isnan(loss)) return "nan";
  if (std::isinf(loss)) return "inf";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4f", loss);
  return buffer;
}

std::string scale_text(double scale) {
  char buffer[32];
  int exponent = 0;
  const bool power_of_two = std::frexp(scale, &exponent) == 0.5;
  std::snprintf(buffer, sizeof buffer, power_of_two ? "2^%.0f" : "%g",
                power_of_two ? exponent - 1.0 : scale);
  return buffer;
}

std::string duration_text(double seconds) {
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

std::size_t terminal_columns() {
  winsize window{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return known ? window.ws_col - 1U : 79;
}

namespace {

/// A part of a line. If the line is too long, the parts of the highest rank are removed first.
struct Part {
  int rank = 0;
  std::string text = {};
};

/// Returns the parts that fit into `columns`, two blanks apart. A single part that is too long is
/// cut, since a second line could not be overwritten.
std::string fitted(std::vector<Part> parts, std::size_t columns) {
  std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
  for (;;) {
    std::string line;
    for (const Part& part : parts) line += (line.empty() ? "" : "  ") + part.text;
    if (line.size() <= columns || parts.size() <= 1) return line.substr(0, columns);
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.rank < b.rank; }));
  }
}

constexpr int kCells = 20;
constexpr const char* kClear = "\x1b[K";  // the rest of a longer line

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(share * kCells);
  return '[' + std::string(full, '#') + std::string(kCells - full, '.') + ']';
}

}  // namespace

Progress::Progress(std::string name, std::int64_t epochs, std::int64_t images_per_epoch)
    : name_(std::move(name)),
      epochs_(epochs),
      images_(images_per_epoch),
      live_(isatty(STDOUT_FILENO) == 1) {}

void Progress::begin_epoch(std::int64_t epoch, std::int64_t images) {
  epoch_ = epoch;
  seen_before_ = images;
  began_ = shown_ = seconds_now();
}

bool Progress::due() const { return seconds_now() - shown_ > (live_ ? 0.2 : 10.0); }

void Progress::show(const Status& status) {
  shown_ = seconds_now();
  const bool done = status.images == images_;
  std::printf("%s%s%s", line(status, live_ ? terminal_columns() : std::string::npos).c_str(),
              live_ ? kClear : "", live_ && !done ? "\r" : "\n");
  std::fflush(stdout);
}

void Progress::leave() const {
  if (live_) std::printf("%s", kClear);
}

std::string Progress::line(const Status& status, std::size_t columns) const {
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

// --- signals ------------------------------------------------------------------------------------

namespace {

std::atomic<bool> stopping = false;
static_assert(std::atomic<bool>::is_always_lock_free);
constexpr int kStopSignals[] = {SIGINT, SIGTERM};
bool caught[2] = {};  // for each, whether it is handled

/// Runs in any thread.
extern "C" void request_stop(int) {
  const int reason = errno;  // belongs to the interrupted code
  stopping = true;
  for (int i = 0; i < 2; ++i) {
    if (caught[i]) std::signal(kStopSignals[i], SIG_DFL);  // a second signal ends the program
  }
  constexpr std::string_view text = "\nstopping after this step; a second signal ends at once\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  errno = reason;
}

}  // namespace

void catch_stop_signals() {
  for (int i = 0; i < 2; ++i) {
    struct sigaction action {};
    if (sigaction(kStopSignals[i], nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    caught[i] = true;
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;  // interrupted reads and writes continue
    sigaction(kStopSignals[i], &action, nullptr);
  }
}

bool stop_requested() { return stopping; }

}  // namespace examples
