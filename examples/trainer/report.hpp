// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What remains of a training: a folder with a page to look at, its curves as SVG and its numbers as
// JSON.
#pragma once

#include "trainer/options.hpp"
#include "trainer/summary.hpp"

#include <amp/diagnostics.hpp>

#include <string>
#include <vector>

namespace examples {

/// What summary.json holds. Numbers that are not finite are null.
std::string to_json(const Options& options, const std::vector<Result>& results);

struct Charts {
  using Chart = amp::diagnostics::Chart;

  Chart loss{.title = "Training loss", .x_label = "step", .y_label = "cross entropy"};
  Chart accuracy{.title = "Test accuracy", .x_label = "epoch", .y_label = "%"};
  Chart scale = amp::LossScaleTimeline::empty_chart();
};

/// Of the first seed of each precision.
Charts charts_of(const std::vector<Result>& results);

struct Figure {
  std::string svg = {}, caption = {};
};

/// What report.html holds.
std::string to_html(const Options& options, const std::vector<Result>& results,
                    const std::vector<Figure>& figures);

/// A histogram of the activations' gradients for each precision that has one; amp-fp16's comes
/// first, as that is the one that gradient scaling is for.
std::vector<const Result*> with_gradients(const std::vector<Result>& results);

/// Writes report.html, which needs no other file, and the same as summary.json, loss.svg,
/// accuracy.svg, loss_scale.svg and gradients.svg; gradients-NAME.svg is that of a further
/// precision. Of one step of each precision, precisions-NAME.txt says what ran in which precision,
/// trace-NAME.txt how long it took, and trace-NAME.json is the same for chrome://tracing.
void write_report(const Options& options, const std::vector<Result>& results);

}  // namespace examples
