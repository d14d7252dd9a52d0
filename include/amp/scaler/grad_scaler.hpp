// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// GradScaler: multiplies the loss so that 16-bit gradients do not underflow, divides the gradients
// again, leaves out steps whose gradients overflowed, and adapts the scale (Micikevicius et al.
// 2018, arXiv 1710.03740, section 3.2; torch.amp.GradScaler).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "amp/kernels/host/unscale.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/adapter.hpp"

namespace amp::inline v0 {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  bool enabled = true;
  double min_scale = 0x1p-64;
  double max_scale = 0x1p126;
  int hysteresis = 1;  // back off at every hysteresis-th bad step; refilled when the scale grows
  std::optional<Device> device = {};  // unset: that of the first loss or gradient
};

/// Everything a scaler remembers between steps. Trivially copyable.
struct GradScalerState {
  double scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  double min_scale = 0x1p-64, max_scale = 0x1p126;
  std::int32_t hysteresis = 1, hysteresis_left = 1, growth_tracker = 0;
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
};

/// Optimizer steps taken and left out, and how many updates in a row saw a non-finite gradient.
struct GradScalerCounters {
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
};

/// Whether a step was left out. Owns the device's answer: right whenever asked.
class StepResult {
 public:
  StepResult() = default;
  explicit StepResult(Tensor found_inf) : found_inf_(std::move(found_inf)) {}
  /// Synchronises when asked, not before.
  bool skipped() const { return found_inf_.defined() && found_inf_.item<float>() != 0; }
  /// The device word, non-zero where the step was skipped; null for a disabled scaler.
  const float* skipped_data() const {
    return found_inf_.defined() ? found_inf_.const_data<float>() : nullptr;
  }

 private:
  Tensor found_inf_;
};

namespace detail {

/// d(loss * scale)/d(loss) = scale, and the gradients from here on carry it.
class ScaleNode final : public autograd::Node {
 public:
  ScaleNode(const Tensor& output, const Tensor& loss, const Tensor& scale)
      : Node("GradScaler::scale", output),
        input_{Ref<autograd::Node>(autograd::node_of(loss))},
        loss_dtype_(loss.dtype()),
        scale_(scale) {}

  std::span<const Ref<autograd::Node>> inputs() const override { return {&input_, 1}; }
  void backward(const Tensor& gradient, std::span<Tensor> gradients) override {
    const Tensor& scale = scale_.get("GradScaler::scale");
    gradients[0] = binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
        gradient, scale, gradient.shape(), loss_dtype_);
  }
  bool scales_gradient() const override { return true; }

