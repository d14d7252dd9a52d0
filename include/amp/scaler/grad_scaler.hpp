// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// GradScaler: multiplies the loss so that 16-bit gradients do not underflow, divides the gradients
// again, leaves out steps whose gradients overflowed, and adapts the scale (Micikevicius et al.
// 2018, arXiv 1710.03740, section 3.2; torch.amp.GradScaler).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "amp/scaler/cycle.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/scale_node.hpp"
#include "amp/scaler/state.hpp"
#include "amp/scaler/step_result.hpp"

namespace amp::inline v0 {

/// The loop:
///
///   scaler.scale(loss).backward();
///   scaler.step(optimizer);          // or unscale_and_clip(optimizer, 1.0) before it
///   scaler.update();
///
/// Scale, inverse, growth tracker and counters live on the device: with scale-aware optimizers no
/// call here synchronises, but for those that say so. Each optimizer goes ready -> unscaled ->
/// stepped in a cycle that update() ends; a call out of order throws amp::Error and names the
/// stage. Not for use from two threads at once.
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
  /// 16-bit gradients of amp's own optimizers stay scaled until the step, which unscales them in
  /// float32.
  template <OptimizerLike O>
  void unscale_(O& optimizer);

  /// unscale_ and clipping by the common norm in the one order that is right. Returns the norm of
  /// the unscaled gradients before clipping, 0-dimensional float32. A scale-aware optimizer's
  /// gradients are only read here: its step applies scale and clip at once.
  template <OptimizerLike O>
  Tensor unscale_and_clip(O& optimizer, double max_norm);

  /// The optimizer's step, unless a gradient is not finite. Unscales first where unscale_ did not.
  /// Synchronises only for an optimizer that is not scale-aware: the host then has to know.
  template <OptimizerLike O>
  StepResult step(O& optimizer);

  /// Ends the cycle: lowers the scale where any gradient of it was not finite, raises it after
  /// growth_interval good ones. Throws where nothing was unscaled or stepped since the last update.
  void update();
  /// Sets the scale, and drops what the cycle recorded. Synchronises.
  void update(double new_scale);

  /// Synchronises. 1 for a disabled scaler.
  double get_scale() const { return enabled_ ? state_dict().scale : 1.0; }
  double get_growth_factor() const { return saved_.growth_factor; }
  double get_backoff_factor() const { return saved_.backoff_factor; }
  std::int64_t get_growth_interval() const { return saved_.growth_interval; }
  void set_growth_factor(double factor) {
    change([&](GradScalerState& s) { s.growth_factor = factor; });
  }
  void set_backoff_factor(double factor) {
    change([&](GradScalerState& s) { s.backoff_factor = factor; });
  }
  void set_growth_interval(std::int64_t interval) {
    change([&](GradScalerState& s) { s.growth_interval = interval; });
  }

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

  /// Synchronises. Best taken after update().
  GradScalerState state_dict() const;
  /// Throws, and changes nothing, where the state cannot work. Legal at any time; what the cycle
  /// recorded is dropped.
  void load_state_dict(const GradScalerState& state);

 private:
  using Cycle = detail::Cycle;
  using Stage = detail::Stage;

  template <class Change>
  void change(Change&& apply) {
    GradScalerState changed = saved_;
    apply(changed);
    if (enabled_) detail::check_state(changed);
    saved_ = changed;
  }
  void initialise(std::string_view call, Device device) {
    if (!device_.exists()) device_.create(wanted_ ? *wanted_ : device, saved_);
    AMP_CHECK(device == device_.device(), call, ": this scaler lives on ", device_.device(),
              ", but was given ", device);
  }
  void check_initialised(std::string_view call) const {
    AMP_CHECK(device_.exists(), call,
              ": nothing was scaled yet; call scale(loss) before backward first");
  }
  void end_cycle() {
    cycles_.end();
    if (device_.exists()) device_.mark_modified();
  }
  Cycle& begin(std::string_view call, const void* optimizer) {
    check_initialised(call);
    return cycles_.begin(call, optimizer, device_.device());
  }
  /// The gradients, counted into the cycle.
  template <OptimizerLike O>
  detail::GradientSpans gradients_of(std::string_view call, O& optimizer, Cycle& cycle) {
    std::optional<Device> device = device_.device();
    detail::GradientSpans spans = detail::collect_gradients(call, optimizer, device);
    AMP_CHECK(!spans.empty(), call,
              ": no parameter of the optimizer has a gradient; was backward() called on the scaled "
              "loss, and does the "
              "optimizer hold the parameters that the model uses?");
    cycle.gradients = static_cast<std::int64_t>(spans.size());
    return spans;
  }

