// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Device time by events, results against a reference before anything is timed, and figures as JSON.
#pragma once

#include <cuda_runtime.h>
#include <amp/amp.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpu_benchmark {

/// The amount of work. --smoke runs everything once on toy sizes, so that it can be tested
/// anywhere.
struct Settings {
  bool smoke = false;
  int repeats = 30;

  /// Returns `full`, or `toy` in a smoke run.
  [[nodiscard]] std::int64_t size(std::int64_t full, std::int64_t toy) const {
    return smoke ? toy : full;
  }
};

/// Milliseconds of one call.
struct Times {
  double median = 0, least = 0, most = 0;
  double wall = 0;  // by the host's clock, over many calls
  std::int64_t calls = 0;
};

/// The work of a call, for rates; 0 if it does not apply.
struct Work {
  double bytes = 0;       // read and written, each once
  double operations = 0;  // of floating point
  double error = 0;       // |result - reference| / |reference| of the check
};

/// All figures of a run.
class Report {
 public:
  /// Prints a line, and stores the figure.
  void add(const std::string& name, const Times& times, const Work& work);
  /// Returns all figures, one on each line, so that line tools can read them.
  [[nodiscard]] std::string json() const;

 private:
  double copy_bytes_per_ms_ = 0;  // of the first figure, a copy: the upper limit of bandwidth
  std::vector<std::string> lines_;
};

/// Times groups of calls of about 5 ms by events, after a warm-up. The result is the median of
/// many.
class Timer {
 public:
  explicit Timer(const Settings& settings);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  Times operator()(const std::function<void()>& work) const;

 private:
  double milliseconds(const std::function<void()>& work, std::int64_t calls) const;

  Settings settings_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// Returns |actual - expected| / |expected| over all elements, in float64. Throws, naming `what`,
/// if it is above `limit` or NaN.
double check_close(const std::string& what, const amp::Tensor& expected, const amp::Tensor& actual,
                   double limit);

/// Returns a limit for one rounding to a format and float32 sums in another order.
double limit_of(amp::DType dtype);

/// Returns the short name of a dtype, such as "fp16".
std::string short_name(amp::DType dtype);

/// Runs all of `parts`, then throws an error with the texts of those that failed. The figures of
/// the other parts are not lost.
void measure_each(const std::vector<std::function<void()>>& parts);

void measure_memory(const Settings& settings, Report& report);
void measure_matmul(const Settings& settings, Report& report);
void measure_layers(const Settings& settings, Report& report);
void measure_optimizers(const Settings& settings, Report& report);
void measure_training(const Settings& settings, Report& report);

}  // namespace gpu_benchmark
