// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One step of a training loop, and what it does besides leaving the step out if a gradient is not
// finite.
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
#include "amp/scaler/grad_scaler.hpp"

namespace amp::inline v0 {

/// What a TrainStep does about a step that the scaler skipped. All but kSkip wait for the device
/// once a step.
enum class OnSkip : std::uint8_t {
  /// Nothing: the next batch comes with a lower scale.
  kSkip,
  /// The same batch again at the new scale, with the same random numbers, at most max_reruns times;
  /// then it is skipped. Buffers that the forward pass writes (running statistics of batch_norm)
  /// see the batch again, and each run counts in the scaler's counters.
  kRerun,
  /// The next float32_steps steps run with autocast off and the loss not scaled; the scaler and its
  /// scale stay as they are meanwhile. Bad steps are still skipped.
  kFloat32,
  /// Throws amp::Error with what is known of it. The weights are those from before the step, the
  /// scale has backed off, and training may go on.
  kStop,
};

struct TrainStepOptions {
  DeviceType device = kCPU;             // of the autocast scope
  AutocastOptions autocast = {};        // in which the loss is computed
  std::optional<double> max_norm = {};  // to clip the gradients by; unset: not clipped
  OnSkip on_skip = OnSkip::kSkip;
  int max_reruns = 3;
  int float32_steps = 100;
  /// What the error of OnSkip::kStop says: amp::diagnose, for example. Unset: the loss and the
  /// first bad gradient, if the scaler keeps a ledger.
  std::function<std::string(const GradScaler&)> report = {};
};

struct TrainStepResult {
  Tensor loss;      // not scaled, of the last run
  Tensor norm;      // before clipping; undefined without max_norm
  StepResult step;  // of the last run
  int reruns = 0;
  bool float32 = false;  // whether it ran so because of OnSkip::kFloat32

  /// Synchronises when asked, not before.
  bool skipped() const { return step.skipped(); }
};

/// Anything that a GradScaler takes, and whose gradients can be forgotten.
template <class O>
concept TrainableOptimizer = OptimizerLike<O> && requires(O& optimizer) {
  optimizer.zero_grad();
};

/// The order of a training step with one optimizer: zero_grad(), the loss within an autocast scope,
/// scale and backward, clipping, step, update().
///
/// Errors: amp::Error for options that cannot work, for a loss that is undefined, and those of the
/// calls it makes; after any error the next call begins anew.
/// Synchronisation: none with OnSkip::kSkip.
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
  /// The scaler must outlive it.
  explicit TrainStep(GradScaler& scaler, const TrainStepOptions& options = {});
  TrainStep(const TrainStep&) = delete;
  TrainStep& operator=(const TrainStep&) = delete;
  ~TrainStep();

  /// `loss_function()` computes the loss of the batch; it is called once for each run.
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

  /// How many of the next steps run in float32.
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
