// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loss scale over the steps of a training, and which of these were skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "amp/diagnostics/chart.hpp"

namespace amp::inline v0 {

/// Collects what a GradScaler said after each step, or after some of them:
///
///     timeline.add(step, scaler.get_scale(), result.skipped());
///
/// Reading these synchronises; the timeline itself does not.
class LossScaleTimeline {
 public:
  /// The scale after a step, or after the last of some steps of which one or more were skipped.
  /// Throws if the step is not after the one before, or if the scale is not finite and above 0.
  void add(std::int64_t step, double scale, bool skipped = false);

  /// How many steps were added.
  std::size_t size() const { return line_.points.size(); }
  /// The additions with a skipped step among them.
  std::size_t skips() const { return line_.crosses.size(); }

  /// For a chart of several trainings; a cross is a skipped step.
  diagnostics::Line line(const std::string& name) const;
  /// The axes of such a chart, without lines.
  static diagnostics::Chart empty_chart();
  /// A chart of this one, whose line has the name.
  std::string to_svg(const std::string& name = "scale") const;

 private:
  diagnostics::Line line_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/loss_scale_timeline.ipp"
#endif
