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

/// What a pass counts of some gradients, or of a part of one. The counts do not depend on the order
/// of addition.
struct GradientTally {
  std::int64_t zeros, small, lost;  // scaled: 0, below 2^-14, below 2^-24; the last two with zeros
  std::int64_t flushed;             // 0 when unscaled, with zeros
  std::int64_t infs, nans;          // unscaled
  std::uint64_t first;              // ~ of the first element that is not finite; 0: none
  std::uint32_t most;               // magnitude_bits of the largest finite element, unscaled
  std::uint64_t most_float64;       // of float64 gradients
  double squares;                   // the sum of the squares of finite elements

  /// Counts the unscaled element i as finite, infinite or NaN.
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
  AMP_HOST_DEVICE void add(const GradientTally& other) {
    zeros += other.zeros;
    small += other.small;
    lost += other.lost;
    flushed += other.flushed;
    infs += other.infs;
    nans += other.nans;
    first = other.first > first ? other.first : first;
    observe_finite(other.most);
    observe_finite(other.most_float64);
    squares += other.squares;
  }
  /// The term that an unscaled element adds to the sum of its lane.
  template <class C>
  AMP_HOST_DEVICE static C square(C unscaled) {
    return is_finite(unscaled) ? unscaled * unscaled : C{0};
  }
  /// Sets the squares of a chunk, whose tally this is, to the sum of its lanes. Returns that sum
  /// with the elements that are not finite.
  AMP_HOST_DEVICE double finish_sum(double sum) {
    squares = sum;
    return with_not_finite(sum);
  }

  AMP_HOST_DEVICE GradientStatistics statistics(double norm, std::int64_t elements,
                                                bool found_inf) const {
    GradientStatistics result;
    result.norm = norm;
    result.max_abs = with_not_finite(max_finite());
    result.elements = elements;
    result.zeros = zeros;
    result.underflows = small - zeros;
    result.flushed = flushed - zeros;
    result.infs = infs;
    result.nans = nans;
    result.found_inf = found_inf;
    return result;
  }
  AMP_HOST_DEVICE GradientSummary summary(const GradientSpan& g) const {
    const double root = functions::sqrt(squares);
    GradientSummary result;
    result.elements = g.numel;
    result.first_bad = first == 0 ? -1 : static_cast<std::int64_t>(~first);
    result.infs = infs;
    result.nans = nans;
    result.zeros = zeros;
    result.underflows = small - zeros;
    result.lost = lost - zeros;
    result.max_abs = max_finite();
    result.norm = g.dtype == kFloat64 ? root : static_cast<double>(static_cast<float>(root));
    return result;
  }

 private:
  /// NaN if an element is, or infinity if one is infinite; otherwise x.
  AMP_HOST_DEVICE double with_not_finite(double x) const {
    constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000U, kNan = 0x7ff8'0000'0000'0000U;
    if (nans != 0) return __builtin_bit_cast(double, kNan);
    return infs != 0 ? __builtin_bit_cast(double, kInfinity) : x;
  }
  AMP_HOST_DEVICE double max_finite() const {
    const auto narrow = static_cast<double>(__builtin_bit_cast(float, most));
    const double wide = __builtin_bit_cast(double, most_float64);
    return narrow > wide ? narrow : wide;
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
  LedgerArgs ledger = {};
  std::int64_t gradients = 0;  // the number of gradients, which the ledger records
  std::int64_t elements = 0;   // of all of them
  bool wide = false;           // whether the norm is float64, and not rounded to float32

  /// Whether the elements are counted.
  AMP_HOST_DEVICE bool tallies() const { return statistics != nullptr || ledger.ring != nullptr; }
  AMP_HOST_DEVICE void write_found_inf() const {
    if (found_inf != nullptr) *found_inf = 1.0F;
  }
  /// Writes all results. In the ledger it begins the pass, whose summaries are written later.
  AMP_HOST_DEVICE void write(double squares, const GradientTally& tally) const {
    const double root = functions::sqrt(squares);
    const double value = wide ? root : static_cast<double>(static_cast<float>(root));
    if (!norm.is_null()) norm.set(value);
    const double factor = clip_coefficient(value, max_norm);
    if (coefficient != nullptr) *coefficient = static_cast<float>(factor);
    if (coefficient_float64 != nullptr) *coefficient_float64 = factor;
    if (finite_norm && !is_finite(value)) write_found_inf();
    if (statistics != nullptr) *statistics = tally.statistics(value, elements, has_found_inf());
    if (ledger.ring != nullptr) ledger.begin_pass(gradients, has_found_inf());
  }
  AMP_HOST_DEVICE bool has_found_inf() const {
    const volatile float* const flag = found_inf;  // another thread may have set it
    return flag != nullptr && *flag != 0;
  }
};

inline PassResults results_of(const UnscaleArgs& args) {
  PassResults results;
  results.norm = args.norm;
  results.found_inf = args.found_inf;
  results.finite_norm = args.finite_norm;
  results.statistics = args.statistics;
  results.ledger = args.ledger;
  results.gradients = args.count;
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
  results.ledger = args.ledger;
  results.gradients = args.count;
  results.wide = any_float64(args.gradients, args.count);
  return results;
}

}  // namespace amp::inline v0::kernels
