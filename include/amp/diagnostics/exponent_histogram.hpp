// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of magnitudes over powers of two: they show how many numbers a format would lose, with
// a loss scale or without (Micikevicius et al. 2017, arXiv 1710.03740, figure 3).
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

/// A loss scale that suits the values of a histogram.
struct ScaleRecommendation {
  double scale = 1;  // a power of two
  double flushed_share = 0, subnormal_share = 0,
         overflow_share = 0;  // of the non-zero finite values, with this scale
  std::string reason = {};    // a sentence
};

/// The number of values with each binary exponent floor(log2 |x|), and the numbers of zeros,
/// infinities and NaNs. A value type: histograms can be added, and are equal if all counts are.
///
/// Shares are fractions of all values that are finite and not 0; they are 0 if there are none. They
/// are computed from whole bins: a bin that contains a limit is counted as not lost. If the scale
/// is a power of two, as those of a GradScaler are by default, flushed_share() and
/// subnormal_share() thus miss only the values that equal the limit, and overflow_share() those
/// between the format's largest number and the next power of two; with another scale they miss part
/// of one bin. Values beyond the bins, which only float64 has, are counted in the first or last
/// one.
class ExponentHistogram {
 public:
  static constexpr int kMinExponent = kernels::kLeastExponent;  // float32's smallest subnormal
  static constexpr int kMaxExponent = kernels::kMostExponent;
  static constexpr std::size_t kBins = kernels::kHistogramBins;  // exponents, zeros, infs, NaNs

  ExponentHistogram() = default;
  /// Takes counts in the kernel's order: one for each exponent, from the smallest on, then zeros,
  /// infinities and NaNs. Throws if there are not kBins counts, or if one is negative.
  explicit ExponentHistogram(std::span<const std::int64_t> counts);

  ExponentHistogram& operator+=(const ExponentHistogram& other);
  friend ExponentHistogram operator+(ExponentHistogram a, const ExponentHistogram& b) {
    return a += b;
  }
  friend bool operator==(const ExponentHistogram&, const ExponentHistogram&) = default;

  /// The number of all values, including zeros, infinities and NaNs.
  std::int64_t total() const;
  std::int64_t zeros() const { return counts_[kernels::kZeroBin]; }
  std::int64_t infs() const { return counts_[kernels::kInfinityBin]; }
  std::int64_t nans() const { return counts_[kernels::kNanBin]; }
  /// The number of finite values that are not 0.
  std::int64_t nonzero() const { return total() - zeros() - infs() - nans(); }
  /// The number of values in [2^exponent, 2^(exponent + 1)); 0 for an exponent without a bin.
  std::int64_t count(int exponent) const;
  /// All counts, in the order of the constructor.
  std::span<const std::int64_t> counts() const { return counts_; }
  /// The smallest and the largest exponent of the non-zero finite values, if there are any.
  std::optional<int> min_exponent() const;
  std::optional<int> max_exponent() const;

  /// The share of values with magnitudes below 2^exponent.
  double share_below(int exponent) const;
  /// The share of values that become 0 if they are multiplied by `scale` and rounded to `format`,
  /// to nearest even: magnitudes up to half of the smallest subnormal number, 2^-25 for float16.
  /// This and the next two functions throw if `scale` is not finite and above 0, or if `format` is
  /// not a floating-point dtype.
  double flushed_share(double scale = 1, DType format = kFloat16) const;
  /// The share of values that are not flushed, but, multiplied by `scale`, are below the smallest
  /// normal number, 2^-14 for float16: they keep fewer bits.
  double subnormal_share(double scale = 1, DType format = kFloat16) const;
  /// The share of values that overflow if they are multiplied by `scale` and rounded to `format`.
  double overflow_share(double scale = 1, DType format = kFloat16) const;

  /// Returns the histogram of the values times 2^exponents. shifted(-s) undoes a scale of 2^s.
  ExponentHistogram shifted(int exponents) const;

  /// Returns the largest power of two such that every value times scale times `headroom` is finite
  /// in `format`. Values are assumed to lie at the upper end of their bin, so the result can be
  /// half of what the largest value would allow. It is 1 if there are no non-zero finite values,
  /// and in [2^-64, 2^126], the bounds of a GradScaler. Throws if `headroom` is not finite and at
  /// least 1, or if `format` is not a floating-point dtype.
  ScaleRecommendation recommended_scale(DType format = kFloat16, double headroom = 8) const;

 private:
  std::int64_t sum_below(std::int64_t exponent) const;
  double share(std::int64_t count) const;

  std::array<std::int64_t, kBins> counts_ = {};
};

/// Returns the histogram of one tensor, in any floating-point dtype, with any strides and on any
/// device. Throws if the tensor is undefined or holds integers. Synchronises.
ExponentHistogram exponent_histogram(const Tensor& tensor);

namespace diagnostics {

/// The limits of a format as exponents: magnitudes up to 2^flushed become 0, those below 2^normal
/// are subnormal, and those from 2^overflow on overflow.
struct FormatLimits {
  int flushed, normal, overflow;
};
/// Returns the limits. Throws, naming `call`, if the dtype is not a floating-point dtype.
FormatLimits format_limits(const char* call, DType format);

/// log2(scale), rounded down and up.
struct ScaleExponent {
  int down, up;
};
/// Throws, naming `call`, if the scale is not finite and above 0.
ScaleExponent scale_exponent(const char* call, double scale);

/// Returns a text such as "2^16", or the number itself if it is no power of two.
std::string scale_text(double scale);
/// Returns a share as "12.3 %"; "<0.01 %" instead of "0.00 %" if it is not 0.
std::string percent_text(double share);

/// Returns the histograms of tensors of one device, with one launch and one synchronisation.
/// Throws, naming `call` and the tensor, if a tensor cannot be counted or is on another device.
std::vector<ExponentHistogram> exponent_histograms(const char* call, const NamedTensors& tensors);

}  // namespace diagnostics
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/exponent_histogram.ipp"
#endif
