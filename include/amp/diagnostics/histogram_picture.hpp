// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of gradients as text and as SVG.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/diagnostics/exponent_histogram.hpp"

namespace amp::inline v0::diagnostics {

/// The results of GradientHistogram::to_string and to_svg.
std::string histogram_text(const std::vector<std::pair<std::string, ExponentHistogram>>& entries,
                           const ExponentHistogram& all, double scale, DType format);
std::string histogram_svg(std::string_view title, std::size_t tensors, const ExponentHistogram& all,
                          double scale, DType format);

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/histogram_picture.ipp"
#endif
