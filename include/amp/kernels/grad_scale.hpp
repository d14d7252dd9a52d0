// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What an optimizer's kernels read of a GradScale, on every device.
#pragma once

#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels {

/// Whether the step is to change nothing.
AMP_HOST_DEVICE inline bool skipped(const GradScale& scale) {
  return scale.found_inf != nullptr && *scale.found_inf != 0;
}

/// What every gradient of this dtype is multiplied with.
AMP_HOST_DEVICE inline double gradient_factor(const GradScale& scale, DType gradient_dtype) {
  const bool low = is_low_precision(gradient_dtype) && scale.inverse_low_precision != nullptr;
  const float* const inverse = low ? scale.inverse_low_precision : scale.inverse;
  const double clip = scale.clip_float64 != nullptr ? *scale.clip_float64
                      : scale.clip != nullptr       ? static_cast<double>(*scale.clip)
                                                    : 1.0;
  return static_cast<double>(inverse != nullptr ? *inverse : 1.0F) * clip;
}

}  // namespace amp::inline v0::kernels
