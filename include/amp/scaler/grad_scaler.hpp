// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling for the training loop.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "amp/scaler/cycle.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/scale_node.hpp"
#include "amp/scaler/state.hpp"
#include "amp/scaler/statistics_result.hpp"
#include "amp/scaler/step_result.hpp"

namespace amp::inline v0 {

/// Dynamic loss scaling.
///
/// Meaning: backward starts from loss * S, so that gradients of float16 do not underflow; the
/// step's gradients are divided by S again. Where one is not finite, before or after the division,
/// the step is left out and S is lowered; after growth_interval good steps S is raised
/// (kernels::update_scale, by ScalePolicy).
/// Order: each optimizer goes ready -> unscaled -> stepped (or left out) in a cycle that update()
/// ends for all of them:
///
///   scale(loss).backward()   any number of losses, and of times
///   unscale_ or unscale_and_clip(optimizer)   at most once; step does it where it was not done
///   step or skip_step(optimizer)              at most once
///   update()
///
/// Dtypes: the scaled loss is float32 (float64 for float64); gradients may have any floating-point
/// dtype, parameters likewise.
/// Errors: amp::Error for a call out of order, naming the stage, the legal next calls and the
/// number of gradients seen; for an optimizer without gradients; for gradients on another device.
/// After any error of its calls scale(loss) may start a new cycle; update() may also come again.
/// Synchronisation: none, where the optimizer is scale-aware (all of amp's are), but in the calls
/// that say so. Scale, inverse, trackers and counters live on the device.
/// Cost of a step: each gradient is read once for the test (and norm), and once by the update.
/// Threads: not for use from two at once. Optimizers are known by address and outlive the cycle.
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

  bool is_enabled() const { return enabled_; }

  /// loss * scale, in float32 (float64 for a float64 loss): finite also for a 16-bit loss.
  /// Differentiable.
  Tensor scale(const Tensor& loss);
  std::vector<Tensor> scale(std::span<const Tensor> losses);
  std::vector<Tensor> scale(std::initializer_list<Tensor> losses) {
    return scale(std::span(losses.begin(), losses.size()));
  }

  /// Divides the optimizer's gradients by the scale, in place, and notes whether any is not finite.
  /// 16-bit gradients of amp's optimizers stay scaled until the step, which unscales them itself.
  /// Those of an optimizer that is not scale-aware are rounded: a warning says so, once.
  template <OptimizerLike O>
  void unscale_(O& optimizer);

  /// unscale_ and clipping by the common norm in the one order that is right. Returns the norm to
  /// log: before clipping, unscaled, 0-dimensional float32, float64 if a gradient is. Gradients of
  /// a scale-aware optimizer, as amp's are, are only read: `.grad` stays scaled and unclipped, also
  /// after the step, which applies scale and clip as it goes.
  template <OptimizerLike O>
  Tensor unscale_and_clip(O& optimizer, double max_norm);

  /// The optimizer's step, unless a gradient is not finite. Unscales where unscale_ did not; amp's
  /// optimizers leave `.grad` scaled. Synchronises only for an optimizer that is not scale-aware.
  template <OptimizerLike O>
  StepResult step(O& optimizer);

  /// Leaves the optimizer's step out of this cycle, unscaled or not: what a loop calls that will
  /// not step (a bad batch, an accumulation cut short), so that update() stays legal. Counted as
  /// skipped; the scale does not move on account of gradients nobody looked at.
  template <OptimizerLike O>
  void skip_step(O& optimizer);

  /// Ends the cycle: lowers the scale where any gradient of it was not finite, raises it after
  /// growth_interval good ones, or as the policy says. Throws where nothing was unscaled, stepped
  /// or left out since the last update. Calls on_skips after each skips_in_a_row bad updates in a
  /// row, where the scaler's words lie on the host; elsewhere that would synchronise.
  void update();
  /// Sets the scale, and drops what the cycle recorded. Synchronises.
  void update(double new_scale);

  /// Synchronises. 1 for a disabled scaler. Does not start the scaler, as scale_data(device) does.
  double get_scale() const { return enabled_ ? state_dict().scale : 1.0; }
  double get_growth_factor() const { return saved_.growth_factor; }
  double get_backoff_factor() const { return saved_.backoff_factor; }
  std::int64_t get_growth_interval() const { return saved_.growth_interval; }
  void set_growth_factor(double factor) { change(&GradScalerState::growth_factor, factor); }
  void set_backoff_factor(double factor) { change(&GradScalerState::backoff_factor, factor); }
  void set_growth_interval(std::int64_t n) { change(&GradScalerState::growth_interval, n); }