  bool enabled_;
  std::optional<Device> wanted_;
  GradScalerState saved_;  // the rule, and the scale before the device has one
  detail::DeviceScale device_;
  detail::Cycles cycles_;
  Tensor external_;  // the word that found_inf_data gave out
};

inline GradScaler::GradScaler(const GradScalerOptions& options)
    : enabled_(options.enabled), wanted_(options.device) {
  saved_ = {.scale = options.init_scale,
            .growth_factor = options.growth_factor,
            .backoff_factor = options.backoff_factor,
            .growth_interval = options.growth_interval,
            .min_scale = options.min_scale,
            .max_scale = options.max_scale,
            .hysteresis = options.hysteresis,
            .hysteresis_left = options.hysteresis};
  if (enabled_) {
    detail::check_state(saved_);
  } else {
    saved_.scale = 1;  // what scale_data shows
  }
}

inline Tensor GradScaler::scale(const Tensor& loss) {
  if (!enabled_) return loss;
  AMP_CHECK(loss.defined(), "scale: `loss` is undefined");
  initialise("scale", loss.device());
  cycles_.forget_failed();
  const DType dtype = loss.dtype() == kFloat64 ? kFloat64 : kFloat32;
  const Tensor scaled = detail::binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
      loss, device_.scale(), loss.shape(), dtype);
  if (autograd::recording(loss))
    scaled.impl().history = make_ref<detail::ScaleNode>(scaled, loss, device_.scale());
  return scaled;
}

inline std::vector<Tensor> GradScaler::scale(std::span<const Tensor> losses) {
  std::vector<Tensor> scaled;
  scaled.reserve(losses.size());
  for (const Tensor& loss : losses) scaled.push_back(scale(loss));
  return scaled;
}

template <OptimizerLike O>
void GradScaler::unscale_(O& optimizer) {
  if (!enabled_) return;
  Cycle& cycle = begin("unscale_", &optimizer);
  const detail::ForgetOnError guard(cycles_, &optimizer);
  detail::GradientSpans spans = gradients_of("unscale_", optimizer, cycle);
  float* const found_inf = detail::word(cycle.found_inf);
  cycle.scale = {.inverse = device_.one(), .found_inf = found_inf};
  if constexpr (ScaleAwareOptimizer<O> && MarksGradients<O>) {
    // Such an optimizer unscales 16-bit gradients itself, in float32: only look at them.
    const auto low = std::stable_partition(
        spans.begin(), spans.end(), [](const auto& g) { return !is_low_precision(g.dtype); });
    detail::unscale(device_.device(), {spans.begin(), low}, device_.inverse(), found_inf, true);
    detail::unscale(device_.device(), {low, spans.end()}, device_.inverse(), found_inf, false);
    cycle.scale.inverse_low_precision = device_.inverse();
  } else {
    detail::unscale(device_.device(), spans, device_.inverse(), found_inf, true);
  }
  if constexpr (MarksGradients<O>) optimizer.mark_unscaled();
  cycle.stage = Stage::kUnscaled;
}

