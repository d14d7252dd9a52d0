// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "amp/core/error.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/train_step.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0 {
namespace detail {

/// The last pass of an optimizer, as text for an error.
AMP_COLD std::string describe_overflow(const std::vector<LedgerPass>& passes) {
  if (passes.empty()) return "no pass was recorded";
  const LedgerPass& pass = passes.back();
  std::string text = "the scale was " + real_text(pass.scale);
  if (pass.losses != 0) {
    text += ", the loss " + real_text(pass.loss);
    if (pass.loss_finite && !pass.scaled_loss_finite) text += ", which overflowed once scaled";
  }
  for (const LedgerEntry& entry : pass.gradients) {
    if (!entry.is_bad()) continue;
    return text + "; " + std::to_string(pass.bad_gradients()) + " of " +
           std::to_string(pass.gradients.size()) +
           " gradients were not finite, the first that of " + entry.name + ", with " +
           std::to_string(entry.infs) + " inf and " + std::to_string(entry.nans) + " NaN among " +
           std::to_string(entry.elements) + " elements, from element " +
           std::to_string(entry.first_bad) + " on";
  }
  return text + "; every gradient was finite, but not their norm";
}

}  // namespace detail

AMP_COLD TrainStep::TrainStep(GradScaler& scaler, const TrainStepOptions& options)
    : scaler_(scaler), options_(detail::or_out_of_memory([&] { return options; })) {
  AMP_CHECK(!options.max_norm || *options.max_norm > 0,
            "TrainStep: `max_norm` must be above 0, "
            "but is ",
            options.max_norm.value_or(0));
  AMP_CHECK(options.on_skip <= OnSkip::kStop, "TrainStep: `on_skip` is no OnSkip, but ",
            static_cast<int>(options.on_skip));
  AMP_CHECK(options.max_reruns >= 0, "TrainStep: `max_reruns` must not be negative, but is ",
            options.max_reruns);
  AMP_CHECK(options.float32_steps >= 1, "TrainStep: `float32_steps` must be at least 1, but is ",
            options.float32_steps);
}

AMP_INLINE TrainStep::~TrainStep() = default;

AMP_INLINE TrainStepResult TrainStep::run_once(const Calls& calls, GradScaler& scaler,
                                               const AutocastOptions& autocast) {
  TrainStepResult result;
  calls.zero_grad();
  {
    const AutocastGuard scope(options_.device, autocast);
    result.loss = calls.loss();
  }
  AMP_CHECK(result.loss.defined(), "TrainStep: the loss function returned an undefined tensor");
  scaler.scale(result.loss).backward();
  result.loss = result.loss.detach();  // without the graph
  if (options_.max_norm) result.norm = calls.clip(scaler);
  result.step = calls.step(scaler);
  scaler.update();
  return result;
}

AMP_COLD TrainStepResult TrainStep::run_in_float32(const Calls& calls) {
  if (unscaled_ == nullptr) {
    detail::or_out_of_memory([&] {
      unscaled_ = std::make_unique<GradScaler>(
          GradScalerOptions{.policy = ScalePolicy::kNone, .agree = scaler_.agree()});
    });
  }
  AutocastOptions off;
  off.enabled = false;
  TrainStepResult result = run_once(calls, *unscaled_, off);
  result.float32 = true;
  --float32_left_;
  return result;
}

AMP_INLINE TrainStepResult TrainStep::run(const Calls& calls) {
  if (float32_left_ > 0) return run_in_float32(calls);
  const RngState random = get_rng_state();
  TrainStepResult result = run_once(calls, scaler_, options_.autocast);
  if (options_.on_skip == OnSkip::kSkip) return result;
  int reruns = 0;
  while (options_.on_skip == OnSkip::kRerun && reruns < options_.max_reruns && result.skipped()) {
    set_rng_state(random);
    result = run_once(calls, scaler_, options_.autocast);
    result.reruns = ++reruns;
  }
  if (options_.on_skip == OnSkip::kFloat32 && result.skipped())
    float32_left_ = options_.float32_steps;
  if (options_.on_skip == OnSkip::kStop && result.skipped()) stop(calls);
  return result;
}

AMP_COLD void TrainStep::stop(const Calls& calls) const {
  std::string text;
  detail::or_out_of_memory([&] {
    text = options_.report           ? options_.report(scaler_)
           : scaler_.keeps_ledgers() ? detail::describe_overflow(calls.passes(scaler_))
                                     : "a scaler with GradScalerOptions{.ledger = 16} would name "
                                       "the gradient";
  });
  detail::fail("TrainStep: a step was skipped, as a gradient was not finite: ", text);
}

}  // namespace amp::inline v0
