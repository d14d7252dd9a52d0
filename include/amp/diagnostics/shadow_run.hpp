// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One computation in two precisions, compared op by op.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "amp/autocast/state.hpp"
#include "amp/core/function_ref.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// The comparison of an op, or of the gradients of a backward function, in both runs.
struct ShadowEntry {
  std::string name = {};
  std::string module = {};
  bool backward = false;
  DType dtype = kFloat32, reference_dtype = kFloat32;  // of the result, or of the worst gradient
  double relative_error = 0;  // ||x - reference|| / ||reference||, L2; NaN if one is not finite
  double max_error = 0;       // the largest |x - reference|
  std::int64_t worst = -1;    // the index of that element; -1: none
  bool finite = true, reference_finite = true;
};

/// The result of shadow_run().
struct ShadowReport {
  std::vector<ShadowEntry> entries = {};    // in the order of the first run
  std::vector<std::string> unmatched = {};  // ops that only one of the runs had

  /// Returns the first entry whose relative error is above `tolerance`, or that is finite in only
  /// one of the runs.
  std::optional<ShadowEntry> first_divergence(double tolerance) const;
  /// Returns a table in which the first divergence is marked.
  std::string to_string(double tolerance = 0.01) const;
};

std::ostream& operator<<(std::ostream& out, const ShadowReport& report);

/// Runs `step` under the autocast scope `low`, and again under `reference` (by default without
/// autocast), and compares the results op by op.
///
/// Meaning: `step` computes a loss, and may call backward on it. Both runs draw the same random
/// numbers. They must use the same weights, so `step` must not call an optimizer. The results of
/// ops that no other op contains, and the gradients of backward functions, are compared with those
/// of the same op in the same module, in order. Casts are not compared. An autocast scope that
/// `step` opens itself overrides `low` and `reference`, so it should open none.
/// Side effects: gradients of leaves and statistics of batch norm are accumulated by both runs;
/// call zero_grad() afterwards.
/// Cost: the results of both runs are held in memory until they are compared. Synchronises.
///
/// ```cpp
/// const amp::nn::Linear layer(64, 8);
/// const amp::Tensor x = amp::randn({4, 64});
/// const amp::ShadowReport report =
///     amp::shadow_run([&] { (void)amp::exp(layer(x)); }, {amp::kCPU, {.dtype = amp::kBFloat16}});
/// assert(report.entries.size() == 2 && report.entries[0].name == "linear");
/// assert(report.entries[0].relative_error < 0.02);
/// ```
///
/// Errors: passes on what `step` throws, and then restores the random stream to its state before
/// the first run.
ShadowReport shadow_run(
    FunctionRef<void()> step, const std::pair<DeviceType, AutocastOptions>& low,
    const std::optional<std::pair<DeviceType, AutocastOptions>>& reference = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/shadow_run.ipp"
#endif
