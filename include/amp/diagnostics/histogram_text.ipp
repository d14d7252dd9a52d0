// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/diagnostics/histogram_text.hpp"
#include "amp/diagnostics/text.hpp"

namespace amp::inline v0::diagnostics {

AMP_COLD std::string exponent_text(const std::optional<int>& exponent) {
  return exponent ? "2^" + std::to_string(*exponent) : "-";
}

AMP_COLD std::string bar_chart(const ExponentHistogram& all, const ScaledFormat& format) {
  constexpr int kMostRows = 48;
  constexpr double kBar = 40;
  if (!all.max_exponent()) return "";
  const int low = *all.min_exponent(), high = *all.max_exponent();
  const int step = (high - low) / kMostRows + 1;
  const auto rows_at = [&](int first) {
    std::int64_t sum = 0;
    for (int e = first; e < first + step; ++e) sum += all.count(e);
    return sum;
  };
  std::int64_t most = 1;
  for (int e = low; e <= high; e += step) most = (std::max)(most, rows_at(e));
  std::vector<std::vector<std::string>> rows = {{" from", "", " share", ""}};
  for (int e = low; e <= high; e += step) {
    const std::int64_t count = rows_at(e);
    const auto bar = static_cast<std::size_t>(std::ceil(kBar * ratio(count, most)));
    std::string note;
    if (format.fate(e) == Fate::kLost) note = format.scaled() ? "0 at both scales" : "becomes 0";
    if (format.fate(e) == Fate::kSaved) note = "0 at scale 1";
    if (format.fate(e) == Fate::kOverflow) note = "overflows";
    rows.push_back({exponent_text(e), std::string(bar, '#'),
                    percent_text(ratio(count, all.total())), count == 0 ? "" : note});
  }
  return "\n" + table(rows);
}

AMP_COLD std::string histogram_text(
    const std::vector<std::pair<std::string, ExponentHistogram>>& entries,
    const ExponentHistogram& all, double scale, DType dtype) {
  const ScaledFormat format(dtype, scale);
  std::vector<std::vector<std::string>> rows = {
      {"gradient", " count", " zeros", " inf, nan", " smallest", " largest", " 0 at scale 1"}};
  if (format.scaled()) rows[0].push_back(" 0 at " + scale_text(scale));
  rows[0].emplace_back(" recommended");
  const auto add_row = [&](const std::string& name, const ExponentHistogram& h) {
    rows.push_back({name, std::to_string(h.total()), percent_text(ratio(h.zeros(), h.total())),
                    std::to_string(h.infs() + h.nans()), exponent_text(h.min_exponent()),
                    exponent_text(h.max_exponent()), percent_text(h.flushed_share(1, dtype))});
    if (format.scaled()) rows.back().push_back(percent_text(h.flushed_share(scale, dtype)));
    rows.back().push_back(h.max_exponent() ? scale_text(h.recommended_scale(dtype).scale) : "-");
  };
  for (const auto& [name, histogram] : entries) add_row(name, histogram);
  add_row("all", all);
  return "Gradients by exponent, without the loss scale, which is " + scale_text(scale) +
         "; what becomes 0 in " + format.name + " is a share of those that are not 0.\n\n" +
         table(rows) + bar_chart(all, format) + "\n" + all.recommended_scale(dtype).reason + "\n";
}

}  // namespace amp::inline v0::diagnostics
