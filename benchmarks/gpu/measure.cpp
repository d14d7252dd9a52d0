// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include <amp/cuda.hpp>
#include <amp/device/cuda/error.hpp>

namespace gpu_benchmark {
namespace {

/// Returns `"name": value` of a JSON object, or nothing if there is no value.
std::string member(const char* name, double value) {
  if (value == 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, ", \"%s\": %.6g", name, value);
  return text;
}

}  // namespace

void Report::add(const std::string& name, const Times& times, const Work& work) {
  const double rate = times.median > 0 ? work.bytes / times.median : 0;
  if (copy_bytes_per_ms_ == 0) copy_bytes_per_ms_ = rate;
  const double gigabytes = rate / 1e6, of_copy = rate / copy_bytes_per_ms_;
  const double teraflops = times.median > 0 ? work.operations / times.median / 1e9 : 0;
  std::printf("%-45s %10.4f ms (%.4f to %.4f)", name.c_str(), times.median, times.least,
              times.most);
  if (work.bytes > 0) std::printf("  %7.0f GB/s, %3.0f %% of a copy", gigabytes, 100 * of_copy);
  if (teraflops > 0) std::printf("  %7.1f TFLOP/s", teraflops);
  std::puts("");
  std::fflush(stdout);
  lines_.push_back("\"" + name + "\": {" + member("ms", times.median).substr(2) +
                   member("min_ms", times.least) + member("max_ms", times.most) +
                   member("wall_ms", times.wall) + member("calls", double(times.calls)) +
                   member("GB/s", gigabytes) + member("of_copy", work.bytes > 0 ? of_copy : 0) +
                   member("TFLOP/s", teraflops) + member("error", work.error) + "}");
}

std::string Report::json() const {
  std::string text = "{\n";
  for (std::size_t i = 0; i < lines_.size(); ++i)
    text += lines_[i] + (i + 1 < lines_.size() ? ",\n" : "\n");
  return text + "}";
}

void measure_each(const std::vector<std::function<void()>>& parts) {
  std::string errors;
  for (const auto& part : parts) {
    try {
      part();
    } catch (const std::exception& error) {
      errors += (errors.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  if (!errors.empty()) throw std::runtime_error(errors);
}

Timer::Timer(const Settings& settings) : settings_(settings) {
  AMP_CUDA_CALL(cudaEventCreateWithFlags, &begin_, 0U);
  AMP_CUDA_CALL(cudaEventCreateWithFlags, &end_, 0U);
}

Timer::~Timer() {
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
}

double Timer::milliseconds(const std::function<void()>& work, std::int64_t calls) const {
  const cudaStream_t stream = amp::cuda::current_stream();
  AMP_CUDA_CALL(cudaEventRecord, begin_, stream);
  for (std::int64_t i = 0; i < calls; ++i) work();
  AMP_CUDA_CALL(cudaEventRecord, end_, stream);
  AMP_CUDA_CALL(cudaEventSynchronize, end_);
  float elapsed = 0;
  AMP_CUDA_CALL(cudaEventElapsedTime, &elapsed, begin_, end_);
  return static_cast<double>(elapsed) / static_cast<double>(calls);
}

Times Timer::operator()(const std::function<void()>& work) const {
  if (settings_.smoke) {
    const double once = milliseconds(work, 1);
    return {.median = once, .least = once, .most = once, .wall = once, .calls = 1};
  }
  (void)milliseconds(work, 3);
  const double first = milliseconds(work, 3);
  const auto calls = static_cast<std::int64_t>(std::clamp(5 / first, 1.0, 1000.0));
  (void)milliseconds(work, 5 * calls);  // warms up the clocks

  std::vector<double> all;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < settings_.repeats; ++i) all.push_back(milliseconds(work, calls));
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - began;
  std::sort(all.begin(), all.end());
  const std::int64_t total = calls * settings_.repeats;
  return {.median = all[all.size() / 2],
          .least = all.front(),
          .most = all.back(),
          .wall = wall.count() / static_cast<double>(total),
          .calls = total};
}

double check_close(const std::string& what, const amp::Tensor& expected, const amp::Tensor& actual,
                   double limit) {
  const auto a = expected.to_vector<double>(), b = actual.to_vector<double>();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += a[i] * a[i];
  }
  const double error = std::sqrt(difference / size);
  if (a.size() != b.size() || !(error <= limit)) {
    throw amp::Error(what + ": the result is wrong: " + std::to_string(b.size()) + " of " +
                     std::to_string(a.size()) + " numbers, relative error " +
                     std::to_string(error) + ", expected at most " + std::to_string(limit));
  }
  return error;
}

double limit_of(amp::DType dtype) {
  if (dtype == amp::kFloat16) return 0x1p-10;
  if (dtype == amp::kBFloat16) return 0x1p-7;
  return 1e-5;
}

std::string short_name(amp::DType dtype) {
  if (dtype == amp::kFloat16) return "fp16";
  if (dtype == amp::kBFloat16) return "bf16";
  return "fp32";
}

}  // namespace gpu_benchmark
