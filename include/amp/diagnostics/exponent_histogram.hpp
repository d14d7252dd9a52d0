// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How the magnitudes of numbers are distributed over powers of two, and so how many of them a
// number format, with a loss scale or without, would lose (Micikevicius et al. 2017, arXiv
// 1710.03740, figure 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "amp/kernels/histogram/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A loss scale that fits what a histogram holds.
struct ScaleRecommendation {
  double scale = 1;  // a power of two
  double flushed_share = 0, subnormal_share = 0,
         overflow_share = 0;  // of the non-zero finite values, with this scale
  std::string reason = {};    // a sentence
};

/// How many numbers have each binary exponent floor(log2 |x|), and how many are zero, infinite or
/// NaN. A value: histograms add up, and are equal if all counts are.
///
/// The shares are of all values that are finite and not 0, and are 0 if there are none. They know
/// numbers by their bins alone: a bin that a limit cuts in two is counted with the values that the
/// format keeps. So with a scale that is a power of two, as those of a GradScaler are by default,
/// flushed_share() and subnormal_share() leave out just the values that equal the limit, and
/// overflow_share() those between the format's largest number and the next power of two; with
/// another scale they leave out part of one bin. Values beyond the bins, which only float64 has,
/// are counted in the first or last one.
class ExponentHistogram {
 public:
  static constexpr int kMinExponent = kernels::kLeastExponent;  // float32's smallest subnormal
  static constexpr int kMaxExponent = kernels::kMostExponent;
  static constexpr std::size_t kBins = kernels::kHistogramBins;  // exponents, zeros, infs, NaNs

  ExponentHistogram() = default;
  /// Of counts as they are written by the kernel: one for each exponent, from the smallest on, then
  /// zeros, infinities and NaNs. Throws if they are not kBins, or if one is negative.
  explicit ExponentHistogram(std::span<const std::int64_t> counts);

  ExponentHistogram& operator+=(const ExponentHistogram& other);
  friend ExponentHistogram operator+(ExponentHistogram a, const ExponentHistogram& b) {
    return a += b;
  }
  friend bool operator==(const ExponentHistogram&, const ExponentHistogram&) = default;

  /// Of all values, zeros, infinities and NaNs among them.
  std::int64_t total() const;
  std::int64_t zeros() const { return counts_[kernels::kZeroBin]; }
  std::int64_t infs() const { return counts_[kernels::kInfinityBin]; }
  std::int64_t nans() const { return counts_[kernels::kNanBin]; }
  /// The finite values that are not 0.
  std::int64_t nonzero() const { return total() - zeros() - infs() - nans(); }
  /// Values in [2^exponent, 2^(exponent + 1)); 0 for an exponent without a bin.
  std::int64_t count(int exponent) const;
  /// As the constructor takes them.
  std::span<const std::int64_t> counts() const { return counts_; }
  /// Of the non-zero finite values; none if there are no such values.
  std::optional<int> min_exponent() const;
  std::optional<int> max_exponent() const;

  /// The share with magnitudes below 2^exponent.
  double share_below(int exponent) const;
  /// The share that becomes 0 if it is multiplied by `scale` and rounded to `format`, to nearest
  /// even: magnitudes up to half of the smallest subnormal number, 2^-25 for float16. Throws if
  /// `scale` is not finite and above 0, or if `format` is no floating-point dtype; so do the two
  /// below.
  double flushed_share(double scale = 1, DType format = kFloat16) const;
  /// The share that is not flushed, but below the smallest normal number when multiplied by
  /// `scale`, 2^-14 for float16: it keeps fewer bits.
  double subnormal_share(double scale = 1, DType format = kFloat16) const;
  /// The share that overflows if it is multiplied by `scale` and rounded to `format`.
  double overflow_share(double scale = 1, DType format = kFloat16) const;

  /// The histogram of the values times 2^exponents. Undoes a scale of 2^s by shifted(-s).
  ExponentHistogram shifted(int exponents) const;

  /// The largest power of two by which every value can be multiplied, and then by `headroom`, and
  /// still be finite in `format`. A bin is taken to reach to its end, so that this can be half of
  /// what the largest value itself would allow. It is 1 if there are no non-zero finite values, and
  /// from 2^-64 to 2^126, the bounds of a GradScaler. Throws if `headroom` is not finite and at
  /// least 1.
  ScaleRecommendation recommended_scale(DType format = kFloat16, double headroom = 8) const;

 private:
  std::int64_t sum_below(std::int64_t exponent) const;
  double share(std::int64_t count) const;

  std::array<std::int64_t, kBins> counts_ = {};
};

/// The histogram of one tensor, in any floating-point dtype, any strides and on any device.
/// Synchronises. Throws if the tensor is undefined or holds integers.
ExponentHistogram exponent_histogram(const Tensor& tensor);

namespace diagnostics {

/// What a power of two has to be: magnitudes up to 2^flushed become 0 in a format, those below
/// 2^normal are subnormal there, and those from 2^overflow on overflow.
struct FormatLimits {
  int flushed, normal, overflow;
};
/// Throws, naming `call`, if the dtype is no floating-point one.
FormatLimits format_limits(const char* call, DType format);

/// log2(scale), rounded down or up. Throws, naming `call`, if it is not finite and above 0.
struct ScaleExponent {
  int down, up;
};
ScaleExponent scale_exponent(const char* call, double scale);

/// "2^16", or the number if it is no power of two.
std::string scale_text(double scale);
/// Of a share: "12.3 %", "<0.01 %" instead of "0.00 %" if it is not 0.
std::string percent_text(double share);

/// The histograms of some tensors of one device: one launch, and one synchronisation. Throws,
/// naming `call` and the tensors, if one cannot be counted, or if they are on two devices.
std::vector<ExponentHistogram> exponent_histograms(const char* call, const NamedTensors& tensors);

}  // namespace diagnostics
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/exponent_histogram.ipp"
#endif
