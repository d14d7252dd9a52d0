// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The answer of GradScaler::step.
#pragma once

#include <utility>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Whether a step was skipped. Owns the device's answer: right whenever asked.
class StepResult {
 public:
  StepResult() = default;
  explicit StepResult(Tensor found_inf) : found_inf_(std::move(found_inf)) {}
  /// Synchronises when asked, not before.
  bool skipped() const;
  /// The device word, non-zero where the step was skipped; null for a disabled scaler. On the
  /// gradients' device; on the scaler's if they lie on several.
  const float* skipped_data() const;

 private:
  Tensor found_inf_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/step_result.ipp"
#endif
