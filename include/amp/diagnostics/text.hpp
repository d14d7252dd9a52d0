// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Text output of the tools: tables with aligned columns, numbers with units, JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amp/core/config.hpp"

namespace amp::inline v0::diagnostics {

/// Returns rows of cells as lines of aligned columns. The first row is the heading. Columns whose
/// heading begins with a blank are aligned to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Return three significant digits and a unit: "1.23 ms", "4.56 MB" (10^6 bytes).
std::string duration_text(double seconds);
std::string bytes_text(std::int64_t bytes);
/// Returns a number with this many significant digits, without trailing zeros.
std::string number_text(double value, int digits = 3);

/// Returns a JSON string, in quotes.
std::string json_text(std::string_view text);
/// Returns a JSON number, or null if it is not finite.
std::string json_number(double value);

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/text.ipp"
#endif
