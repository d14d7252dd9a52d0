// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arithmetic of the passes over gradients, the same on every device. Each gradient is divided
// into chunks. The squares of a chunk are added in kGradientLanes lanes, element l in lane
// l % kGradientLanes. The lanes are then added in double, by halves: lane l + n/2 to lane l. The
// sums of the chunks are added in the same way, in kChunkLanes lanes.
#pragma once

#include <cstdint>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

inline constexpr std::int64_t kGradientChunk = 1 << 16;
inline constexpr int kGradientLanes = 512;
inline constexpr int kChunkLanes = 64;

/// Where unscale writes a gradient.
struct UnscaleTarget {
  void* data;
  DType dtype;
  bool writes;
  bool rereads;  // whether to read the written values again, because they were rounded

  /// `sums`: whether a norm, or statistics, of the written values are computed.
  AMP_ALWAYS_INLINE AMP_HOST_DEVICE UnscaleTarget(const GradientSpan& g, double inverse_scale,
                                                  bool write, bool sums)
      : data(g.unscaled != nullptr ? g.unscaled : g.data),
        dtype(g.unscaled != nullptr ? g.unscaled_dtype : g.dtype),
        writes(write && !g.read_only),
        rereads(dtype != (g.dtype == kFloat64 ? kFloat64 : kFloat32) &&
                (sums || may_overflow(g, inverse_scale))) {}

 private:
  /// Whether rounding a finite value may give infinity: another dtype may have a smaller range, and
  /// a scale below 1 makes the unscaled value larger.
  AMP_ALWAYS_INLINE AMP_HOST_DEVICE static bool may_overflow(const GradientSpan& g,
                                                             double inverse_scale) {
    return g.unscaled != nullptr || !(inverse_scale <= 1);
  }
};

/// |x| as a number that orders magnitudes, NaN above all.
AMP_HOST_DEVICE constexpr std::uint32_t magnitude_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x) & 0x7fff'ffffU;
}
AMP_HOST_DEVICE constexpr std::uint64_t magnitude_bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x) & 0x7fff'ffff'ffff'ffffU;
}
/// 2^-14: float16 represents smaller values with fewer bits.
inline constexpr float kSmallestNormalHalf = 0x1p-14F;

/// The smallest float16; smaller values are, or may become, 0.
inline constexpr float kSmallestHalf = 0x1p-24F;

/// The counts of statistics. They do not depend on the order of addition.
struct GradientTally {
  std::int64_t zeros, small, gone;  // gone: 0 when unscaled. small and gone include zeros
  std::uint32_t most;               // magnitude_bits of the largest
  std::uint64_t most_float64;       // of the largest of float64 gradients

  /// Adds an element: as it is, and unscaled.
  template <class C>
  AMP_HOST_DEVICE void add(C scaled, C unscaled, std::int64_t) {
    zeros += magnitude_bits(scaled) == 0;
    small += magnitude_bits(scaled) < magnitude_bits(static_cast<C>(kSmallestNormalHalf));
    gone += magnitude_bits(unscaled) == 0;
    observe(magnitude_bits(unscaled));
  }
  AMP_HOST_DEVICE void observe(std::uint32_t magnitude) {
    most = magnitude > most ? magnitude : most;
  }
  AMP_HOST_DEVICE void observe(std::uint64_t magnitude) {
    most_float64 = magnitude > most_float64 ? magnitude : most_float64;
  }
  AMP_HOST_DEVICE void add(const GradientTally& other) {
    zeros += other.zeros;
    small += other.small;
    gone += other.gone;
    observe(other.most);
    observe(other.most_float64);
  }
  AMP_HOST_DEVICE double max_abs() const {
    constexpr std::uint32_t kInfinity = 0x7f80'0000U, kNan = 0x7fc0'0000U;
    constexpr std::uint64_t kWideInfinity = 0x7ff0'0000'0000'0000U,
                            kWideNan = 0x7ff8'0000'0000'0000U;
    const float narrow = __builtin_bit_cast(float, most > kInfinity ? kNan : most);
    const std::uint64_t widened = magnitude_bits(static_cast<double>(narrow));
    const std::uint64_t all = widened > most_float64 ? widened : most_float64;
    return __builtin_bit_cast(double, all > kWideInfinity ? kWideNan : all);
  }
  AMP_HOST_DEVICE GradientStatistics statistics(double norm, std::int64_t elements,
                                                bool found_inf) const {
    GradientStatistics result;
    result.norm = norm;
    result.max_abs = max_abs();
    result.elements = elements;
    result.zeros = zeros;
    result.underflows = small - zeros;
    result.flushed = gone - zeros;
    result.found_inf = found_inf;
    return result;
  }
  /// The term that an unscaled element adds to the sum of its lane.
  template <class C>
  AMP_HOST_DEVICE static C square(C unscaled) {
    return unscaled * unscaled;
  }
  /// The sum of a chunk, whose tally this is, from the sum of its lanes.
  AMP_HOST_DEVICE double finish_sum(double sum) { return sum; }
};

/// The counts of a ledger, for a part of one gradient.
struct LedgerTally {
  GradientTally all;
  std::int64_t lost, infs, nans;  // lost includes zeros
  std::uint64_t first;            // ~ of the first element that is not finite; 0: none
  std::uint32_t most;             // as in `all`, but of finite ones
  std::uint64_t most_float64;
  double squares;  // the sum of the squares of finite elements