 private:
  Ref<autograd::Node> input_;
  DType loss_dtype_;
  autograd::SavedTensor scale_;
};

}  // namespace detail

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
  explicit GradScaler(const GradScalerOptions& options = {})
      : enabled_(options.enabled), device_(options.device) {
    if (!enabled_) return;
    saved_ = {.scale = options.init_scale,
              .growth_factor = options.growth_factor,
              .backoff_factor = options.backoff_factor,
              .growth_interval = options.growth_interval,
              .min_scale = options.min_scale,
              .max_scale = options.max_scale,
              .hysteresis = options.hysteresis,
              .hysteresis_left = options.hysteresis};
    check(saved_);
  }
  GradScaler(const GradScaler&) = delete;  // optimizers in mid-cycle belong to one scaler
  GradScaler& operator=(const GradScaler&) = delete;

  bool is_enabled() const { return enabled_; }

  /// loss * scale, in float32 (float64 for a float64 loss): finite also for a 16-bit loss.
  /// Differentiable.
  Tensor scale(const Tensor& loss) {
    AMP_CHECK(loss.defined(), "scale: `loss` is undefined");
    if (!enabled_) return loss;
    initialise(loss.device());
    check_device("scale", loss.device());
    const Tensor& scale = scale_word_;
    const DType dtype = loss.dtype() == kFloat64 ? kFloat64 : kFloat32;
    const Tensor scaled = detail::binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
        loss, scale, loss.shape(), dtype);
    if (autograd::recording(loss))
      scaled.impl().history = make_ref<detail::ScaleNode>(scaled, loss, scale);
    return scaled;
  }
  std::vector<Tensor> scale(std::span<const Tensor> losses) {
    std::vector<Tensor> scaled;
    scaled.reserve(losses.size());
    for (const Tensor& loss : losses) scaled.push_back(scale(loss));
    return scaled;
  }
  std::vector<Tensor> scale(std::initializer_list<Tensor> losses) {
    return scale(std::span(losses.begin(), losses.size()));
  }

  /// Divides the optimizer's gradients by the scale, in place, and notes whether any is not finite.
  /// 16-bit gradients of amp's own optimizers stay scaled until the step, which unscales them in
  /// float32.
  template <OptimizerLike O>
  void unscale_(O& optimizer) {
    if (!enabled_) return;
    Cycle& cycle = begin("unscale_", &optimizer);
    const auto views = gradients_of("unscale_", optimizer, cycle);
    constexpr bool kKeepsLow = requires { optimizer.mark_unscaled(); };
    run_unscale(views, cycle, true, kKeepsLow);
    if constexpr (kKeepsLow) optimizer.mark_unscaled();
    cycle.scale = {.inverse = one(),
                   .found_inf = word(cycle.found_inf),
                   .inverse_low_precision = kKeepsLow ? inverse() : nullptr};
    cycle.stage = Stage::kUnscaled;
  }

  /// unscale_ and clipping by the common norm in the one order that is right. Returns the norm of
  /// the unscaled gradients before clipping, 0-dimensional float32. A scale-aware optimizer's
  /// gradients are only read here: its step applies scale and clip at once.
  template <OptimizerLike O>
  Tensor unscale_and_clip(O& optimizer, double max_norm) {
    AMP_CHECK(max_norm > 0, "unscale_and_clip: `max_norm` must be above 0, but is ", max_norm);
    if (!enabled_) return clip_only(optimizer, max_norm);
    Cycle& cycle = begin("unscale_and_clip", &optimizer);
    const auto views = gradients_of("unscale_and_clip", optimizer, cycle);
    constexpr bool kAware = ScaleAwareOptimizer<O>;
    run_unscale(views, cycle, !kAware, false);
    cycle.clip = empty({2}, {.device = state_.device()});  // the norm, and the coefficient
    run_clip(views, cycle, kAware ? inverse() : nullptr, !kAware, max_norm);
    cycle.scale = {.inverse = kAware ? inverse() : one(),
                   .found_inf = word(cycle.found_inf),
                   .clip = kAware ? word(cycle.clip) + 1 : nullptr};
    cycle.stage = Stage::kUnscaled;
    return cycle.clip.alias({}, {}, 0);
  }

  /// The optimizer's step, unless a gradient is not finite. Unscales first where unscale_ did not.
  /// Synchronises only for an optimizer that is not scale-aware: the host then has to know.
  template <OptimizerLike O>
  StepResult step(O& optimizer) {
    if (!enabled_) {
      optimizer.step();
      return StepResult();
    }
    Cycle* const known = find(&optimizer);
    if constexpr (ScaleAwareOptimizer<O>) {
      Cycle& cycle =
          known != nullptr && known->stage == Stage::kUnscaled ? *known : begin("step", &optimizer);
      if (cycle.stage == Stage::kReady) {
        run_unscale(gradients_of("step", optimizer, cycle), cycle, false, false);
        cycle.scale = {.inverse = inverse(), .found_inf = word(cycle.found_inf)};
      }
      const Abandon on_error{*this, &optimizer};
      optimizer.step(cycle.scale);
    } else {
      if (known == nullptr || known->stage != Stage::kUnscaled) {
        Cycle& cycle = begin("step", &optimizer);
        run_unscale(gradients_of("step", optimizer, cycle), cycle, true, false);
      }
      const Abandon on_error{*this, &optimizer};
      if (find(&optimizer)->found_inf.template item<float>() == 0) optimizer.step();
    }
    Cycle& cycle = *find(&optimizer);
    cycle.stage = Stage::kStepped;
    return StepResult(cycle.found_inf);
  }

  /// Ends the cycle: lowers the scale where any gradient of it was not finite, raises it after
  /// growth_interval good ones. Throws where nothing was unscaled or stepped since the last update.
  void update() {
    if (!enabled_) return;
    check_initialised("update");
    AMP_CHECK(!cycles_.empty() || external_.defined(),
              "update: no optimizer was unscaled or stepped since the last update; call "
              "step(optimizer) first");
    std::vector<const float*> found;
    std::vector<std::uint8_t> stepped;
    for (const Cycle& cycle : cycles_) {
      found.push_back(word(cycle.found_inf));
      stepped.push_back(cycle.stage == Stage::kStepped ? 1 : 0);
    }
    if (external_.defined()) {
      found.push_back(word(external_));
      stepped.push_back(cycles_.empty() ? 1 : 0);
    }
    const kernels::UpdateScaleArgs args{.device = state_.device(),
                                        .state = device_state(),
                                        .rule = rule(),
                                        .found_inf = found.data(),
                                        .stepped = stepped.data(),
                                        .count = static_cast<std::int64_t>(found.size())};
    kernels::dispatch<&kernels::Backend::update_scale, kernels::host::update_scale>(state_.device(),
                                                                                    kFloat32, args);
    if (external_.defined()) detail::fill(external_, 0);
    end_cycle();
  }
  /// Sets the scale, and drops what the cycle recorded.
  void update(double new_scale) {
    if (!enabled_) return;
    check_initialised("update");
    check_scale("update", "new_scale", new_scale);
    GradScalerState state = state_dict();
    state.scale = new_scale;
    write(state);
    end_cycle();
  }

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
  const float* scale_data(Device device) {
    initialise(device);
    check_device("scale_data", device);
    return &device_state()->scale;
  }
  const float* inverse_scale_data(Device device) {
    scale_data(device);
    return inverse();
  }
  float* found_inf_data(Device device) {
    scale_data(device);
    if (!external_.defined()) external_ = zeros({}, {.device = state_.device()});
    return word(external_);
  }

  /// Synchronises. Best taken after update().
  GradScalerState state_dict() const {
    GradScalerState state = saved_;
    if (!state_.defined()) return state;
    kernels::ScaleState live;
    copy_bytes(kCPU, &live, state_.device(), state_.raw_data(), sizeof live);
    state.scale = static_cast<double>(live.scale);
    state.growth_tracker = live.growth_tracker;
    state.hysteresis_left = live.hysteresis_left;
    state.applied = live.applied;
    state.skipped = live.skipped;
    state.consecutive_skips = live.consecutive_skipped;
    return state;
  }
  /// Throws, and changes nothing, where the state cannot work. Legal at any time; what the cycle
  /// recorded is dropped.
  void load_state_dict(const GradScalerState& state) {
    if (!enabled_) return;
    check(state);
    saved_ = state;
    if (state_.defined()) write(state);
    end_cycle();
  }

 private:
  enum class Stage { kReady, kUnscaled, kStepped };
  /// One optimizer's way through the current cycle.
  struct Cycle {
    const void* optimizer;
    Stage stage = Stage::kReady;
    Tensor found_inf;  // float32 word on the device
    Tensor clip = {};
    GradScale scale = {};
    std::int64_t gradients = 0;
  };
  /// Forgets the optimizer's cycle where its step throws, so that a new one can begin.
  struct Abandon {
    GradScaler& scaler;
    const void* optimizer;
    int exceptions = std::uncaught_exceptions();
    ~Abandon() {
      if (std::uncaught_exceptions() > exceptions) scaler.forget(optimizer);
    }
  };

  static void check_scale(std::string_view call, std::string_view what, double value) {
    AMP_CHECK(std::isfinite(value) && static_cast<float>(value) > 0 &&
                  is_finite(static_cast<float>(value)),
              call, ": `", what, "` must be a finite float above 0, but is ", value);
  }
  static void check(const GradScalerState& s) {
    check_scale("GradScaler", "init_scale", s.scale);
    check_scale("GradScaler", "min_scale", s.min_scale);
    check_scale("GradScaler", "max_scale", s.max_scale);
    AMP_CHECK(s.min_scale <= s.max_scale, "GradScaler: `min_scale` ", s.min_scale,
              " lies above `max_scale` ", s.max_scale);
    AMP_CHECK(s.growth_factor > 1 && std::isfinite(s.growth_factor),
              "GradScaler: `growth_factor` must be above 1, but is ", s.growth_factor);
    AMP_CHECK(s.backoff_factor > 0 && s.backoff_factor < 1,
              "GradScaler: `backoff_factor` must lie in (0, 1), but is ", s.backoff_factor);
    AMP_CHECK(s.growth_interval >= 1, "GradScaler: `growth_interval` must be at least 1, but is ",
              s.growth_interval);
    AMP_CHECK(s.hysteresis >= 1, "GradScaler: `hysteresis` must be at least 1, but is ",
              s.hysteresis);
  }
  template <class Change>
  void change(Change&& apply) {
    GradScalerState changed = saved_;
    apply(changed);
    if (enabled_) check(changed);
    saved_ = changed;
  }

  kernels::ScaleRule rule() const {
    return {saved_.growth_factor, saved_.backoff_factor, saved_.growth_interval,
            saved_.min_scale,     saved_.max_scale,      saved_.hysteresis};
  }

  // --- the device's words
  // ---------------------------------------------------------------------------------------------------------
  kernels::ScaleState* device_state() const {
    return static_cast<kernels::ScaleState*>(state_.raw_data());
  }
  const float* inverse() const { return &device_state()->inverse; }
  const float* one() {
    if (!one_.defined()) one_ = ones({}, {.device = state_.device()});
    return word(one_);
  }
  static float* word(const Tensor& tensor) { return static_cast<float*>(tensor.raw_data()); }

  void initialise(Device device) {
    if (state_.defined()) return;
    const Device where = device_.value_or(device);
    state_ = empty({static_cast<std::int64_t>(sizeof(kernels::ScaleState))},
                   {.dtype = kUInt8, .device = where});
    scale_word_ = Tensor(
        make_ref<detail::TensorImpl>(state_.impl().storage, Shape(), Strides(), 0, kFloat32));
    write(saved_);
  }
  void write(const GradScalerState& state) {
    kernels::ScaleState live{};
    kernels::set_scale(live, state.scale);
    live.growth_tracker = state.growth_tracker;
    live.hysteresis_left = state.hysteresis_left;
    live.applied = state.applied;
    live.skipped = state.skipped;
    live.consecutive_skipped = state.consecutive_skips;
    copy_bytes(state_.device(), state_.raw_data(), kCPU, &live, sizeof live);
    state_.mark_modified();
  }
  void check_initialised(std::string_view call) const {
    AMP_CHECK(state_.defined(), call,
              ": nothing was scaled yet; call scale(loss) before backward first");
  }
  void check_device(std::string_view call, Device device) const {
    AMP_CHECK(device == state_.device(), call, ": this scaler lives on ", state_.device(),
              ", but was given ", device);
  }

  // --- cycles
  // -----------------------------------------------------------------------------------------------------------------------
  Cycle* find(const void* optimizer) {
    for (Cycle& cycle : cycles_) {
      if (cycle.optimizer == optimizer) return &cycle;
    }
    return nullptr;
  }
  void forget(const void* optimizer) {
    std::erase_if(cycles_, [&](const Cycle& cycle) { return cycle.optimizer == optimizer; });
  }
  void end_cycle() {
    for (Cycle& cycle : cycles_) {
      if (cycle.found_inf.unique())
        words_.push_back(std::move(cycle.found_inf));  // else a StepResult keeps it
    }
    cycles_.clear();
    if (state_.defined()) state_.mark_modified();
  }
  /// A cycle for an optimizer that has none yet. Throws, naming the stage, where it has.
  Cycle& begin(std::string_view call, const void* optimizer) {
    check_initialised(call);
    if (const Cycle* const cycle = find(optimizer)) {
      const bool stepped = cycle->stage == Stage::kStepped;
      detail::fail(call, ": this optimizer is already ", stepped ? "stepped" : "unscaled",
                   " in this cycle (", cycle->gradients, " gradients); next may come ",
                   stepped ? "update()" : "step(optimizer) or update()");
    }
    Tensor found_inf;
    if (!words_.empty()) {
      found_inf = std::move(words_.back());
      words_.pop_back();
      detail::fill(found_inf, 0);
    } else {
      found_inf = zeros({}, {.device = state_.device()});
    }
    return cycles_.emplace_back(Cycle{.optimizer = optimizer, .found_inf = std::move(found_inf)});
  }

  /// Checks the gradients and counts them into the cycle; forgets the cycle where they cannot be
  /// used.
  template <class O>
  std::vector<kernels::GradientSpan> gradients_of(std::string_view call, O& optimizer,
                                                  Cycle& cycle) {
    const Abandon on_error{*this, &optimizer};
    std::vector<kernels::GradientSpan> spans;
    std::int64_t index = 0;
    for (const TensorView& view : optimizer.gradients()) {
      AMP_CHECK(is_floating_point(view.dtype), call, ": gradient ", index, " ", view.name,
                " must be floating point, but is ", view.dtype);
      AMP_CHECK(view.numel >= 0 && (view.data != nullptr || view.numel == 0), call, ": gradient ",
                index, " ", view.name, " has ", view.numel, " elements, but no data");
      AMP_CHECK(view.device == state_.device(), call, ": gradient ", index, " ", view.name,
                " is on ", view.device, ", but the scaler is on ", state_.device());
      spans.push_back({view.data, view.numel, view.dtype});
      ++index;
    }
    AMP_CHECK(!spans.empty(), call,
              ": no parameter of the optimizer has a gradient; was backward() called on the scaled "
              "loss, and does the "
              "optimizer hold the parameters that the model uses?");
    cycle.gradients = index;
    return spans;
  }

  void run_unscale(std::vector<kernels::GradientSpan> gradients, const Cycle& cycle, bool write,
                   bool keep_low_precision) {
    const auto run = [&](std::span<const kernels::GradientSpan> part, bool write_part) {
      if (part.empty()) return;
      const kernels::UnscaleArgs args{
          state_.device(), part.data(),           static_cast<std::int64_t>(part.size()),
          inverse(),       word(cycle.found_inf), write_part};
      kernels::dispatch<&kernels::Backend::unscale, kernels::host::unscale>(state_.device(),
                                                                            part[0].dtype, args);
    };
    if (!keep_low_precision) return run(gradients, write);
    const auto low = std::stable_partition(gradients.begin(), gradients.end(), [](const auto& g) {
      return !is_low_precision(g.dtype);
    });
    run({gradients.begin(), low}, write);
    run({low, gradients.end()}, false);
  }
  void run_clip(const std::vector<kernels::GradientSpan>& gradients, const Cycle& cycle,
                const float* inverse_scale, bool write, double max_norm) {
    const Device device = state_.device();
    const auto count = static_cast<std::int64_t>(gradients.size());
    float* const norm = word(cycle.clip);
    kernels::dispatch<&kernels::Backend::grad_norm, kernels::host::grad_norm>(
        device, gradients[0].dtype, {device, gradients.data(), count, inverse_scale, norm});
    kernels::dispatch<&kernels::Backend::clip, kernels::host::clip>(
        device, gradients[0].dtype,
        {device, gradients.data(), write ? count : 0, norm, norm + 1, word(cycle.found_inf),
         max_norm});
  }
  /// What unscale_and_clip is for a disabled scaler.
  template <class O>
  Tensor clip_only(O& optimizer, double max_norm) {
    std::vector<kernels::GradientSpan> spans;
    Device device = device_.value_or(Device());
    for (const TensorView& view : optimizer.gradients()) {
      spans.push_back({view.data, view.numel, view.dtype});
      device = view.device;
    }
    const Tensor words = zeros({2}, {.device = device});
    if (!spans.empty()) {
      const auto count = static_cast<std::int64_t>(spans.size());
      kernels::dispatch<&kernels::Backend::grad_norm, kernels::host::grad_norm>(
          device, spans[0].dtype, {device, spans.data(), count, nullptr, word(words)});
      kernels::dispatch<&kernels::Backend::clip, kernels::host::clip>(
          device, spans[0].dtype,
          {device, spans.data(), count, word(words), word(words) + 1, nullptr, max_norm});
    }
    return words.alias({}, {}, 0);
  }

  bool enabled_;
  std::optional<Device> device_;
  GradScalerState saved_;  // the rule, and the scale before the device has one
  Tensor state_;           // bytes of a ScaleState
  Tensor scale_word_;      // its scale, as a 0-dimensional float32 tensor
  Tensor one_, external_;  // words: the number 1; what found_inf_data gave out
  std::vector<Cycle> cycles_;
  std::vector<Tensor> words_;  // found_inf words to use again
};

}  // namespace amp::inline v0
