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

#include "amp/core/not_options.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/scaler/concepts.hpp"
#include "amp/scaler/cycle.hpp"
#include "amp/scaler/ledger.hpp"
#include "amp/scaler/results.hpp"
#include "amp/scaler/scale.hpp"
#include "amp/scaler/state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {
namespace detail {
AMP_LAZY [[noreturn]] AMP_COLD void refuse_closure();
}

/// Dynamic loss scaling (Micikevicius et al. 2018, arXiv 1710.03740, section 3.2), with the
/// interface of torch.amp.GradScaler.
///
/// Meaning: backward starts from loss * S, so that float16 gradients do not underflow; the
/// optimizer's step divides the gradients by S. If a gradient is not finite, before or after the
/// division, the step is skipped and S is lowered. After growth_interval good steps, S is raised
/// (kernels::update_scale, by ScalePolicy).
///
/// Order: each optimizer goes ready -> unscaled -> stepped (or skipped) in a cycle, which update()
/// ends for all of them:
///
///   scale(loss).backward()                    any number of losses and calls
///   unscale_ or unscale_and_clip(optimizer)   at most once; otherwise step unscales
///   step or skip_step(optimizer)              at most once
///   update()
///
/// Dtypes: the scaled loss is float32, or float64 for a float64 loss. Gradients and parameters may
/// have any floating-point dtype.
///
/// Devices: the scaler lives on one device (GradScalerOptions::device). Losses and gradients may
/// lie on others, as in PyTorch: each such device has a copy of the scale and its inverse,
/// refreshed when the scale has changed; update() copies found_inf to the scaler's device. All
/// gradients of a scale-aware optimizer must lie on one device. Those of any other optimizer may
/// lie on several; they are tested and clipped together, and the step is skipped on all devices if
/// one gradient is not finite.
///
/// Errors: throws amp::Error if a call is out of order, naming the stage, the calls that may come
/// next and the number of gradients; if an optimizer has no gradients; if the gradients of a
/// scale-aware optimizer lie on several devices; and, while a graph is recorded, if a loss or
/// gradient is on another device than the scaler. After an error, scale(loss) may start a new
/// cycle, or update() may be called again.
///
/// Synchronisation: none if the optimizer is scale-aware, as all of amp's are, except in the calls
/// that say so. Scale, inverse, trackers and counters stay on the device. Between CUDA devices,
/// streams wait for each other and the host does not. If losses or gradients are on the host and
/// the scaler is on a CUDA device, or the other way round, the host waits for what is copied to it:
/// after each change of the scale, in update(), and, for gradients on several devices, in unscale_,
/// unscale_and_clip and step.
///
/// Ranks: with GradScalerOptions::agree, processes that train one model have the same scale,
/// counters and skipped steps, bit for bit, if they make the same calls in the same order. This
/// includes skip_step and update.
///
/// Cost: a step reads each gradient once to test it (and for the norm), and once for the update.
///
/// Threads: two threads must not use one scaler at the same time. The scaler knows an optimizer by
/// its address; the optimizer must outlive the cycle.
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
class GradScaler {
 public:
  /// Throws if an option is not valid.
  explicit GradScaler(const GradScalerOptions& options = {});
  template <detail::NotOptions<GradScalerOptions> ByPlace, class... More>
  explicit GradScaler(const ByPlace&, More...) = delete;  // write ({.init_scale = 65536})
  GradScaler(const GradScaler&) = delete;  // the optimizers of a cycle belong to one scaler
  GradScaler& operator=(const GradScaler&) = delete;
  ~GradScaler();

  /// Returns GradScalerOptions::enabled. A disabled scaler returns losses unscaled, and its step is
  /// the optimizer's.
  bool is_enabled() const { return enabled_; }
  /// Returns GradScalerOptions::agree, for a second scaler of the same ranks.
  const AgreeCallback& agree() const { return agree_; }

  /// Returns loss * scale, in float32 (float64 for a float64 loss), on the loss's device. So a
  /// 16-bit loss cannot overflow. Differentiable.
  AMP_LAZY Tensor scale(const Tensor& loss);
  AMP_LAZY std::vector<Tensor> scale(std::span<const Tensor> losses);
  AMP_LAZY std::vector<Tensor> scale(std::initializer_list<Tensor> losses);
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

