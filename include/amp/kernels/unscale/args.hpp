// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the passes over gradients.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"
#include "amp/kernels/unscale/ledger.hpp"

namespace amp::inline v0 {

/// Statistics of all gradients of an optimizer, from one pass. The same bits on every device.
struct GradientStatistics {
  /// The L2 norm of the unscaled gradients, rounded to float32 unless one of them is float64.
  double norm = 0;
  /// The largest magnitude of the unscaled gradients; NaN if one is NaN.
  double max_abs = 0;
  /// The number of elements of all gradients.
  std::int64_t elements = 0;
  /// The number of elements that are 0.
  std::int64_t zeros = 0;
  /// The number of elements that are not 0, but below 2^-14 while scaled: subnormal in float16.
  std::int64_t underflows = 0;
  /// The number of elements that are not 0, but become 0 when they are unscaled, in the dtype in
  /// which the step reads them.
  std::int64_t flushed = 0;
  /// The number of unscaled elements that are infinite, and that are NaN.
  std::int64_t infs = 0, nans = 0;
  /// Whether the step has to be skipped.
  bool found_inf = false;

  friend bool operator==(const GradientStatistics&, const GradientStatistics&) = default;
};

namespace kernels {

/// A dense gradient, in any dtype.
struct GradientSpan {
  void* data;
  std::int64_t numel;
  DType dtype;
  bool read_only = false;  // unscale tests it, and does not write it
  // If `unscaled` is not null, unscale writes there, in this floating-point dtype.
  DType unscaled_dtype = kFloat32;
  void* unscaled = nullptr;

  friend bool operator==(const GradientSpan&, const GradientSpan&) = default;
};

/// Whether a norm must be a float64, because float32 cannot represent that of float64 gradients.
inline bool any_float64(const GradientSpan* gradients, std::int64_t count) {
  for (std::int64_t g = 0; g < count; ++g) {
    if (gradients[g].dtype == kFloat64) return true;
  }
  return false;
}

/// min(1, max_norm / (norm + 1e-6)); NaN stays NaN.
AMP_HOST_DEVICE inline double clip_coefficient(double norm, double max_norm) {
  const double factor = max_norm / (norm + 1e-6);
  return factor >= 1 ? 1 : factor;
}

/// A pointer to a norm, a float32 or a float64; may be null.
class NormPointer {
 public:
  NormPointer() = default;
  NormPointer(std::nullptr_t) {}
  NormPointer(float* norm) : data_(norm) {}
  NormPointer(double* norm) : data_(norm), is_float64_(true) {}

  AMP_HOST_DEVICE bool is_null() const { return data_ == nullptr; }
  AMP_HOST_DEVICE void set(double norm) const {
    if (is_float64_) {
      *static_cast<double*>(data_) = norm;
    } else {
      *static_cast<float*>(data_) = static_cast<float>(norm);
    }
  }
  /// The coefficient to clip by, in the precision of the norm.
  AMP_HOST_DEVICE double clip_coefficient(double max_norm) const {
    if (is_float64_) return kernels::clip_coefficient(*static_cast<const double*>(data_), max_norm);
    const auto norm = static_cast<double>(*static_cast<const float*>(data_));
    return static_cast<double>(static_cast<float>(kernels::clip_coefficient(norm, max_norm)));
  }

 private:
  void* data_ = nullptr;
  bool is_float64_ = false;
};

/// Sets *found_inf to 1 if any g * *inverse_scale, or its rounded value that is written, is not
/// finite; otherwise leaves it. With `write`, g *= *inverse_scale. If they are not null, *norm and
/// *statistics become those of the values written (of a read-only gradient: that would be written),
/// with the bits that grad_norm computes.
struct UnscaleArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  const float* inverse_scale;
  float* found_inf;
  bool write;
  DescriptorTable* table = nullptr;  // all calls over gradients may use one
  NormPointer norm = {};
  bool finite_norm = false;  // *found_inf = 1 also if the norm is not finite
  GradientStatistics* statistics = nullptr;
  LedgerArgs ledger = {};
};

/// One pass that only reads: *norm = the L2 norm of all gradients times *inverse_scale (1 if null).
/// Sums are taken in float lanes (double ones for float64 gradients), then in double, in a fixed
/// tree. If they are not null, *coefficient and *coefficient_float64 become
/// clip_coefficient(*norm, max_norm), and *found_inf becomes 1 if the norm is not finite; the norm
/// is not finite if any g or g * *inverse_scale is not. `statistics` needs `found_inf`.
struct GradNormArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  const float* inverse_scale;
  NormPointer norm;
  float* coefficient = nullptr;
  float* found_inf = nullptr;
  double max_norm = 0;
  DescriptorTable* table = nullptr;
  GradientStatistics* statistics = nullptr;
  double* coefficient_float64 = nullptr;
  LedgerArgs ledger = {};  // needs `found_inf`
};

/// g *= c for all gradients; c is *coefficient, or clip_coefficient(*norm, max_norm) if `norm`
/// is not null. Does nothing if found_inf is not null and *found_inf is not 0.
struct ClipArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  const float* coefficient;
  const float* found_inf = nullptr;
  DescriptorTable* table = nullptr;
  NormPointer norm = {};
  double max_norm = 0;

  AMP_HOST_DEVICE double factor() const {
    return norm.is_null() ? static_cast<double>(*coefficient) : norm.clip_coefficient(max_norm);
  }
};

}  // namespace kernels
}  // namespace amp::inline v0
