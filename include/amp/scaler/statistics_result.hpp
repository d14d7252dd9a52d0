// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The answer of GradScaler::statistics.
#pragma once

#include <utility>

#include "amp/kernels/unscale/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// What one pass over gradients saw. Owns the device's answer: right whenever asked.
class StatisticsResult {
 public:
  StatisticsResult() = default;
  explicit StatisticsResult(Tensor words) : words_(std::move(words)) {}

  /// Synchronises when asked, not before. All 0 for a disabled scaler.
  GradientStatistics get() const;
  /// The same on the device, for one's own kernels; null for a disabled scaler.
  const GradientStatistics* data() const { return data(words_); }

  /// Memory for one answer.
  static Tensor make_words(Device device);
  /// Where it lies; null without.
  static GradientStatistics* data(const Tensor& words) {
    return words.defined() ? static_cast<GradientStatistics*>(words.raw_data()) : nullptr;
  }

 private:
  Tensor words_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/statistics_result.ipp"
#endif
