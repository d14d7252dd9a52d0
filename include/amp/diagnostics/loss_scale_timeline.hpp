// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Says where drawing went.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// In version 0.2 a chart of the scale over the steps. To make one, collect get_scale() and
/// skipped() after each step.
struct LossScaleTimeline {
  LossScaleTimeline() = delete;  // the examples draw: examples/trainer/chart.hpp
};

}  // namespace amp::inline v0
