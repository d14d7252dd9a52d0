// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of gradients as SVG.
#pragma once

#include <amp/diagnostics/gradient_histogram.hpp>

#include <string>
#include <string_view>

namespace examples {

/// Returns a picture like figure 3 of Micikevicius et al. 2017: the percentage of gradients by
/// exponent, on a logarithmic axis, and of zeros; and the ranges of `format` at scale 1 and at the
/// scale of the gradients. It has no external resources, and suits light and dark backgrounds.
std::string to_svg(const amp::GradientHistogram& gradients, std::string_view title = "Gradients",
                   amp::DType format = amp::kFloat16);

}  // namespace examples