  /// Divides the optimizer's gradients by the scale, in place, and tests them. The 16-bit gradients
  /// of amp's optimizers stay scaled until the step, which unscales them in float32. Those of an
  /// optimizer that is not scale-aware are rounded; the first time, a warning says so. If you clip
  /// by the norm next, unscale_and_clip reads the gradients once less.
  template <OptimizerLike O>
  void unscale_(O& optimizer) {
    unscale_any(detail::AnyOptimizer(optimizer));
  }

  /// unscale_, then clipping by the common norm: each gradient is multiplied by min(1, max_norm /
  /// (norm + 1e-6)). Returns the norm of the unscaled gradients before clipping, 0-dimensional
  /// float32, or float64 if a gradient is, on the gradients' device, or on the scaler's if they lie
  /// on several. The gradients of a scale-aware optimizer, as amp's are, are only read: `.grad`
  /// stays scaled and unclipped, also after the step, which applies both factors. The step is
  /// skipped if the norm is not finite. Throws if `max_norm` is not above 0.
  template <OptimizerLike O>
  Tensor unscale_and_clip(O& optimizer, double max_norm) {
    return unscale_and_clip_any(detail::AnyOptimizer(optimizer), max_norm);
  }

  /// Makes the optimizer's step unless a gradient is not finite. Unscales first if that was not
  /// done in this cycle; amp's optimizers leave `.grad` scaled. Synchronises only if the optimizer
  /// is not scale-aware.
  template <OptimizerLike O>
  StepResult step(O& optimizer) {
    return step_any(detail::AnyOptimizer(optimizer));
  }
  /// Throws unless the scaler is disabled: the gradients that a closure computes would be neither
  /// scaled nor tested.
  template <OptimizerLike O, class Closure>
    requires requires(O& optimizer, Closure& closure) { optimizer.step(closure); }
  StepResult step(O& optimizer, Closure closure) {
    if (enabled_) detail::refuse_closure();
    optimizer.step(closure);
    return {};
  }

  /// Skips the optimizer's step in this cycle, whether it is unscaled or not. Call it if you will
  /// not step, for example after a bad batch; update() may then be called. Counts as skipped;
  /// gradients that were not tested do not change the scale.
  template <OptimizerLike O>
  void skip_step(O& optimizer) {
    skip_step_any(&optimizer);
  }

  /// Ends the cycle: lowers the scale if a gradient was not finite, raises it after growth_interval
  /// good updates, or as the policy says. Throws if no optimizer was unscaled, stepped or skipped
  /// since the last update, unless found_inf_data is used. Calls on_skips after each skips_in_a_row
  /// bad updates in a row, but only if the scaler is on the host: elsewhere it would have to
  /// synchronise.
  AMP_LAZY void update();
  /// Sets the scale, and discards the cycle. Synchronises.
  AMP_LAZY void update(double new_scale);

  /// Returns the scale; 1 if the scaler is disabled. Unlike scale_data(device), it does not put the
  /// scaler on a device. Synchronises.
  AMP_LAZY double get_scale() const;
  /// Returns GradScalerOptions::growth_factor, or the value set since. The two getters below do the
  /// same.
  double get_growth_factor() const { return state_.growth_factor; }
  double get_backoff_factor() const { return state_.backoff_factor; }
  std::int64_t get_growth_interval() const { return state_.growth_interval; }
  /// Sets the factor by which the scale grows. Throws if the value is not valid, as the setters
  /// below do.
  AMP_LAZY void set_growth_factor(double factor);
  AMP_LAZY void set_backoff_factor(double factor);
  /// If there were n good steps in a row already, the next good step raises the scale. In PyTorch,
  /// whose tracker then is beyond n, none does before the next overflow.
  AMP_LAZY void set_growth_interval(std::int64_t n);

  /// Returns the number of steps applied and skipped. Synchronises.
  AMP_LAZY GradScalerCounters counters() const;

  /// Device pointers for your own kernels, stable for the scaler's life: the scale, its inverse,
  /// and a float32 that your kernel sets to a value other than 0 if a gradient is not finite.
  /// update() reads that value and sets it to 0. Starts the scaler on `device`; throws if it lives
  /// on another device, because a copy would not follow the scale.
  AMP_LAZY const float* scale_data(Device device);
  AMP_LAZY const float* inverse_scale_data(Device device);
  AMP_LAZY float* found_inf_data(Device device);

