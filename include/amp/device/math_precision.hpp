// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a device's libraries may trade for speed inside matmuls and convolutions.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// By default matmuls and convolutions do what their dtypes say: float32 factors are multiplied as
/// such, and every sum is kept in float32.
struct MathPrecision {
  bool allow_tf32 =
      false;  // float32 factors may be rounded to 10 bits of mantissa for tensor cores
  bool allow_reduced_precision_reduction =
      false;  // partial sums of 16-bit products may be rounded to 16 bits before they are added
};

/// What holds for matmuls and convolutions that this thread starts, on every device; the host makes
/// no use of it.
MathPrecision math_precision();

/// Until its end, matmuls and convolutions that this thread starts, those of backward passes
/// included, may make these trades. Scopes nest; the inner one's choice holds whole.
class MathPrecisionGuard {
 public:
  /// Allows what `precision` says, on this thread.
  [[nodiscard]] explicit MathPrecisionGuard(MathPrecision precision);
  MathPrecisionGuard(const MathPrecisionGuard&) = delete;
  MathPrecisionGuard& operator=(const MathPrecisionGuard&) = delete;
  ~MathPrecisionGuard();

 private:
  MathPrecision before_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/math_precision.ipp"
#endif
