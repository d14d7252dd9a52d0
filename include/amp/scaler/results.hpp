// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The results of GradScaler::step and GradScaler::statistics. Both own their memory on the device,
// which is why a result stays right after later steps. Reading one synchronises; having one does
// not.
#pragma once

#include <utility>

#include "amp/kernels/unscale/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Whether a step was skipped.
class StepResult {
 public:
  /// The result of a disabled scaler: not skipped.
  StepResult() = default;
  explicit StepResult(Tensor found_inf) : found_inf_(std::move(found_inf)) {}

  /// Returns whether the step was skipped. Synchronises.
  bool skipped() const;
  /// Returns a device pointer to a float32 that is not 0 if the step was skipped, on the gradients'
  /// device, or on the scaler's device if the gradients lie on several. Null for a disabled scaler.
  const float* skipped_data() const;

 private:
  Tensor found_inf_;
};

/// The statistics of one pass over an optimizer's gradients.
class StatisticsResult {
 public:
  /// The result of a disabled scaler: all statistics are 0.
  StatisticsResult() = default;
  explicit StatisticsResult(Tensor bytes) : bytes_(std::move(bytes)) {}

  /// Returns the statistics. Synchronises.
  GradientStatistics get() const;
  /// Returns a device pointer to the statistics. Null for a disabled scaler.
  const GradientStatistics* data() const { return data(bytes_); }

  /// Allocates the bytes of one result.
  static Tensor allocate(Device device);
  [[deprecated("call allocate(device)")]] static Tensor make_words(Device device) {
    return allocate(device);
  }
  /// Returns the address of the statistics in such bytes; null if `bytes` is undefined.
  static GradientStatistics* data(const Tensor& bytes) {
    return bytes.defined() ? static_cast<GradientStatistics*>(bytes.raw_data()) : nullptr;
  }

 private:
  Tensor bytes_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/results.ipp"
#endif
