// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The contracts of the passes over gradients, and the arithmetic of single elements that all
// devices share.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/kept_table.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0 {

/// What one pass saw of all gradients of an optimizer, taken together. The same bits on every
/// device.
struct GradientStatistics {
  float norm = 0;               // L2, of the unscaled gradients
  float max_abs = 0;            // of the unscaled gradients; NaN where one is NaN
  std::int64_t elements = 0;    // of all gradients
  std::int64_t zeros = 0;       // that are 0
  std::int64_t underflows = 0;  // not 0, but below 2^-14 while scaled: subnormal in float16
  std::int64_t flushed = 0;     // not 0, but 0 once unscaled in their own dtype
  bool found_inf = false;       // whether the step has to be left out

  friend bool operator==(const GradientStatistics&, const GradientStatistics&) = default;
};

namespace kernels {

/// A dense gradient, in any dtype.
struct GradientSpan {
  void* data;
  std::int64_t numel;
  DType dtype;
  bool read_only = false;     // unscale only tests it
  float* unscaled = nullptr;  // where unscale writes instead, in float32

  friend bool operator==(const GradientSpan&, const GradientSpan&) = default;
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
  KeptTable* table = nullptr;  // may serve all calls over gradients
  float* norm = nullptr;
  bool finite_norm = false;  // *found_inf = 1 also where the norm is not finite
  GradientStatistics* statistics = nullptr;
};

/// Where rounding a product of unscale can overflow, though it is finite: a scale below 1 makes it
/// larger; a float64 may be beyond float32 anyway.
AMP_HOST_DEVICE inline bool rounding_may_overflow(const GradientSpan& g, float inverse_scale) {
  return g.unscaled != nullptr
             ? g.dtype == kFloat64
             : !(inverse_scale <= 1) && g.dtype != kFloat32 && g.dtype != kFloat64;
}

/// One pass that only reads: *norm = L2 norm of all gradients, each times *inverse_scale (where not
/// null): float lanes, then double, in a fixed tree. Where not null, *coefficient =
/// clip_coefficient(*norm, max_norm), and *found_inf = 1 where the norm is not finite, which it is
/// not where any g or g * *inverse_scale is not. *statistics, where not null, with `found_inf`.
struct GradNormArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  const float* inverse_scale;
  float* norm;
  float* coefficient = nullptr;
  float* found_inf = nullptr;
  double max_norm = 0;
  KeptTable* table = nullptr;
  GradientStatistics* statistics = nullptr;
};

/// What brings a norm to max_norm at most, but for 1e-6. NaN stays NaN.
AMP_HOST_DEVICE inline float clip_coefficient(float norm, double max_norm) {
  const double factor = max_norm / (static_cast<double>(norm) + 1e-6);
  return factor >= 1 ? 1.0F : static_cast<float>(factor);
}

/// g *= c for all gradients, c = *coefficient or, where `norm` is not null,
/// clip_coefficient(*norm, max_norm); nothing where found_inf is not null and *found_inf not 0.
struct ClipArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  const float* coefficient;
  const float* found_inf = nullptr;
  KeptTable* table = nullptr;
  const float* norm = nullptr;
  double max_norm = 0;

  AMP_HOST_DEVICE float factor() const {
    return norm != nullptr ? clip_coefficient(*norm, max_norm) : *coefficient;
  }
};

/// |x| as a number that orders magnitudes, NaN above all.
AMP_HOST_DEVICE constexpr std::uint32_t magnitude_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x) & 0x7fff'ffffU;
}
AMP_HOST_DEVICE constexpr std::uint64_t magnitude_bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x) & 0x7fff'ffff'ffff'ffffU;
}
/// 2^-14: what is smaller, float16 keeps with fewer bits.
inline constexpr float kSmallestNormalHalf = 0x1p-14F;

/// What statistics count. No order of addition matters.
struct GradientTally {
  std::int64_t zeros, small, gone;  // small, and gone (0 once unscaled): zeros among them
  std::uint32_t most;               // magnitude_bits of the largest

  /// `scaled` as it stands, `product` as it was, or will be, unscaled.
  template <class C>
  AMP_HOST_DEVICE void add(C scaled, C product) {
    zeros += magnitude_bits(scaled) == 0;
    small += magnitude_bits(scaled) < magnitude_bits(static_cast<C>(kSmallestNormalHalf));
    gone += magnitude_bits(product) == 0;
    const std::uint32_t magnitude = magnitude_bits(static_cast<float>(product));
    most = magnitude > most ? magnitude : most;
  }
  AMP_HOST_DEVICE void add(const GradientTally& other) {
    zeros += other.zeros;
    small += other.small;
    gone += other.gone;
    most = other.most > most ? other.most : most;
  }
  AMP_HOST_DEVICE GradientStatistics statistics(float norm, std::int64_t elements,
                                                bool found_inf) const {
    constexpr std::uint32_t kInfinity = 0x7f80'0000U, kNan = 0x7fc0'0000U;
    GradientStatistics result;
    result.norm = norm;
    result.max_abs = __builtin_bit_cast(float, most > kInfinity ? kNan : most);
    result.elements = elements;
    result.zeros = zeros;
    result.underflows = small - zeros;
    result.flushed = gone - zeros;
    result.found_inf = found_inf;
    return result;
  }
};

}  // namespace kernels
}  // namespace amp::inline v0
