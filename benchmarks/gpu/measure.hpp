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

/// How much work: --smoke runs everything on toy sizes, once, so that it can be tested anywhere.
struct Settings {
  bool smoke = false;
  int repeats = 30;

  /// `size`, or in a smoke run `toy`.
  [[nodiscard]] std::int64_t size(std::int64_t full, std::int64_t toy) const {
    return smoke ? toy : full;
  }
};

/// Milliseconds of one call.
struct Times {
  double median = 0, least = 0, most = 0;
  double wall = 0;  // of the host's clock, many calls in a row
  std::int64_t calls = 0;
};

/// What a figure is put in relation to; 0 where it does not apply.
struct Work {
  double bytes = 0;       // read and written, each once
  double operations = 0;  // of floating point
  double error = 0;       // |result - reference| / |reference| of the check before
};

/// All figures of a run.
class Report {
 public:
  /// Prints a line, and keeps the figure.
  void add(const std::string& name, const Times& times, const Work& work);
  /// One figure to a line, so that line tools can read it too.
  [[nodiscard]] std::string json() const;

 private:
  double copy_bytes_per_ms_ = 0;  // of the first figure: the ceiling of all that moves bytes
  std::vector<std::string> lines_;
};

/// Events around enough calls to fill 5 ms, after a warm-up; the median of many such.
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

/// |actual - expected| / |expected| over all elements, in float64. Throws where it is above `limit`
/// or NaN, naming `what`.
double check_close(const std::string& what, const amp::Tensor& expected, const amp::Tensor& actual,
                   double limit);

/// One rounding to a format, and what float32 sums in another order may differ by.
double limit_of(amp::DType dtype);

/// "fp16", as PyTorch's users abbreviate it.
std::string short_name(amp::DType dtype);

/// Runs all of `parts`; then throws, with the texts of those that threw. An error loses no figures
/// but those of its part.
void measure_each(const std::vector<std::function<void()>>& parts);

void measure_memory(const Settings& settings, Report& report);
void measure_matmul(const Settings& settings, Report& report);
void measure_layers(const Settings& settings, Report& report);
void measure_optimizers(const Settings& settings, Report& report);
void measure_training(const Settings& settings, Report& report);

}  // namespace gpu_benchmark