  /// Synchronises.
  GradScalerCounters counters() const {
    const GradScalerState state = state_dict();
    return {state.applied, state.skipped, state.consecutive_skips};
  }

  /// Stable addresses on the device, for one's own kernels: the scale, its inverse, and a word that
  /// such a kernel sets to non-zero where it met a gradient that is not finite. update() reads and
  /// clears that word.
  const float* scale_data(Device device);
  const float* inverse_scale_data(Device device);
  float* found_inf_data(Device device);

  /// What the pass over the optimizer's gradients saw, in this cycle, or in the last one that
  /// update() ended. That pass is the one that step, unscale_ or unscale_and_clip makes anyway.
  /// Throws where there was none, and where GradScalerOptions::statistics is not set. Synchronises
  /// where the result is asked, not before.
  template <OptimizerLike O>
  StatisticsResult statistics(O& optimizer) const {
    return statistics_of(&optimizer);
  }

  /// Synchronises. Best taken after update().
  GradScalerState state_dict() const;
  /// Throws, and changes nothing, where the state cannot work. Legal at any time; what the cycle
  /// recorded is dropped.
  void load_state_dict(const GradScalerState& state);

 private:
  using Cycle = detail::Cycle;
  using Stage = detail::Stage;

  template <class Number>
  void change(Number GradScalerState::*member, Number value) {
    GradScalerState changed = saved_;
    changed.*member = value;
    if (enabled_) detail::check_state(changed);
    saved_ = changed;
  }
  void initialise(std::string_view call, Device device) {
    if (!device_.exists()) device_ = detail::DeviceScale(wanted_ ? *wanted_ : device, saved_);
    AMP_CHECK(device == device_.device(), call, ": this scaler lives on ", device_.device(),
              ", but was given ", device);
  }
  void check_initialised(std::string_view call) const {
    AMP_CHECK(device_.exists(), call, detail::kNotStarted);
  }
  StatisticsResult statistics_of(const void* optimizer) const {
    if (!enabled_) return {};
    AMP_CHECK(statistics_,
              "statistics: none are collected without GradScalerOptions{.statistics = true}");
    const Tensor words = cycles_.statistics(optimizer);
    AMP_CHECK(
        words.defined(),
        "statistics: this optimizer's gradients were not looked at in this or the last cycle; "
        "call unscale_, unscale_and_clip or step first");
    return StatisticsResult(words);
  }
  Tensor statistics_words() const {  // the cycle's where the pass does not fail
    return statistics_ ? StatisticsResult::make_words(device_.device()) : Tensor();
  }
  void unscale(Cycle& cycle, const detail::GradientSpans& spans, bool write,
               kernels::NormWord norm = {}, bool finite_norm = false) {
    const Tensor seen = statistics_words();
    detail::unscale({device_.device(), spans.data(), static_cast<std::int64_t>(spans.size()),
                     device_.inverse(), detail::word(cycle.found_inf), write, &cycle.table, norm,
                     finite_norm, StatisticsResult::data(seen)});
    cycle.statistics = seen;
  }
  void drop_cycle() {
    cycles_.end();
    if (external_.defined()) detail::fill(external_, 0);
  }
  Cycle& begin(std::string_view call, const void* optimizer) {
    check_initialised(call);
    return cycles_.begin(call, optimizer, device_.device());
  }
  /// After an update whose counters the host can see.
  void report_skips() {
    if (!on_skips_ || device_.device().type != kCPU) return;
    const kernels::ScaleState& live = *device_.data();
    if (live.consecutive_skipped == 0 || live.consecutive_skipped % skips_in_a_row_ != 0) return;
    on_skips_({live.applied, live.skipped, live.consecutive_skipped});
  }

  bool enabled_, statistics_;
  std::int64_t skips_in_a_row_;
  SkipCallback on_skips_;
  std::optional<Device> wanted_;
  GradScalerState saved_;  // the rule, and the scale before the device has one
  detail::DeviceScale device_;
  detail::Cycles cycles_;
  Tensor external_;  // the word that found_inf_data gave out
};