  /// Returns the statistics of the optimizer's gradients, from the pass that step, unscale_ or
  /// unscale_and_clip made in this cycle, or else in the last one. Throws if there was no such
  /// pass, or if GradScalerOptions::statistics is not set. Does not synchronise; reading the result
  /// does.
  template <OptimizerLike O>
  StatisticsResult statistics(O& optimizer) const {
    return statistics_any(&optimizer);
  }

  /// Returns a handle to the last GradScalerOptions::ledger passes over the optimizer's gradients,
  /// gradient by gradient. It stays valid and current: each pass is recorded on the device, also
  /// when a graph is replayed. Throws without that option. Does not synchronise; reading does.
  template <OptimizerLike O>
  GradientLedger ledger(O& optimizer) {
    return ledger_any(&optimizer);
  }
  /// Returns whether GradScalerOptions::ledger is above 0.
  bool keeps_ledgers() const { return ledgers_.exist(); }
  /// Returns the ledgers of all optimizers, in the order in which the scaler first met them. Throws
  /// without GradScalerOptions::ledger; empty if the scaler is disabled.
  AMP_LAZY std::vector<GradientLedger> ledgers() const;

  /// Returns the state. Call it after update(). Synchronises.
  AMP_LAZY GradScalerState state_dict() const;
  /// Loads a state and discards the cycle. Throws and changes nothing if the state is not valid.
  AMP_LAZY void load_state_dict(const GradScalerState& state);

 private:
  /// A pass over the gradients of an optimizer: tests them and, as `writes` and `max_norm` say,
  /// unscales and clips them.
  struct Pass {
    std::string_view call;  // for error messages
    bool writes;            // in place, so that the step has nothing left to do
    double max_norm = 0;    // 0: no clipping
  };
  AMP_LAZY detail::OptimizerCycle& run(const detail::AnyOptimizer& optimizer, const Pass& pass);
  AMP_LAZY void run_part(const detail::AnyOptimizer& optimizer, detail::OptimizerCycle& cycle,
                         detail::GradientPart& part, const Pass& pass);

  AMP_LAZY void unscale_any(const detail::AnyOptimizer& optimizer);
  AMP_LAZY Tensor unscale_and_clip_any(const detail::AnyOptimizer& optimizer, double max_norm);
  AMP_LAZY StepResult step_any(const detail::AnyOptimizer& optimizer);
  AMP_LAZY void skip_step_any(const void* optimizer);
  AMP_LAZY StatisticsResult statistics_any(const void* optimizer) const;
  AMP_LAZY GradientLedger ledger_any(const void* optimizer);

  /// Begins a scale(loss), and returns the scale on the loss's device.
  AMP_LAZY const Tensor& begin_scale(Device device);
  AMP_LAZY detail::OptimizerCycle& begin_cycle(std::string_view call, const void* optimizer);
  AMP_LAZY void collect(const detail::AnyOptimizer& optimizer, detail::OptimizerCycle& cycle,
                        const Pass& pass);
  /// Applies OverflowPolicy::kSanitize.
  AMP_LAZY void sanitize(const detail::AnyOptimizer& optimizer, detail::OptimizerCycle& cycle);
  AMP_LAZY kernels::LedgerArgs ledger_args(const detail::AnyOptimizer& optimizer,
                                           const detail::OptimizerCycle& cycle);
  AMP_LAZY void discard_cycle();
  /// Calls on_skips if it is due and the host can read the counters.
  AMP_LAZY void report_skips();

  AMP_LAZY void start(Device device);
  AMP_LAZY void start_on(std::string_view call, Device device);
  AMP_LAZY void check_started(std::string_view call) const;
  AMP_LAZY void check_ledger(std::string_view call) const;
  template <class T>
  void change(T GradScalerState::*member, T value);

  bool enabled_, statistics_;
  OverflowPolicy on_overflow_;
  std::int64_t skips_in_a_row_;
  SkipCallback on_skips_;
  AgreeCallback agree_;
  std::optional<Device> device_option_;
  GradScalerState state_;  // options, and what the device starts from
  detail::DeviceScale device_;
  detail::Cycle cycle_;
  detail::Ledgers ledgers_;
  Tensor user_found_inf_;  // returned by found_inf_data; undefined before
  Tensor sanitized_;       // int64: GradScalerCounters::sanitized
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/grad_scaler.ipp"
#endif
