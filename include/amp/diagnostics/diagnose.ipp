// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iterator>
#include <new>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/diagnostics/diagnose.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/ledger.hpp"

namespace amp::inline v0 {
namespace detail {

using LedgerPasses = std::vector<std::vector<LedgerPass>>;  // by optimizer

/// From this number of skips in a row on, the scale is not the reason: it was halved that often.
inline constexpr std::int64_t kManySkips = 10;

/// The cycles in the ledgers, and those of them that skipped a step.
struct LedgerCycles {
  std::set<std::int64_t> all, bad;

  explicit LedgerCycles(const LedgerPasses& passes) {
    for (const auto& of_optimizer : passes) {
      for (const LedgerPass& pass : of_optimizer) {
        all.insert(pass.number);
        if (pass.found_inf) bad.insert(pass.number);
      }
    }
  }
};

/// Adds an optimizer's pass of the diagnosed cycle.
AMP_COLD void add_pass(Diagnosis& d, std::size_t optimizer, const LedgerPass& pass,
                       bool& scaled_loss_finite, bool& loss_finite) {
  d.scale = pass.scale;
  if (pass.losses >= d.losses) {
    d.losses = pass.losses;
    d.loss = pass.loss;
  }
  loss_finite = loss_finite && pass.loss_finite;
  scaled_loss_finite = scaled_loss_finite && pass.scaled_loss_finite;
  d.gradients += static_cast<std::int64_t>(pass.gradients.size());
  for (std::size_t g = 0; g < pass.gradients.size(); ++g) {
    const LedgerEntry& entry = pass.gradients[g];
    if (!entry.is_bad()) continue;
    ++d.bad_gradients;
    d.last_parameter = entry.name;
    if (d.gradient >= 0) continue;
    d.optimizer = optimizer;
    d.gradient = static_cast<std::int64_t>(g);
    d.parameter = entry.name;
    d.element = entry.first_bad;
    d.elements = entry.elements;
    d.infs = entry.infs;
    d.nans = entry.nans;
  }
}

AMP_COLD Diagnosis diagnose_passes(const LedgerPasses& passes) {
  Diagnosis d;
  const LedgerCycles cycles(passes);
  d.passes = static_cast<std::int64_t>(cycles.all.size());
  if (cycles.bad.empty()) return d;
  d.pass = *cycles.bad.rbegin();
  d.passes_ago = std::distance(cycles.all.find(d.pass), cycles.all.end()) - 1;
  for (auto cycle = cycles.all.find(d.pass); cycles.bad.contains(*cycle); --cycle) {
    ++d.skips_in_a_row;
    if (cycle == cycles.all.begin()) break;
  }
  bool loss_finite = true, scaled_loss_finite = true, any_inf = false;
  for (std::size_t o = 0; o < passes.size(); ++o) {
    for (const LedgerPass& pass : passes[o]) {
      if (pass.number != d.pass) continue;
      add_pass(d, o, pass, scaled_loss_finite, loss_finite);
      for (const LedgerEntry& entry : pass.gradients) any_inf = any_inf || entry.infs != 0;
    }
  }
  const bool helpless = !any_inf || d.scale <= 1 || d.skips_in_a_row >= kManySkips;
  d.kind = !loss_finite           ? DiagnosisKind::kLoss
           : !scaled_loss_finite  ? DiagnosisKind::kScaledLoss
           : d.bad_gradients == 0 ? DiagnosisKind::kNorm
           : helpless             ? DiagnosisKind::kBackward
                                  : DiagnosisKind::kInfinities;
  return d;
}

/// Sets the weight of the diagnosis if this is the first one that is not finite.
AMP_COLD void look_at_weight(Diagnosis& d, std::string name, const Tensor& weight) {
  AMP_CHECK(weight.defined(), "diagnose: parameter ", name, " is undefined");
  if (d.weight_element >= 0 || !is_floating_point(weight.dtype())) return;
  const GradientSummary seen = summarize(weight);
  if (!seen.is_bad()) return;
  d.kind = DiagnosisKind::kWeight;
  d.weight = std::move(name);
  d.weight_element = seen.first_bad;
  d.weight_is_nan = seen.nans != 0;
}

/// For example "3 inf", "2 NaN", or both.
AMP_COLD std::string count_bad(std::int64_t infs, std::int64_t nans) {
  std::string text;
  if (infs != 0) text = std::to_string(infs) + " inf";
  if (nans != 0) text += (text.empty() ? "" : " and ") + std::to_string(nans) + " NaN";
  return text;
}

AMP_COLD std::string describe_gradient(const Diagnosis& d) {
  if (d.gradient < 0) return "";
  std::string text =
      " " + std::to_string(d.bad_gradients) + " of " + std::to_string(d.gradients) + " gradients " +
      (d.bad_gradients == 1 ? "was" : "were") + " not finite; the first was that of " +
      d.parameter + " (gradient " + std::to_string(d.gradient) + " of optimizer " +
      std::to_string(d.optimizer) + ") with " + count_bad(d.infs, d.nans) + " among " +
      std::to_string(d.elements) + " elements, from element " + std::to_string(d.element) + " on";
  if (d.bad_gradients > 1)
    text += "; the last, which backward reaches first as a rule, was that of " + d.last_parameter;
  return text + ".";
}

/// Returns sentences that say what happened, with the loss and the scale, and what to do.
AMP_COLD std::string explain(const Diagnosis& d) {
  const std::string scale = real_text(d.scale), loss = real_text(d.loss);
  switch (d.kind) {
    case DiagnosisKind::kNoSkip:
    case DiagnosisKind::kWeight:
      return "";
    case DiagnosisKind::kLoss:
      return " The loss was " + loss +
             " before it was scaled: the data, the activations or the weights were not finite, or "
             "the forward pass overflowed. Scaling cannot help. Run the forward pass within an "
             "amp::AnomalyGuard, which names the op, and check the batch.";
    case DiagnosisKind::kScaledLoss:
      return " The loss was finite, " + loss + ", but " + loss + " * " + scale +
             " overflowed float32. The scale backs off by itself; if it grows back to this again "
             "and again, lower max_scale, or take the mean of the loss instead of the sum.";
    case DiagnosisKind::kInfinities:
      return " The loss was finite: scaled by " + scale +
             ", gradients were too large for their dtype. That is what a loss scale is expected to "
             "do now and then: it backs off by itself, and nothing is to be done.";
    case DiagnosisKind::kNorm:
      return " Every gradient was finite, but the norm to clip by was too large for float32: "
             "training diverges. Lower the learning rate, or look at the largest gradients.";
    case DiagnosisKind::kBackward:
      break;
  }
  std::string text = " The loss was finite";
  text += d.infs == 0    ? ", and NaN came without an infinity"
          : d.scale <= 1 ? ", and the scale was only " + scale
                         : ", and " + std::to_string(d.skips_in_a_row) +
                               " steps in a row were skipped, down to a scale of " + scale;
  return text +
         ": backward itself computes NaN or infinity, as the derivative of sqrt at 0 does, or a "
         "division by 0. Scaling cannot help. Run backward within an amp::AnomalyGuard, which "
         "names the op." +
         (d.scale > 1 && d.skips_in_a_row == 1
              ? " If the next steps are good, it was an infinity that met a 0."
              : "");
}

}  // namespace detail

AMP_COLD Diagnosis diagnose(const GradScaler& scaler) { return diagnose(scaler, NamedTensors()); }

AMP_COLD Diagnosis diagnose(const GradScaler& scaler, const NamedTensors& parameters) try {
  AMP_CHECK(!scaler.is_enabled() || scaler.keeps_ledgers(),
            "diagnose: the scaler records no passes; make it with GradScalerOptions{.ledger = 16}");
  detail::LedgerPasses passes;
  for (const GradientLedger& ledger : scaler.ledgers()) passes.push_back(ledger.read());
  Diagnosis diagnosis = detail::diagnose_passes(passes);
  for (const auto& [name, weight] : parameters) detail::look_at_weight(diagnosis, name, weight);
  return diagnosis;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_COLD Diagnosis diagnose(const GradScaler& scaler, const std::vector<Tensor>& parameters) try {
  NamedTensors named;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    named.emplace_back("parameter " + std::to_string(i), parameters[i]);
  return diagnose(scaler, named);
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_COLD std::string to_string(const Diagnosis& d) try {
  std::string text;
  if (d.kind == DiagnosisKind::kWeight)
    text = "A weight is not finite: element " + std::to_string(d.weight_element) + " of " +
           d.weight + " is " + (d.weight_is_nan ? "NaN" : "inf") +
           ". Every loss from here on is likely not to be finite, and scaling cannot help: go back "
           "to a checkpoint, and look at the step that wrote it (its learning rate, a gradient "
           "that was not clipped, a step without the scaler).";
  if (d.passes == 0) {
    text += text.empty() ? "" : " ";
    return text +
           "The ledger has no pass yet: no optimizer was unscaled or stepped, or the scaler "
           "is disabled.";
  }
  if (d.pass == 0) {
    text += text.empty() ? "" : " ";
    return text + "No step was skipped among the last " + std::to_string(d.passes) +
           " passes: all gradients were finite.";
  }
  text += text.empty() ? "" : " ";
  text += "Pass " + std::to_string(d.pass) + ", " +
          (d.passes_ago == 0 ? std::string("the last one")
                             : std::to_string(d.passes_ago) + " before the last") +
          ", skipped a step at a scale of " + detail::real_text(d.scale) + ".";
  return text + detail::explain(d) + detail::describe_gradient(d);
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_COLD std::ostream& operator<<(std::ostream& out, const Diagnosis& diagnosis) {
  return out << to_string(diagnosis);
}

}  // namespace amp::inline v0