inline GradScaler::GradScaler(const GradScalerOptions& options)
    : enabled_(options.enabled),
      statistics_(options.statistics),
      skips_in_a_row_(options.skips_in_a_row),
      on_skips_(detail::or_out_of_memory([&] { return options.on_skips; })),
      wanted_(options.device),
      saved_(detail::initial_state(options)),
      cycles_(options.policy != ScalePolicy::kNone) {
  if (!enabled_) return;
  detail::check_state(saved_);
  AMP_CHECK(skips_in_a_row_ >= 1, "GradScaler: `skips_in_a_row` must be at least 1, but is ",
            skips_in_a_row_);
}

inline Tensor GradScaler::scale(const Tensor& loss) {
  if (!enabled_) return loss;
  AMP_CHECK(loss.defined(), "scale: `loss` is undefined");
  initialise("scale", loss.device());
  cycles_.end_if_interrupted();
  const DType dtype = loss.dtype() == kFloat64 ? kFloat64 : kFloat32;
  const Tensor scaled = detail::binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
      loss, device_.scale(), loss.shape(), dtype);
  if (autograd::recording(loss))
    scaled.impl().history = make_ref<detail::ScaleNode>(scaled, loss, device_.scale());
  return scaled;
}

inline std::vector<Tensor> GradScaler::scale(std::span<const Tensor> losses) {
  auto scaled = detail::or_out_of_memory([&] { return std::vector<Tensor>(losses.size()); });
  for (std::size_t i = 0; i < losses.size(); ++i) scaled[i] = scale(losses[i]);
  return scaled;
}

template <OptimizerLike O>
void GradScaler::unscale_(O& optimizer) {
  if (!enabled_) return;
  Cycle& cycle = begin("unscale_", &optimizer);
  detail::ForgetOnError guard(cycles_, &optimizer);
  detail::GradientSpans spans = cycles_.look("unscale_", optimizer, cycle, true);
  float* const found_inf = detail::word(cycle.found_inf);
  cycle.scale = {.inverse = device_.one(), .found_inf = found_inf};
  guard.unscaled = true;
  if constexpr (ScaleAwareOptimizer<O> && MarksGradients<O>) {
    // Such an optimizer unscales 16-bit gradients itself, in float32: only look at them.
    for (kernels::GradientSpan& span : spans) span.read_only = is_low_precision(span.dtype);
    cycle.scale.inverse_low_precision = device_.inverse();
  }
  Tensor norm = cycle.wants_norm ? detail::make_norm(spans, device_.device()) : Tensor();
  unscale(cycle, spans, true, detail::norm_word(norm));
  if (norm.defined()) norm.mark_modified();
  if constexpr (MarksGradients<O>) optimizer.mark_unscaled();
  cycle.known_norm = detail::note_norm(optimizer, spans, std::move(norm));
  cycle.stage = Stage::kUnscaled;
}

template <OptimizerLike O>
Tensor GradScaler::unscale_and_clip(O& optimizer, double max_norm) {
  AMP_CHECK(max_norm > 0, "unscale_and_clip: `max_norm` must be above 0, but is ", max_norm);
  if (!enabled_) {
    std::optional<Device> device = wanted_;
    const detail::GradientSpans spans =
        detail::collect_gradients("unscale_and_clip", optimizer, device);
    const Tensor norm = detail::make_norm(spans, device.value_or(kCPU));
    detail::clip_by_norm(norm.device(), spans, max_norm, norm);
    return norm;
  }
  constexpr bool kAware = ScaleAwareOptimizer<O>;
  Cycle& cycle = begin("unscale_and_clip", &optimizer);
  detail::ForgetOnError guard(cycles_, &optimizer);
  const detail::GradientSpans spans = cycles_.look("unscale_and_clip", optimizer, cycle, !kAware);
  float* const found_inf = detail::word(cycle.found_inf);
  guard.unscaled = !kAware;
  const detail::ClipWords words(spans, device_.device());
  cycle.clip = words.memory;
  if constexpr (kAware) {
    const Tensor seen = statistics_words();
    detail::grad_norm({device_.device(), spans.data(), static_cast<std::int64_t>(spans.size()),
                       device_.inverse(), words.norm, words.coefficient, found_inf, max_norm,
                       &cycle.table, StatisticsResult::data(seen), words.coefficient_float64});
    cycle.statistics = seen;
  } else {
    unscale(cycle, spans, true, words.norm, true);
    if constexpr (MarksGradients<O>) optimizer.mark_unscaled();
    detail::clip(device_.device(), spans, words.norm, max_norm, found_inf, &cycle.table);
  }
  cycle.scale = {.inverse = kAware ? device_.inverse() : device_.one(),
                 .found_inf = found_inf,
                 .clip = kAware ? words.coefficient : nullptr,
                 .clip_float64 = kAware ? words.coefficient_float64 : nullptr};
  cycle.stage = Stage::kUnscaled;
  return cycle.clip.alias({}, {}, 0);
}

