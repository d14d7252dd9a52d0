// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of gradients as text, and what a format makes of each bin.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "amp/diagnostics/exponent_histogram.hpp"

namespace amp::inline v0::diagnostics {

/// Returns part / whole; 0 of nothing.
inline double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The fate of the numbers of a bin in a format, by the rule of ExponentHistogram: lost with the
/// scale, saved by the scale, overflowing with the scale, or representable without it.
enum class Fate { kLost, kSaved, kOverflow, kKept };

/// A format and a loss scale.
struct ScaledFormat {
  /// Throws, naming GradientHistogram, if either is not valid.
  ScaledFormat(DType format, double with_scale)
      : dtype(format),
        limits(format_limits("GradientHistogram", format)),
        exponent(scale_exponent("GradientHistogram", with_scale)),
        scale(with_scale),
        name(amp::name(format)) {}

  /// Whether there is a loss scale.
  bool scaled() const { return scale != 1; }
  /// Returns the fate of the numbers of this exponent.
  Fate fate(int bin) const {
    if (bin < limits.flushed - exponent.up) return Fate::kLost;
    if (bin >= limits.overflow - exponent.down) return Fate::kOverflow;
    return bin < limits.flushed ? Fate::kSaved : Fate::kKept;
  }

  DType dtype;
  FormatLimits limits;
  ScaleExponent exponent;
  double scale;
  std::string name;
};

/// The result of GradientHistogram::to_string.
std::string histogram_text(const std::vector<std::pair<std::string, ExponentHistogram>>& entries,
                           const ExponentHistogram& all, double scale, DType format);

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/histogram_text.ipp"
#endif