  template <class C>
  AMP_HOST_DEVICE void add(C scaled, C unscaled, std::int64_t i) {
    all.add(scaled, unscaled, i);
    lost += magnitude_bits(scaled) < magnitude_bits(static_cast<C>(kSmallestHalf));
    observe(unscaled, i);
  }
  template <class C>
  AMP_HOST_DEVICE void observe(C unscaled, std::int64_t i) {
    if (is_finite(unscaled)) {
      observe_finite(magnitude_bits(unscaled));
      return;
    }
    ++(is_nan(unscaled) ? nans : infs);
    const std::uint64_t place = ~static_cast<std::uint64_t>(i);
    first = place > first ? place : first;
  }
  AMP_HOST_DEVICE void observe_finite(std::uint32_t magnitude) {
    most = magnitude > most ? magnitude : most;
  }
  AMP_HOST_DEVICE void observe_finite(std::uint64_t magnitude) {
    most_float64 = magnitude > most_float64 ? magnitude : most_float64;
  }
  AMP_HOST_DEVICE void add(const LedgerTally& other) {
    all.add(other.all);
    lost += other.lost;
    infs += other.infs;
    nans += other.nans;
    first = other.first > first ? other.first : first;
    observe_finite(other.most);
    observe_finite(other.most_float64);
    squares += other.squares;
  }
  template <class C>
  AMP_HOST_DEVICE static C square(C unscaled) {
    return is_finite(unscaled) ? unscaled * unscaled : C{0};
  }
  AMP_HOST_DEVICE double finish_sum(double sum) {
    squares = sum;
    if (nans != 0) return __builtin_bit_cast(double, std::uint64_t{0x7ff8'0000'0000'0000});
    return infs != 0 ? __builtin_bit_cast(double, std::uint64_t{0x7ff0'0000'0000'0000}) : sum;
  }
  AMP_HOST_DEVICE GradientSummary summary(const GradientSpan& g) const {
    GradientTally finite{};
    finite.most = most;
    finite.most_float64 = most_float64;
    const double root = functions::math::sqrt(squares);
    GradientSummary result;
    result.elements = g.numel;
    result.first_bad = first == 0 ? -1 : static_cast<std::int64_t>(~first);
    result.infs = infs;
    result.nans = nans;
    result.zeros = all.zeros;
    result.underflows = all.small - all.zeros;
    result.lost = lost - all.zeros;
    result.max_abs = finite.max_abs();
    result.norm = g.dtype == kFloat64 ? root : static_cast<double>(static_cast<float>(root));
    return result;
  }
};

/// The outputs of a pass; null pointers are not written.
struct PassResults {
  NormPointer norm = {};
  float* coefficient = nullptr;
  double* coefficient_float64 = nullptr;
  float* found_inf = nullptr;
  double max_norm = 0;
  bool finite_norm = false;  // *found_inf = 1 also if the norm is not finite
  GradientStatistics* statistics = nullptr;
  std::int64_t elements = 0;
  bool wide = false;  // whether the norm is float64, and not rounded to float32

  AMP_HOST_DEVICE void write_found_inf() const {
    if (found_inf != nullptr) *found_inf = 1.0F;
  }
  AMP_HOST_DEVICE void write(double squares, const GradientTally& tally) const {
    const double root = functions::math::sqrt(squares);
    const double value = wide ? root : static_cast<double>(static_cast<float>(root));
    if (!norm.is_null()) norm.set(value);
    const double factor = clip_coefficient(value, max_norm);
    if (coefficient != nullptr) *coefficient = static_cast<float>(factor);
    if (coefficient_float64 != nullptr) *coefficient_float64 = factor;
    if (finite_norm && !is_finite(value)) write_found_inf();
    if (statistics != nullptr) *statistics = tally.statistics(value, elements, has_found_inf());
  }
  AMP_HOST_DEVICE bool has_found_inf() const {
    const volatile float* const flag = found_inf;  // another thread may have set it
    return flag != nullptr && *flag != 0;
  }
};

/// The outputs of a pass that is recorded in a ledger.
struct RecordedPassResults : PassResults {
  LedgerArgs ledger = {};
  std::int64_t gradients = 0;

  AMP_HOST_DEVICE void write(double squares, const LedgerTally& tally) const {
    PassResults::write(squares, tally.all);
    ledger.begin_pass(gradients, has_found_inf());
  }
};

inline PassResults results_of(const UnscaleArgs& args) {
  PassResults results;
  results.norm = args.norm;
  results.found_inf = args.found_inf;
  results.finite_norm = args.finite_norm;
  results.statistics = args.statistics;
  results.wide = any_float64(args.gradients, args.count);
  return results;
}
inline PassResults results_of(const GradNormArgs& args) {
  PassResults results;
  results.norm = args.norm;
  results.coefficient = args.coefficient;
  results.coefficient_float64 = args.coefficient_float64;
  results.found_inf = args.found_inf;
  results.max_norm = args.max_norm;
  results.finite_norm = true;
  results.statistics = args.statistics;
  results.wide = any_float64(args.gradients, args.count);
  return results;
}
template <class Args>
RecordedPassResults recorded_results_of(const Args& args) {
  return {results_of(args), args.ledger, args.count};
}

}  // namespace amp::inline v0::kernels