template <OptimizerLike O>
StepResult GradScaler::step(O& optimizer) {
  if (!enabled_) {
    optimizer.step();
    return StepResult();
  }
  check_initialised("step");
  Cycle* cycle = cycles_.find(&optimizer);
  if (cycle == nullptr || cycle->stage != Stage::kUnscaled) cycle = &begin("step", &optimizer);
  detail::ForgetOnError guard(cycles_, &optimizer);
  guard.unscaled = cycle->stage == Stage::kUnscaled;
  if (cycle->stage == Stage::kReady) {
    const detail::GradientSpans spans =
        cycles_.look("step", optimizer, *cycle, !ScaleAwareOptimizer<O>);
    float* const found_inf = detail::word(cycle->found_inf);
    cycle->scale = {.inverse = device_.inverse(), .found_inf = found_inf};
    guard.unscaled = !ScaleAwareOptimizer<O>;
    unscale(*cycle, spans, !ScaleAwareOptimizer<O>);
    if constexpr (!ScaleAwareOptimizer<O> && MarksGradients<O>) optimizer.mark_unscaled();
  }
  cycle->forget_norm();
  if constexpr (ScaleAwareOptimizer<O>) {
    optimizer.step(cycle->scale);
  } else if (cycle->found_inf.item<float>() == 0) {
    optimizer.step();
  }
  cycle->stage = Stage::kStepped;
  return StepResult(cycle->found_inf);
}

template <OptimizerLike O>
void GradScaler::skip_step(O& optimizer) {
  if (!enabled_) return;
  check_initialised("skip_step");
  Cycle* cycle = cycles_.find(&optimizer);
  if (cycle == nullptr || cycle->stage != Stage::kUnscaled) cycle = &begin("skip_step", &optimizer);
  cycle->forget_norm();
  cycle->stage = Stage::kLeftOut;
}

inline void GradScaler::update() {
  if (!enabled_) return;
  check_initialised("update");
  AMP_CHECK(!cycles_.empty() || external_.defined(),
            "update: no optimizer was unscaled or stepped since the last update (0 gradients); "
            "call step(optimizer), or skip_step(optimizer), first");
  float* const clears = external_.defined() ? detail::word(external_) : nullptr;
  const bool looked = cycles_.update_scale(device_, detail::rule_of(saved_), clears);
  cycles_.end();
  device_.mark_modified();
  if (looked) report_skips();
}

inline void GradScaler::update(double new_scale) {
  if (!enabled_) return;
  check_initialised("update");
  detail::check_scale("update", "new_scale", new_scale);
  GradScalerState state = state_dict();
  state.scale = new_scale;
  detail::check_state(state);
  device_.write(state);
  drop_cycle();
}

inline const float* GradScaler::scale_data(Device device) {
  initialise("scale_data", device);
  return &device_.data()->scale;
}
inline const float* GradScaler::inverse_scale_data(Device device) {
  initialise("inverse_scale_data", device);
  return device_.inverse();
}
inline float* GradScaler::found_inf_data(Device device) {
  initialise("found_inf_data", device);
  if (!external_.defined()) external_ = zeros({}, {.device = device});
  return detail::word(external_);
}

inline GradScalerState GradScaler::state_dict() const {
  GradScalerState state = saved_;
  if (device_.exists()) device_.read(state);
  return state;
}
inline void GradScaler::load_state_dict(const GradScalerState& state) {
  if (!enabled_) return;
  detail::check_state(state);
  if (device_.exists()) device_.write(state);
  saved_ = state;
  drop_cycle();
}

}  // namespace amp::inline v0
