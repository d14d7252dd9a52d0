// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What an optimizer applies to its gradients while it steps.
#pragma once

#include "amp/core/config.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// What an optimizer applies to its gradients while it steps: device pointers, read on the current
/// stream. Each gradient counts as g * *inverse * *clip, and nothing changes where *found_inf != 0.
/// Null stands for 1, 0 and 1.
struct GradScale {
  const float* inverse = nullptr;
  const float* found_inf = nullptr;
  const float* clip = nullptr;
  const float* inverse_low_precision =
      nullptr;  // for 16-bit gradients if it differs, since unscale_ leaves them scaled
  const double* clip_float64 = nullptr;  // *clip before it was rounded, if a gradient is float64:
                                         // it may be too small for float32
};

namespace kernels {

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

}  // namespace kernels
}  // namespace amp::inline v0
