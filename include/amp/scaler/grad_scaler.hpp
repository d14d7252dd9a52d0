// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling for the training loop.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "amp/kernels/unscale/args.hpp"
#include "amp/scaler/concepts.hpp"
#include "amp/scaler/cycle.hpp"
#include "amp/scaler/device_scale.hpp"
#include "amp/scaler/ledger.hpp"
#include "amp/scaler/state.hpp"
#include "amp/scaler/statistics_result.hpp"
#include "amp/scaler/step_result.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {
namespace detail {
[[noreturn]] void refuse_closure();
}

/// Dynamic loss scaling.
///
/// Meaning: backward starts from loss * S, so that gradients of float16 do not underflow; the
/// step's gradients are divided by S again. Where one is not finite, before or after the division,
/// the step is skipped and S is lowered; after growth_interval good steps S is raised
/// (kernels::update_scale, by ScalePolicy).
/// Order: each optimizer goes ready -> unscaled -> stepped (or skipped) in a cycle that update()
/// ends for all of them:
///
///   scale(loss).backward()   any number of losses, and of times
///   unscale_ or unscale_and_clip(optimizer)   at most once; step does it where it was not done
///   step or skip_step(optimizer)              at most once
///   update()
///
/// Dtypes: the scaled loss is float32 (float64 for float64); gradients may have any floating-point
/// dtype, parameters likewise.
/// Devices: the scaler lives on one (GradScalerOptions::device); losses and gradients may lie on
/// others, as in PyTorch. Each of these has a copy of scale and inverse, which is made anew when it
/// is used and the scale has changed; update() copies their found_inf to the scaler's device. All
/// gradients of a scale-aware optimizer lie on one device; those of any other may lie on several.
/// They are tested and clipped together: if one is not finite, the step is skipped on all devices.
/// Errors: amp::Error for a call out of order, naming the stage, the legal next calls and the
/// number of gradients seen; for an optimizer without gradients; for gradients of a scale-aware
/// optimizer on several devices; if a graph is recorded, for losses and gradients on another device
/// than the scaler's. After any error of its calls scale(loss) may start a new cycle; update() may
/// also come again.
/// Synchronisation: none, where the optimizer is scale-aware (all of amp's are), but in the calls
/// that say so. Scale, inverse, trackers and counters live on the device. Between CUDA devices the
/// streams wait for each other, and the host does not. If losses or gradients are on the host and
/// the scaler is on a CUDA device, or the other way round, the host waits for what is copied to it:
/// after each change of the scale, in update(), and for an optimizer whose gradients lie on several
/// devices, in unscale_, unscale_and_clip and step.
/// Ranks: with GradScalerOptions::agree, processes that train one model have the same scale,
/// counters and skipped steps, bit for bit, as long as they make the same calls in the same order.
/// That includes skip_step and update. Cost of a step: each gradient is read once for the test (and
/// norm), and once by the update. Threads: not for use from two at once. Optimizers are known by
/// address and outlive the cycle.
///
/// ```cpp
/// const amp::Tensor x = amp::randn({8, 4}), w = amp::randn({2, 4}, {.requires_grad = true});
/// amp::SGD optimizer({w}, {.lr = 0.1});
/// amp::GradScaler scaler({.init_scale = 1024});
/// for (int step = 0; step < 3; ++step) {
///   optimizer.zero_grad();
///   scaler.scale(amp::mean(amp::linear(x, w))).backward();
///   const amp::Tensor norm = scaler.unscale_and_clip(optimizer, 1.0);
///   const amp::StepResult result = scaler.step(optimizer);
///   scaler.update();
///   assert(!result.skipped() && norm.item<float>() > 0);
/// }
/// assert(scaler.counters().applied == 3);
/// ```
///
/// Source: Micikevicius et al. 2018, arXiv 1710.03740, section 3.2; torch.amp.GradScaler, 2.6.
class GradScaler {
 public:
  /// Throws for options that cannot work.
  explicit GradScaler(const GradScalerOptions& options = {});
  GradScaler(const GradScaler&) = delete;  // optimizers in mid-cycle belong to one scaler
  GradScaler& operator=(const GradScaler&) = delete;
  ~GradScaler();

  bool is_enabled() const { return enabled_; }

