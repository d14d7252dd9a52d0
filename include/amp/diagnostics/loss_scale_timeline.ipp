// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/diagnostics/loss_scale_timeline.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

AMP_COLD void LossScaleTimeline::add(std::int64_t step, double scale, bool skipped) {
  const auto x = static_cast<double>(step);
  AMP_CHECK(line_.points.empty() || x > line_.points.back().x, "LossScaleTimeline::add: step ",
            step, " does not come after step ", line_.points.back().x, ", which was added before");
  AMP_CHECK(scale > 0 && is_finite(scale),
            "LossScaleTimeline::add: `scale` must be finite and above 0, but is ", scale);
  detail::or_out_of_memory([&] {
    line_.crosses.reserve(line_.crosses.size() + 1);
    line_.points.push_back({x, scale});
    if (skipped) line_.crosses.push_back({x, scale});
  });
}

AMP_COLD diagnostics::Line LossScaleTimeline::line(const std::string& name) const {
  return detail::or_out_of_memory([&] {
    diagnostics::Line line = line_;
    line.name = name;
    return line;
  });
}

AMP_COLD diagnostics::Chart LossScaleTimeline::empty_chart() {
  return {.title = "Loss scale", .x_label = "step", .y_label = "scale", .powers_of_two = true};
}

AMP_COLD std::string LossScaleTimeline::to_svg(const std::string& name) const {
  diagnostics::Chart chart = empty_chart();
  detail::or_out_of_memory([&] { chart.lines.push_back(line(name)); });
  return diagnostics::to_svg(chart);
}

}  // namespace amp::inline v0
