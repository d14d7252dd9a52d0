// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One step of a training loop, and what it does if the step is skipped: a policy over the public
// calls of a GradScaler. Not part of <amp/amp.hpp>.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "amp/autocast/state.hpp"
#include "amp/core/function_ref.hpp"
#include "amp/core/not_options.hpp"
#include "amp/scaler/grad_scaler.hpp"

namespace amp::inline v0 {

/// What a TrainStep does if the scaler skipped the step. All but kSkip synchronise once per step.
enum class OnSkip : std::uint8_t {
  /// Nothing: the next batch is run with a lower scale.
  kSkip,
  /// Runs the same batch again at the new scale, with the same random numbers, at most max_reruns
  /// times; then it is skipped. Each run updates buffers that the forward pass writes (running
  /// statistics of batch_norm), and counts in the scaler's counters.
  kRerun,
  /// Runs the next float32_steps steps with autocast off and the loss not scaled. The scaler and
  /// its scale stay as they are. Bad steps are still skipped.
  kFloat32,
  /// Throws amp::Error with a report. The weights are those from before the step, the scale has
  /// backed off, and training may go on.
  kStop,
};

/// The options of a TrainStep.
struct TrainStepOptions {
  DeviceType device = kCPU;             // the device type of the autocast scope
  AutocastOptions autocast = {};        // the scope in which the loss is computed
  std::optional<double> max_norm = {};  // the norm to clip the gradients by; unset: no clipping
  OnSkip on_skip = OnSkip::kSkip;
  int max_reruns = 3;
  int float32_steps = 100;
  /// Returns the report in the error of OnSkip::kStop: amp::diagnose, for example. If unset, the
  /// report is the loss and the first bad gradient, if the scaler keeps a ledger.
  std::function<std::string(const GradScaler&)> report = {};
};

/// The result of a TrainStep.
struct TrainStepResult {
  Tensor loss;           // the loss of the last run, not scaled
  Tensor norm;           // the norm before clipping; undefined without max_norm
  StepResult step;       // the step of the last run
  int reruns = 0;        // how often the batch was run again
  bool float32 = false;  // whether OnSkip::kFloat32 made the step run in float32

  /// Returns whether the step was skipped. Synchronises.
  bool skipped() const { return step.skipped(); }
};

/// An optimizer that a GradScaler can step, and that has zero_grad().
template <class O>
concept TrainableOptimizer = OptimizerLike<O> && requires(O& optimizer) {
  optimizer.zero_grad();
};

/// A training step with one optimizer: zero_grad(), the loss within an autocast scope, scale and
/// backward, clipping, step, update().
///
/// Errors: throws amp::Error if an option is not valid or the loss is undefined, and the errors of
/// the calls above. After an error, the next call begins a new step. Synchronisation: none with
/// OnSkip::kSkip.
///
/// ```cpp
/// const amp::Tensor x = amp::randn({8, 4}), w = amp::randn({2, 4}, {.requires_grad = true});
/// amp::SGD optimizer({w}, {.lr = 0.1});
/// amp::GradScaler scaler;
/// amp::TrainStep train(scaler, {.max_norm = 1.0, .on_skip = amp::OnSkip::kRerun});
/// for (int step = 0; step < 3; ++step) {
///   const auto result = train(optimizer, [&] { return amp::mean(amp::linear(x, w)); });
///   assert(!result.skipped() && result.reruns == 0);
/// }
/// ```
class TrainStep {
 public:
  /// The scaler must outlive the TrainStep.
  explicit TrainStep(GradScaler& scaler, const TrainStepOptions& options = {});
  template <detail::NotOptions<TrainStepOptions> ByPlace, class... More>
  TrainStep(GradScaler&, ByPlace, More...) = delete;  // write {.max_norm = 1}
  TrainStep(const TrainStep&) = delete;
  TrainStep& operator=(const TrainStep&) = delete;
  ~TrainStep();

  /// Makes one step. `loss_function()` computes the loss of the batch; it is called once per run.
  template <TrainableOptimizer O, std::invocable F>
  requires std::convertible_to<std::invoke_result_t<F&>, Tensor> TrainStepResult
  operator()(O& optimizer, F&& loss_function) {
    const auto zero_grad = [&] { optimizer.zero_grad(); };
    const auto loss = [&]() -> Tensor { return loss_function(); };
    const auto clip = [&](GradScaler& scaler) {
      return scaler.unscale_and_clip(optimizer, *options_.max_norm);
    };
    const auto step = [&](GradScaler& scaler) { return scaler.step(optimizer); };
    const auto passes = [&](GradScaler& scaler) { return scaler.ledger(optimizer).read(); };
    return run({zero_grad, loss, clip, step, passes});
  }

  /// Returns how many of the next steps will run in float32.
  int float32_steps_left() const { return float32_left_; }

 private:
  struct Calls {
    FunctionRef<void()> zero_grad;
    FunctionRef<Tensor()> loss;
    FunctionRef<Tensor(GradScaler&)> clip;
    FunctionRef<StepResult(GradScaler&)> step;
    FunctionRef<std::vector<LedgerPass>(GradScaler&)> passes;
  };

  TrainStepResult run(const Calls& calls);
  TrainStepResult run_once(const Calls& calls, GradScaler& scaler, const AutocastOptions& autocast);
  TrainStepResult run_in_float32(const Calls& calls);
  [[noreturn]] void stop(const Calls& calls) const;

  GradScaler& scaler_;
  TrainStepOptions options_;
  std::unique_ptr<GradScaler> unscaled_;  // of steps in float32: its scale is 1
  int float32_left_ = 0;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/train_step.ipp"
#endif