  /// loss * scale, in float32 (float64 for a float64 loss), on the loss's device: finite also for a
  /// 16-bit loss. Differentiable.
  Tensor scale(const Tensor& loss);
  std::vector<Tensor> scale(std::span<const Tensor> losses);
  std::vector<Tensor> scale(std::initializer_list<Tensor> losses);
  /// The same for losses of another library, such as torch::Tensor with <amp/libtorch.hpp>.
  template <ForeignLoss T>
  T scale(const T& loss) {
    if (!enabled_) return loss;
    T scaled = LossAdapter<T>::multiply(loss, begin_scale(LossAdapter<T>::device(loss)));
    if constexpr (requires { LossAdapter<T>::view(loss); })
      if (keeps_ledgers())
        ledgers_.record_loss(LossAdapter<T>::view(loss), LossAdapter<T>::view(scaled));
    return scaled;
  }
  template <ForeignLoss T>
  std::vector<T> scale(const std::vector<T>& losses) {
    std::vector<T> scaled;
    scaled.reserve(losses.size());
    for (const T& loss : losses) scaled.push_back(scale(loss));
    return scaled;
  }
  template <ForeignLoss T>
  std::vector<T> scale(std::initializer_list<T> losses) {
    return scale(std::vector<T>(losses));
  }

  /// Divides the optimizer's gradients by the scale, in place, and notes whether any is not finite.
  /// 16-bit gradients of amp's optimizers stay scaled until the step, which unscales them itself.
  /// Those of an optimizer that is not scale-aware are rounded: a warning says so, once.
  template <OptimizerLike O>
  void unscale_(O& optimizer) {
    unscale_any(detail::AnyOptimizer(optimizer));
  }

  /// unscale_ and clipping by the common norm in the one order that is right. Returns the norm to
  /// log: before clipping, unscaled, 0-dimensional float32, float64 if a gradient is, on the
  /// gradients' device; on the scaler's if they lie on several, whose common norm it is. Gradients
  /// of a scale-aware optimizer, as amp's are, are only read: `.grad` stays scaled and unclipped,
  /// also after the step, which applies scale and clip as it goes.
  template <OptimizerLike O>
  Tensor unscale_and_clip(O& optimizer, double max_norm) {
    return unscale_and_clip_any(detail::AnyOptimizer(optimizer), max_norm);
  }

  /// The optimizer's step, unless a gradient is not finite. Unscales where unscale_ did not; amp's
  /// optimizers leave `.grad` scaled. Synchronises only for an optimizer that is not scale-aware.
  template <OptimizerLike O>
  StepResult step(O& optimizer) {
    return step_any(detail::AnyOptimizer(optimizer));
  }
  /// Throws, unless the scaler is disabled: what a closure computes is neither scaled nor tested
  /// when the optimizer calls it.
  template <OptimizerLike O, class Closure>
    requires requires(O& optimizer, Closure& closure) { optimizer.step(closure); }
  StepResult step(O& optimizer, Closure closure) {
    if (enabled_) detail::refuse_closure();
    optimizer.step(closure);
    return {};
  }

  /// Leaves the optimizer's step out of this cycle, unscaled or not: what a loop calls that will
  /// not step (a bad batch, an accumulation cut short), so that update() stays legal. Counted as
  /// skipped; the scale does not move on account of gradients nobody looked at.
  template <OptimizerLike O>
  void skip_step(O& optimizer) {
    skip_step_of(&optimizer);
  }

  /// Ends the cycle: lowers the scale where any gradient of it was not finite, raises it after
  /// growth_interval good ones, or as the policy says. Throws where nothing was unscaled, stepped
  /// or skipped since the last update. Calls on_skips after each skips_in_a_row bad updates in a
  /// row, where the scaler's words lie on the host; elsewhere that would synchronise.
  void update();
  /// Sets the scale, and drops what the cycle recorded. Synchronises.
  void update(double new_scale);

  /// Synchronises. 1 for a disabled scaler. Does not start the scaler, as scale_data(device) does.
  double get_scale() const;
  double get_growth_factor() const { return saved_.growth_factor; }
  double get_backoff_factor() const { return saved_.backoff_factor; }
  std::int64_t get_growth_interval() const { return saved_.growth_interval; }
  void set_growth_factor(double factor);
  void set_backoff_factor(double factor);
  void set_growth_interval(std::int64_t n);

  /// Synchronises.
  GradScalerCounters counters() const;

