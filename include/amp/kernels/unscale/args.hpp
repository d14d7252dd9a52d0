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

/// What one pass saw of all gradients of an optimizer, taken together. The same bits on every
/// device.
struct GradientStatistics {
  double norm = 0;            // L2, of the unscaled gradients; rounded to float32, if none of them
                              // is float64
  double max_abs = 0;         // of the unscaled gradients; NaN where one is NaN
  std::int64_t elements = 0;  // of all gradients
  std::int64_t zeros = 0;     // that are 0
  std::int64_t underflows = 0;  // not 0, but below 2^-14 while scaled: subnormal in float16
  std::int64_t flushed =
      0;                   // not 0, but 0 once unscaled, in the dtype in which the step reads them
  bool found_inf = false;  // whether the step has to be skipped

  friend bool operator==(const GradientStatistics&, const GradientStatistics&) = default;
};

namespace kernels {

/// A dense gradient, in any dtype.
struct GradientSpan {
  void* data;
  std::int64_t numel;
  DType dtype;
  bool read_only = false;  // unscale only tests it
  // Where unscale writes instead, if that is not null, in this floating-point dtype.
  DType unscaled_dtype = kFloat32;
  void* unscaled = nullptr;

  friend bool operator==(const GradientSpan&, const GradientSpan&) = default;
};

/// Whether a norm is to be a float64: float32 does not hold that of float64 gradients.
inline bool any_float64(const GradientSpan* gradients, std::int64_t count) {
  for (std::int64_t g = 0; g < count; ++g) {
    if (gradients[g].dtype == kFloat64) return true;
  }
  return false;
}

/// What brings a norm to max_norm at most, but for 1e-6. NaN stays NaN.
AMP_HOST_DEVICE inline double clip_coefficient(double norm, double max_norm) {
  const double factor = max_norm / (norm + 1e-6);
  return factor >= 1 ? 1 : factor;
}

/// Where a norm lies, a float32 or a float64; perhaps nowhere.
class NormPointer {
 public:
  NormPointer() = default;
  NormPointer(std::nullptr_t) {}
  NormPointer(float* word) : word_(word) {}
  NormPointer(double* word) : word_(word), wide_(true) {}

  AMP_HOST_DEVICE bool is_null() const { return word_ == nullptr; }
  AMP_HOST_DEVICE void set(double norm) const {
    if (wide_) {
      *static_cast<double*>(word_) = norm;
    } else {
      *static_cast<float*>(word_) = static_cast<float>(norm);
    }
  }
  /// The coefficient of the norm that lies there, in its precision.
  AMP_HOST_DEVICE double clip_coefficient(double max_norm) const {
    if (wide_) return kernels::clip_coefficient(*static_cast<const double*>(word_), max_norm);
    const auto norm = static_cast<double>(*static_cast<const float*>(word_));
    return static_cast<double>(static_cast<float>(kernels::clip_coefficient(norm, max_norm)));
  }

 private:
  void* word_ = nullptr;
  bool wide_ = false;
};

/// *found_inf = 1 where any g * *inverse_scale, or what is written of it, is not finite (as
/// it is where g is not), left as it is otherwise. With `write`, g *= *inverse_scale. Where not
/// null, *norm and *statistics are those of what was written, or would be of a read-only gradient:
/// what grad_norm gives of it, bit for bit.
struct UnscaleArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  const float* inverse_scale;
  float* found_inf;
  bool write;
  DescriptorTable* table = nullptr;  // may serve all calls over gradients
  NormPointer norm = {};
  bool finite_norm = false;  // *found_inf = 1 also where the norm is not finite
  GradientStatistics* statistics = nullptr;
  LedgerArgs ledger = {};
};

/// One pass that only reads: *norm = L2 norm of all gradients, each times *inverse_scale (where not
/// null): float lanes (of float64 gradients double ones), then double, in a fixed tree. Where not
/// null, *coefficient and *coefficient_float64 = clip_coefficient(*norm, max_norm), and *found_inf
/// = 1 where the norm is not finite, which it is not where any g or g * *inverse_scale is not.
/// *statistics, where not null, with `found_inf`.
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
  LedgerArgs ledger = {};  // with `found_inf`
};

/// g *= c for all gradients, c = *coefficient or, where `norm` is not null,
/// clip_coefficient(*norm, max_norm); nothing where found_inf is not null and *found_inf not 0.
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
