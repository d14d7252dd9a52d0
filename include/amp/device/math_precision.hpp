// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trades of precision for speed that a device's libraries may make inside matmuls and convolutions.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The allowed trades. By default matmuls and convolutions do what their dtypes say: float32
/// factors are multiplied as float32, and every sum is computed in float32.
struct MathPrecision {
  bool allow_tf32 =
      false;  // float32 factors may be rounded to 10 bits of mantissa for tensor cores
  bool allow_reduced_precision_reduction =
      false;  // partial sums of 16-bit products may be rounded to 16 bits before they are added
};

/// Returns the trades for matmuls and convolutions that this thread starts, on every device. The
/// host makes none of them.
MathPrecision math_precision();

/// Until its end, matmuls and convolutions that this thread starts, those of backward passes
/// included, may make these trades. If scopes nest, the inner one replaces the outer one as a
/// whole.
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
