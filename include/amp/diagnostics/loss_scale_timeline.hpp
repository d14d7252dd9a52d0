// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loss scale over the steps of a training, and the skipped steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "amp/diagnostics/chart.hpp"

namespace amp::inline v0 {

/// Collects the scale of a GradScaler after each step, or after some of them:
///
///     timeline.add(step, scaler.get_scale(), result.skipped());
///
/// get_scale() and skipped() synchronise; the timeline itself does not.
class LossScaleTimeline {
 public:
  /// Adds the scale after a step, or after several steps, and whether any of them was skipped.
  /// Throws if `step` is not above the last one, or if the scale is not finite and above 0.
  void add(std::int64_t step, double scale, bool skipped = false);

  /// The number of additions.
  std::size_t size() const { return line_.points.size(); }
  /// The number of additions with a skipped step.
  std::size_t skips() const { return line_.crosses.size(); }

  /// Returns a line for a chart of several trainings; a cross is a skipped step.
  diagnostics::Line line(const std::string& name) const;
  /// Returns a chart with the axes for such lines.
  static diagnostics::Chart empty_chart();
  /// Returns a chart of this timeline as SVG. Its line has the given name.
  std::string to_svg(const std::string& name = "scale") const;

 private:
  diagnostics::Line line_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/loss_scale_timeline.ipp"
#endif
