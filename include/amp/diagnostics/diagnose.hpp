// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The reason why a GradScaler skipped a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "amp/scaler/grad_scaler.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The reasons to skip a step.
enum class DiagnosisKind : std::uint8_t {
  /// None of the passes in the ledgers had a gradient that is not finite.
  kNoSkip,
  /// A weight is not finite. Only tested for the parameters that are passed to diagnose().
  kWeight,
  /// The loss was not finite before it was scaled, because of the data, the activations or the
  /// weights. Scaling cannot help.
  kLoss,
  /// The loss was finite, but the scaled loss was not: loss * scale is too large for float32.
  kScaledLoss,
  /// The loss was finite, but gradients were infinite: the scale was too large for the range of the
  /// gradients' dtype. The scale backs off by itself.
  kInfinities,
  /// Every gradient was finite, but not their norm, which unscale_and_clip needs.
  kNorm,
  /// Backward computes non-finite values from a finite loss: NaN without any infinity, bad
  /// gradients although the scale is 1 or less, or many skips in a row. Scaling cannot help.
  kBackward,
};

/// The result of diagnose(): the last pass that skipped a step.
struct Diagnosis {
  DiagnosisKind kind = DiagnosisKind::kNoSkip;
  std::int64_t passes = 0;          // the number of cycles in the ledgers
  std::int64_t pass = 0;            // the number of the diagnosed cycle (LedgerPass::number)
  std::int64_t passes_ago = 0;      // the number of later cycles
  std::int64_t skips_in_a_row = 0;  // up to this cycle, as far as the ledgers go back
  double scale = 0;                 // in this cycle
  double loss = 0;                  // unscaled, if there was one
  std::int64_t losses = 0;          // the number of losses in this cycle

  // The first gradient that was not finite; if there is none, `gradient` is -1.
  std::size_t optimizer = 0;                // its index in scaler.ledgers()
  std::int64_t gradient = -1;               // its index among the gradients of the pass
  std::string parameter = {};               // LedgerEntry::name
  std::int64_t element = -1, elements = 0;  // the first bad element, and the number of elements
  std::int64_t infs = 0, nans = 0;          // in this gradient

  // For all optimizers of the pass together.
  std::int64_t bad_gradients = 0, gradients = 0;
  /// The last gradient that was not finite. Backward reaches the last layers first, so this is near
  /// the origin of the error if an optimizer has its parameters in the order of the layers.
  std::string last_parameter = {};

  // The first weight that is not finite now, if there is any.
  std::string weight = {};
  std::int64_t weight_element = -1;
  bool weight_is_nan = false;
};

/// Returns why a step was skipped: reads the ledgers of all optimizers of the scaler, and diagnoses
/// the last cycle with a gradient that was not finite. Best called after update().
///
/// Errors: throws amp::Error unless GradScalerOptions::ledger is above 0. A disabled scaler has no
/// passes, so the result is kNoSkip.
/// Synchronises: call it only after an error, or rarely.
///
/// ```cpp
/// const amp::Tensor w = amp::ones({2}, {.requires_grad = true});
/// amp::SGD optimizer(amp::NamedTensors{{"fc.weight", w}}, {.lr = 0.1});
/// amp::GradScaler scaler({.ledger = 16});
/// scaler.scale(amp::sum(w * 1e35)).backward();
/// scaler.step(optimizer);
/// scaler.update();
/// const amp::Diagnosis diagnosis = amp::diagnose(scaler);
/// assert(diagnosis.kind == amp::DiagnosisKind::kScaledLoss);
/// assert(to_string(diagnosis).find("loss") != std::string::npos);
/// ```
Diagnosis diagnose(const GradScaler& scaler);
/// Also tests these weights, such as a model's named_parameters(), and names the first that is not
/// finite. Throws if one is undefined.
Diagnosis diagnose(const GradScaler& scaler, const NamedTensors& parameters);
/// The same for an optimizer's parameters(), which are named by their indices: "parameter 3".
Diagnosis diagnose(const GradScaler& scaler, const std::vector<Tensor>& parameters);

/// Returns a few sentences that say what happened, and what to do.
std::string to_string(const Diagnosis& diagnosis);
std::ostream& operator<<(std::ostream& out, const Diagnosis& diagnosis);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/diagnose.ipp"
#endif