  /// Stable addresses on the device, for one's own kernels: the scale, its inverse, and a word that
  /// such a kernel sets to non-zero where it met a gradient that is not finite. update() reads and
  /// clears that word. Throws if the scaler lives on another device: a copy would not follow.
  const float* scale_data(Device device);
  const float* inverse_scale_data(Device device);
  float* found_inf_data(Device device);

  /// What the pass over the optimizer's gradients saw, in this cycle, or in the last one that
  /// update() ended. That pass is the one that step, unscale_ or unscale_and_clip makes anyway.
  /// Throws if there was none, and if GradScalerOptions::statistics is not set. With that option
  /// the gradients of an optimizer must lie on one device. Synchronises when the result is asked
  /// for, not before.
  template <OptimizerLike O>
  StatisticsResult statistics(O& optimizer) const {
    return statistics_of(&optimizer);
  }

  /// The last GradScalerOptions::ledger passes over the optimizer's gradients, gradient by
  /// gradient, from when it is read: a handle that may be kept. Passes record themselves on the
  /// device, also when a graph is replayed. Throws without that option. Does not synchronise.
  template <OptimizerLike O>
  GradientLedger ledger(O& optimizer) {
    return ledger_of(&optimizer);
  }
  /// Whether GradScalerOptions::ledger is above 0.
  bool keeps_ledgers() const { return ledgers_.exist(); }
  /// Those of all optimizers, in the order in which the scaler first met them. Throws without
  /// GradScalerOptions::ledger; empty for a disabled scaler.
  std::vector<GradientLedger> ledgers() const;

  /// Synchronises. Best taken after update().
  GradScalerState state_dict() const;
  /// Throws, and changes nothing, where the state cannot work. Legal at any time; what the cycle
  /// recorded is dropped.
  void load_state_dict(const GradScalerState& state);

 private:
  friend class TrainStep;  // whose steps in float32 are to agree as well
  using Cycle = detail::Cycle;
  using Stage = detail::Stage;

  void unscale_any(const detail::AnyOptimizer& optimizer);
  Tensor unscale_and_clip_any(const detail::AnyOptimizer& optimizer, double max_norm);
  StepResult step_any(const detail::AnyOptimizer& optimizer);
  void skip_step_of(const void* optimizer);

  template <class T>
  void change(T GradScalerState::*member, T value);
  /// What comes before each scale(loss): the scale on the loss's device.
  const Tensor& begin_scale(Device device);
  void start(Device device);
  void initialise(std::string_view call, Device device);
  void check_initialised(std::string_view call) const;
  StatisticsResult statistics_of(const void* optimizer) const;
  Tensor statistics_words(Device device) const;  // the cycle's where the pass does not fail
  GradientLedger ledger_of(const void* optimizer);
  void check_ledger(std::string_view call) const;
  /// Where the pass of a cycle is recorded.
  kernels::LedgerArgs ledger_args(const detail::AnyOptimizer& optimizer, const Cycle& cycle);
  /// As the policy says, before the pass.
  void sanitize(const detail::AnyOptimizer& optimizer, Cycle& cycle);
  /// The pass over each part. `finite_norm`: found_inf is set also if the norm is not finite.
  void unscale(const detail::AnyOptimizer& optimizer, Cycle& cycle, bool write,
               bool finite_norm = false);
  /// What unscale_and_clip does with gradients on one device, and on several. Returns the norm.
  Tensor unscale_and_clip_part(const detail::AnyOptimizer& optimizer, Cycle& cycle,
                               double max_norm);
  Tensor unscale_and_clip_parts(const detail::AnyOptimizer& optimizer, Cycle& cycle,
                                double max_norm);
  void drop_cycle();
  Cycle& begin(std::string_view call, const void* optimizer);
  /// Takes the gradients into the cycle, and the scale to where they are.
  void collect(std::string_view call, const detail::AnyOptimizer& optimizer, Cycle& cycle,
               bool writes);
  /// After an update whose counters the host can see.
  void report_skips();

  bool enabled_, statistics_;
  OverflowPolicy on_overflow_;
  std::int64_t skips_in_a_row_;
  SkipCallback on_skips_;
  AgreeCallback agree_;
  std::optional<Device> wanted_;
  GradScalerState saved_;  // the rule, and the scale before the device has one
  detail::DeviceScale device_;
  detail::Cycles cycles_;
  detail::Ledgers ledgers_;
  Tensor external_;   // the word that found_inf_data gave out
  Tensor sanitized_;  // int64: how often gradients were
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/grad_scaler.ipp"
#endif
