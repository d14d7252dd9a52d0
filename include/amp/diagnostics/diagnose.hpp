// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Why a GradScaler skipped a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "amp/scaler/grad_scaler.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Why a step was skipped.
enum class DiagnosisKind : std::uint8_t {
  /// No pass that the ledgers keep saw a gradient that is not finite.
  kNoSkip,
  /// A weight is not finite. Only found among the parameters that diagnose() is given.
  kWeight,
  /// The loss was not finite before it was scaled: it came from the data, the activations or the
  /// weights. Scaling cannot help.
  kLoss,
  /// The loss was finite, and not so once scaled: loss * scale is too large for float32.
  kScaledLoss,
  /// The loss was finite, gradients were infinite: the scale was too large for the range of the
  /// gradients' dtype. The scale backs off by itself.
  kInfinities,
  /// Every gradient was finite, but not their norm, by which unscale_and_clip was to clip.
  kNorm,
  /// Backward computes what is not finite from a finite loss: NaN without any infinity, or bad
  /// gradients although the scale is 1 or less, or many skips in a row. Scaling cannot help.
  kBackward,
};

/// What diagnose() found out about the last pass that left a step out.
struct Diagnosis {
  DiagnosisKind kind = DiagnosisKind::kNoSkip;
  std::int64_t passes = 0;          // cycles that the ledgers know
  std::int64_t pass = 0;            // the number of the one that this is about (LedgerPass::number)
  std::int64_t passes_ago = 0;      // how many cycles came after it
  std::int64_t skips_in_a_row = 0;  // up to that one, as far as the ledgers go back
  double scale = 0;                 // then
  double loss = 0;                  // unscaled, if there was one
  std::int64_t losses = 0;

  // The first gradient that was not finite, if there is any: `gradient` is -1 otherwise.
  std::size_t optimizer = 0;   // its number among scaler.ledgers()
  std::int64_t gradient = -1;  // its number among those of the pass
  std::string parameter = {};  // LedgerEntry::name
  std::int64_t element = -1, elements = 0;
  std::int64_t infs = 0, nans = 0;  // in that gradient

  // All optimizers of the pass together.
  std::int64_t bad_gradients = 0, gradients = 0;
  /// The last gradient that was not finite. Backward comes to the last layers first, so this is
  /// near to where it began if an optimizer has its parameters in the order of the layers.
  std::string last_parameter = {};

  // The first weight that is not finite now, if there is any.
  std::string weight = {};
  std::int64_t weight_element = -1;
  bool weight_is_nan = false;
};

/// Why a step was skipped: reads the ledgers of all optimizers of the scaler, and looks at the
/// last cycle among them that saw a gradient that was not finite. Best called after update().
///
/// Errors: amp::Error unless GradScalerOptions::ledger is above 0. For a disabled scaler there are
/// no passes, so the answer is kNoSkip.
/// Synchronises, so it is for when something went wrong, or once in a while.
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
/// The same, and whether one of these weights is not finite, by its name: a model's
/// named_parameters(), say. Throws if one is undefined.
Diagnosis diagnose(const GradScaler& scaler, const NamedTensors& parameters);
/// The same for an optimizer's parameters(), which go by their numbers: "parameter 3".
Diagnosis diagnose(const GradScaler& scaler, const std::vector<Tensor>& parameters);

/// A few sentences: what happened, and what to do.
std::string to_string(const Diagnosis& diagnosis);
std::ostream& operator<<(std::ostream& out, const Diagnosis& diagnosis);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/diagnose.ipp"
#endif
