// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The scale that an optimizer applies to its gradients in a step.
#pragma once

#include "amp/core/config.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// The scale that an optimizer applies to its gradients in a step: device pointers, read on the
/// current stream. Each gradient counts as g * *inverse * *clip, and nothing changes if *found_inf
/// != 0. Null stands for 1, 0 and 1. Your own kernels take it by value:
///   if (scale.skips()) return;
///   const float factor = static_cast<float>(scale.factor(amp::kFloat16));
///   const float g = factor * static_cast<float>(gradient[i]);
struct GradScale {
  const float* inverse = nullptr;
  const float* found_inf = nullptr;
  const float* clip = nullptr;
  /// The inverse scale of 16-bit gradients, if it differs, because unscale_ leaves them scaled.
  const float* inverse_low_precision = nullptr;
  /// *clip before it was rounded, if a gradient is float64: it may be too small for float32.
  const double* clip_float64 = nullptr;

  /// Whether the step must change nothing. Like factor(), to be called on the device of the
  /// pointers.
  AMP_HOST_DEVICE bool skips() const { return found_inf != nullptr && *found_inf != 0; }
  /// Returns the factor of every gradient of this dtype.
  AMP_HOST_DEVICE double factor(DType gradient) const {
    const bool low = is_low_precision(gradient) && inverse_low_precision != nullptr;
    const float* const inverse_of = low ? inverse_low_precision : inverse;
    const double clipped = clip_float64 != nullptr ? *clip_float64
                           : clip != nullptr       ? static_cast<double>(*clip)
                                                   : 1.0;
    return static_cast<double>(inverse_of != nullptr ? *inverse_of : 1.0F) * clipped;
  }
};

}  // namespace amp::inline v0