template <OptimizerLike O>
Tensor GradScaler::unscale_and_clip(O& optimizer, double max_norm) {
  AMP_CHECK(max_norm > 0, "unscale_and_clip: `max_norm` must be above 0, but is ", max_norm);
  if (!enabled_) {
    std::optional<Device> device = wanted_;
    const detail::GradientSpans spans =
        detail::collect_gradients("unscale_and_clip", optimizer, device);
    const Tensor words = zeros({2}, {.device = device.value_or(kCPU)});
    detail::clip(words.device(), spans, nullptr, max_norm, true, detail::word(words), nullptr);
    return words.alias({}, {}, 0);
  }
  constexpr bool kAware = ScaleAwareOptimizer<O>;
  Cycle& cycle = begin("unscale_and_clip", &optimizer);
  const detail::ForgetOnError guard(cycles_, &optimizer);
  const detail::GradientSpans spans = gradients_of("unscale_and_clip", optimizer, cycle);
  float* const found_inf = detail::word(cycle.found_inf);
  detail::unscale(device_.device(), spans, device_.inverse(), found_inf, !kAware);
  if constexpr (!kAware && MarksGradients<O>) optimizer.mark_unscaled();
  cycle.clip = empty({2}, {.device = device_.device()});
  float* const words = detail::word(cycle.clip);
  detail::clip(device_.device(), spans, kAware ? device_.inverse() : nullptr, max_norm, !kAware,
               words, found_inf);
  cycle.scale = {.inverse = kAware ? device_.inverse() : device_.one(),
                 .found_inf = found_inf,
                 .clip = kAware ? words + 1 : nullptr};
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
    const detail::GradientSpans spans = gradients_of("step", optimizer, *cycle);
    float* const found_inf = detail::word(cycle->found_inf);
    detail::unscale(device_.device(), spans, device_.inverse(), found_inf, !ScaleAwareOptimizer<O>);
    cycle->scale = {.inverse = device_.inverse(), .found_inf = found_inf};
    guard.unscaled = !ScaleAwareOptimizer<O>;
    if constexpr (!ScaleAwareOptimizer<O> && MarksGradients<O>) optimizer.mark_unscaled();
  }
  if constexpr (ScaleAwareOptimizer<O>) {
    optimizer.step(cycle->scale);
  } else if (cycle->found_inf.item<float>() == 0) {
    optimizer.step();
  }
  cycle->stage = Stage::kStepped;
  return StepResult(cycle->found_inf);
}

inline void GradScaler::update() {
  if (!enabled_) return;
  check_initialised("update");
  AMP_CHECK(!cycles_.empty() || external_.defined(),
            "update: no optimizer was unscaled or stepped since the last update; call "
            "step(optimizer) first");
  std::vector<const float*> found;
  std::vector<std::uint8_t> stepped;
  for (const Cycle& cycle : cycles_.all()) {
    found.push_back(detail::word(cycle.found_inf));
    stepped.push_back(cycle.stage == Stage::kStepped ? 1 : 0);
  }
  if (external_.defined()) {
    found.push_back(detail::word(external_));
    stepped.push_back(cycles_.empty() ? 1 : 0);
  }
  const kernels::UpdateScaleArgs args{
      .device = device_.device(),
      .state = device_.data(),
      .rule = {saved_.growth_factor, saved_.backoff_factor, saved_.growth_interval,
               saved_.min_scale, saved_.max_scale, saved_.hysteresis},
      .found_inf = found.data(),
      .stepped = stepped.data(),
      .count = static_cast<std::int64_t>(found.size())};
  kernels::dispatch<&kernels::Backend::update_scale, kernels::host::update_scale>(args.device,
                                                                                  kFloat32, args);
  if (external_.defined()) detail::fill(external_, 0);
  end_cycle();
}

inline void GradScaler::update(double new_scale) {
  if (!enabled_) return;
  check_initialised("update");
  detail::check_scale("update", "new_scale", new_scale);
  GradScalerState state = state_dict();
  state.scale = new_scale;
  device_.write(state);
  end_cycle();
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
  saved_ = state;
  if (device_.exists()) device_.write(state);
  end_cycle();
}

}  // namespace amp::inline v0
