// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The report of a training: a folder with an HTML page, its curves as SVG and its numbers as JSON.
#pragma once

#include "trainer/chart.hpp"
#include "trainer/options.hpp"
#include "trainer/summary.hpp"

#include <amp/diagnostics.hpp>

#include <string>
#include <vector>

namespace examples {

/// Returns the text of summary.json. Numbers that are not finite are null.
std::string to_json(const Options& options, const std::vector<Result>& results);

struct Charts {
  Chart loss{.title = "Training loss", .x_label = "step", .y_label = "cross entropy"};
  Chart accuracy{.title = "Test accuracy", .x_label = "epoch", .y_label = "%"};
  Chart scale{.title = "Loss scale", .x_label = "step", .y_label = "scale", .powers_of_two = true};
};

/// Returns the curves of the first seed of each precision.
Charts charts_of(const std::vector<Result>& results);

struct Figure {
  std::string svg = {}, caption = {};
};

/// Returns the text of report.html.
std::string to_html(const Options& options, const std::vector<Result>& results,
                    const std::vector<Figure>& figures);

/// Returns one result with a histogram of the activations' gradients for each precision that has
/// one; amp-fp16 comes first, because it needs gradient scaling.
std::vector<const Result*> with_gradients(const std::vector<Result>& results);

/// Writes report.html, which needs no other file, and its content as summary.json, loss.svg,
/// accuracy.svg, loss_scale.svg and gradients.svg, with gradients-NAME.svg for further precisions.
/// For one step of each precision, precisions-NAME.txt lists the precision of each op,
/// trace-NAME.txt its time, and trace-NAME.json is a timeline for chrome://tracing.
void write_report(const Options& options, const std::vector<Result>& results);

}  // namespace examples
