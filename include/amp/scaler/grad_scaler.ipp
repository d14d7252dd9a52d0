// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

#include "amp/autograd/function.hpp"
#include "amp/core/error.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/clip.hpp"
#include "amp/scaler/grad_scaler.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/scale_node.hpp"
#include "amp/scaler/several_devices.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// As an error says it where the words are wanted and do not exist yet.
inline constexpr std::string_view kNotStarted =
    ": nothing was scaled yet; call scale(loss) before backward first (one's own gradients: "
    "scale_data(device), which starts the scaler; get_scale() does not)";

AMP_COLD void refuse_closure() {
  fail(
      "step: an optimizer with a closure cannot be used with gradient scaling, as in PyTorch: the "
      "closure computes gradients within the step, where they are neither scaled nor tested; call "
      "backward before step(optimizer)");
}

}  // namespace detail

AMP_COLD GradScaler::GradScaler(const GradScalerOptions& options)
    : enabled_(options.enabled),
      statistics_(options.statistics),
      on_overflow_(options.on_overflow),
      skips_in_a_row_(options.skips_in_a_row),
      on_skips_(detail::or_out_of_memory([&] { return options.on_skips; })),
      agree_(detail::or_out_of_memory([&] { return options.agree; })),
      wanted_(options.device),
      saved_(detail::initial_state(options)),
      cycles_(options.policy != ScalePolicy::kNone),
      ledgers_(options.ledger) {
  if (!enabled_) return;
  detail::check_state(saved_);
  AMP_CHECK(skips_in_a_row_ >= 1, "GradScaler: `skips_in_a_row` must be at least 1, but is ",
            skips_in_a_row_);
  AMP_CHECK(options.ledger >= 0 && options.ledger <= 65536,
            "GradScaler: `ledger` must lie in [0, 65536], but is ", options.ledger);
  AMP_CHECK(on_overflow_ <= OverflowPolicy::kSanitize,
            "GradScaler: `on_overflow` is no OverflowPolicy, but ", static_cast<int>(on_overflow_));
}

AMP_INLINE GradScaler::~GradScaler() = default;

AMP_INLINE Tensor GradScaler::scale(const Tensor& loss) {
  if (!enabled_) return loss;
  AMP_CHECK(loss.defined(), "scale: `loss` is undefined");
  const Tensor& scale = begin_scale(loss.device());
  const DType dtype = loss.dtype() == kFloat64 ? kFloat64 : kFloat32;
  const Tensor scaled = detail::binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
      loss, scale, loss.shape(), dtype);
  if (autograd::recording(loss))
    scaled.impl().history = make_ref<detail::ScaleNode>(scaled, loss, scale, device_.own().scale);
  ledgers_.record_loss(loss, scaled);
  return scaled;
}

AMP_INLINE std::vector<Tensor> GradScaler::scale(std::span<const Tensor> losses) {
  auto scaled = detail::or_out_of_memory([&] { return std::vector<Tensor>(losses.size()); });
  for (std::size_t i = 0; i < losses.size(); ++i) scaled[i] = scale(losses[i]);
  return scaled;
}
AMP_INLINE std::vector<Tensor> GradScaler::scale(std::initializer_list<Tensor> losses) {
  return scale(std::span(losses.begin(), losses.size()));
}

AMP_INLINE const Tensor& GradScaler::begin_scale(Device device) {
  start(device);
  if (ledgers_.exist() && device != device_.device()) [[unlikely]]
    detail::refuse_elsewhere("scale", "the loss is", device, device_.device(), "ledger");
  const Tensor& scale = device_.on(device).scale;
  if (cycles_.end_if_interrupted()) ledgers_.end_cycle();
  return scale;
}

AMP_INLINE void GradScaler::start(Device device) {
  if (!device_.exists()) [[unlikely]]
    device_ = detail::DeviceScale(wanted_ ? *wanted_ : device, saved_);
}

AMP_COLD void GradScaler::initialise(std::string_view call, Device device) {
  start(device);
  AMP_CHECK(device == device_.device(), call, ": this scaler lives on ", device_.device(),
            ", but was given ", device);
}
AMP_INLINE void GradScaler::check_initialised(std::string_view call) const {
  AMP_CHECK(device_.exists(), call, detail::kNotStarted);
}

AMP_INLINE StatisticsResult GradScaler::statistics_of(const void* optimizer) const {
  if (!enabled_) return {};
  AMP_CHECK(statistics_,
            "statistics: none are collected without GradScalerOptions{.statistics = true}");
  const Tensor words = cycles_.statistics(optimizer);
  AMP_CHECK(words.defined(),
            "statistics: this optimizer's gradients were not looked at in this or the last cycle; "
            "call unscale_, unscale_and_clip or step first");
  return StatisticsResult(words);
}

AMP_COLD Tensor GradScaler::statistics_words(Device device) const {
  return statistics_ ? StatisticsResult::make_words(device) : Tensor();
}

AMP_COLD void GradScaler::sanitize(const detail::AnyOptimizer& optimizer, Cycle& cycle) {
  if (on_overflow_ != OverflowPolicy::kSanitize) return;
  const Device device = device_.device();
  cycle.sanitized = zeros({}, {.device = device});
  if (!sanitized_.defined()) sanitized_ = zeros({}, {.dtype = kInt64, .device = device});
  sanitized_.mark_modified();                                     // a graph keeps what it writes
  detail::sanitize(cycle.parts[0], cycle.sanitized, sanitized_);  // there is no other part
  if (agree_) agree_(cycle.sanitized);
  if (!optimizer.has_parameters()) return;
  optimizer.visit_parameters([](const Tensor& p) {
    if (const Tensor grad = p.grad(); grad.defined()) grad.impl().storage->bump_version();
  });
}

AMP_COLD void GradScaler::check_ledger(std::string_view call) const {
  AMP_CHECK(ledgers_.exist() || !enabled_, call,
            ": no passes are recorded without GradScalerOptions{.ledger = 16}");
}

AMP_COLD GradientLedger GradScaler::ledger_of(const void* optimizer) {
  check_ledger("ledger");
  return enabled_ ? GradientLedger(ledgers_.of(optimizer)) : GradientLedger();
}
AMP_COLD std::vector<GradientLedger> GradScaler::ledgers() const {
  check_ledger("ledgers");
  return ledgers_.all();
}

AMP_INLINE kernels::LedgerArgs GradScaler::ledger_args(const detail::AnyOptimizer& optimizer,
                                                       const Cycle& cycle) {
  if (!ledgers_.exist()) return {};
  kernels::LedgerArgs args =
      ledgers_.prepare(cycle.ledger.get(), device_.device(), cycle.gradients,
                       detail::most_gradients(optimizer), &device_.data()->scale);
  if (cycle.sanitized.defined()) args.sanitized = detail::word(cycle.sanitized);
  return args;
}

AMP_INLINE void GradScaler::unscale(const detail::AnyOptimizer& optimizer, Cycle& cycle, bool write,
                                    bool finite_norm) {
  for (detail::GradientPart& part : cycle.parts) {
    const Tensor seen = statistics_words(part.device);
    detail::unscale({part.device, part.spans.data(), part.count(), part.inverse,
                     detail::word(part.found_inf), write, &part.table,
                     detail::norm_pointer(part.norm), finite_norm, StatisticsResult::data(seen),
                     ledger_args(optimizer, cycle)});
    cycle.statistics = seen;
  }
  if (cycle.parts.size() > 1) [[unlikely]]
    cycle.common_found_inf = detail::join_found_inf(cycle.parts, cycle.common_found_inf);
  if (agree_) agree_(cycle.found_inf());
}

AMP_COLD void GradScaler::drop_cycle() {
  cycles_.end();
  ledgers_.end_cycle();
  if (external_.defined()) detail::fill(external_, 0);
}

AMP_INLINE detail::Cycle& GradScaler::begin(std::string_view call, const void* optimizer) {
  check_initialised(call);
  std::shared_ptr<detail::Ledger> ledger;
  if (ledgers_.exist()) ledger = ledgers_.of(optimizer);
  Cycle& cycle = cycles_.begin(call, optimizer);
  cycle.ledger = std::move(ledger);
  return cycle;
}

AMP_INLINE void GradScaler::collect(std::string_view call, const detail::AnyOptimizer& optimizer,
                                    Cycle& cycle, bool writes) {
  if (!agree_) detail::require_one_rank(call, optimizer);
  cycles_.look(call, optimizer, cycle, writes, device_.device());
  const bool sanitizes = on_overflow_ == OverflowPolicy::kSanitize;
  if (cycle.parts.size() > 1 || cycle.parts[0].device != device_.device()) [[unlikely]]
    detail::check_parts(
        call, cycle.parts, device_.device(),
        {.ledger = ledgers_.exist(), .sanitizes = sanitizes, .statistics = statistics_});
  for (detail::GradientPart& part : cycle.parts) part.inverse = device_.on(part.device).inverse();
}

AMP_COLD void GradScaler::report_skips() {
  if (!on_skips_ || device_.device().type != kCPU) return;
  const kernels::ScaleState& live = *device_.data();
  if (live.consecutive_skips == 0 || live.consecutive_skips % skips_in_a_row_ != 0) return;
  on_skips_(counters());
}

AMP_INLINE void GradScaler::unscale_any(const detail::AnyOptimizer& optimizer) {
  if (!enabled_) return;
  Cycle& cycle = begin("unscale_", optimizer.address());
  detail::ForgetOnError guard(cycles_, optimizer.address());
  collect("unscale_", optimizer, cycle, true);
  detail::GradientPart& first = cycle.parts[0];
  cycle.scale = {.inverse = detail::word(device_.on(first.device).one),
                 .found_inf = detail::word(cycle.found_inf())};
  guard.unscaled = true;
  if (optimizer.is_scale_aware() && optimizer.marks_gradients()) {
    // Such an optimizer unscales 16-bit gradients itself, in float32: only look at them.
    for (kernels::GradientSpan& span : first.spans) span.read_only = is_low_precision(span.dtype);
    cycle.scale.inverse_low_precision = first.inverse;
  }
  sanitize(optimizer, cycle);
  if (cycle.wants_norm && cycle.parts.size() == 1)
    first.norm = detail::make_norm(first.spans, first.device);
  unscale(optimizer, cycle, true);
  if (first.norm.defined()) first.norm.mark_modified();
  if (optimizer.marks_gradients()) optimizer.mark_unscaled();
  cycle.known_norm = detail::note_norm(optimizer, first.spans, std::move(first.norm));
  cycle.stage = Stage::kUnscaled;
}

AMP_INLINE Tensor GradScaler::unscale_and_clip_any(const detail::AnyOptimizer& optimizer,
                                                   double max_norm) {
  AMP_CHECK(max_norm > 0, "unscale_and_clip: `max_norm` must be above 0, but is ", max_norm);
  if (!enabled_)
    return detail::clip_without_scale("unscale_and_clip", optimizer, max_norm, wanted_);
  const bool aware = optimizer.is_scale_aware();
  Cycle& cycle = begin("unscale_and_clip", optimizer.address());
  detail::ForgetOnError guard(cycles_, optimizer.address());
  collect("unscale_and_clip", optimizer, cycle, !aware);
  guard.unscaled = !aware;
  sanitize(optimizer, cycle);
  const Tensor norm = cycle.parts.size() == 1 ? unscale_and_clip_part(optimizer, cycle, max_norm)
                                              : unscale_and_clip_parts(optimizer, cycle, max_norm);
  cycle.stage = Stage::kUnscaled;
  return norm;
}

AMP_INLINE Tensor GradScaler::unscale_and_clip_part(const detail::AnyOptimizer& optimizer,
                                                    Cycle& cycle, double max_norm) {
  detail::GradientPart& part = cycle.parts[0];
  float* const found_inf = detail::word(part.found_inf);
  const detail::ClipScalars words(part.spans, part.device);
  part.norm = words.memory;
  if (optimizer.is_scale_aware()) {
    const Tensor seen = statistics_words(part.device);
    detail::grad_norm(optimizer, {part.device, part.spans.data(), part.count(), part.inverse,
                                  words.norm, words.coefficient, found_inf, max_norm, &part.table,
                                  StatisticsResult::data(seen), words.coefficient_float64,
                                  ledger_args(optimizer, cycle)});
    if (agree_) agree_(part.found_inf);
    cycle.statistics = seen;
    cycle.scale = {.inverse = part.inverse,
                   .found_inf = found_inf,
                   .clip = words.coefficient,
                   .clip_float64 = words.coefficient_float64};
  } else {
    unscale(optimizer, cycle, true, true);
    if (optimizer.marks_gradients()) optimizer.mark_unscaled();
    detail::clip(part.device, part.spans, words.norm, max_norm, found_inf, &part.table);
  }
  return part.norm.alias({}, {}, 0);
}

AMP_COLD Tensor GradScaler::unscale_and_clip_parts(const detail::AnyOptimizer& optimizer,
                                                   Cycle& cycle, double max_norm) {
  for (detail::GradientPart& part : cycle.parts) part.norm = detail::make_part_norm(part);
  unscale(optimizer, cycle, true);
  if (optimizer.marks_gradients()) optimizer.mark_unscaled();
  return detail::clip_parts(cycle.parts, max_norm, device_.device(), cycle.common_found_inf);
}

AMP_INLINE StepResult GradScaler::step_any(const detail::AnyOptimizer& optimizer) {
  if (!enabled_) {
    optimizer.step();
    return StepResult();
  }
  check_initialised("step");
  const bool aware = optimizer.is_scale_aware();
  Cycle* cycle = cycles_.find(optimizer.address());
  if (cycle == nullptr || cycle->stage != Stage::kUnscaled)
    cycle = &begin("step", optimizer.address());
  detail::ForgetOnError guard(cycles_, optimizer.address());
  guard.unscaled = cycle->stage == Stage::kUnscaled;
  if (cycle->stage == Stage::kReady) {
    collect("step", optimizer, *cycle, !aware);
    cycle->scale = {.inverse = cycle->parts[0].inverse,
                    .found_inf = detail::word(cycle->found_inf())};
    guard.unscaled = !aware;
    sanitize(optimizer, *cycle);
    unscale(optimizer, *cycle, !aware);
    if (!aware && optimizer.marks_gradients()) optimizer.mark_unscaled();
  }
  cycle->forget_norm();
  if (aware) {
    optimizer.step(cycle->scale);
  } else if (cycle->found_inf().item<float>() == 0) {
    optimizer.step();
  }
  cycle->stage = Stage::kStepped;
  return StepResult(cycle->found_inf());
}

AMP_COLD void GradScaler::skip_step_of(const void* optimizer) {
  if (!enabled_) return;
  check_initialised("skip_step");
  Cycle* cycle = cycles_.find(optimizer);
  if (cycle == nullptr || cycle->stage != Stage::kUnscaled) cycle = &begin("skip_step", optimizer);
  cycle->forget_norm();
  cycle->stage = Stage::kSkipped;
}

AMP_INLINE void GradScaler::update() {
  if (!enabled_) return;
  check_initialised("update");
  AMP_CHECK(!cycles_.empty() || external_.defined(),
            "update: no optimizer was unscaled or stepped since the last update (0 gradients); "
            "call step(optimizer), or skip_step(optimizer), first");
  if (agree_ && external_.defined()) agree_(external_);
  float* const clears = external_.defined() ? detail::word(external_) : nullptr;
  const bool looked = cycles_.update_scale(device_, detail::rule_of(saved_), clears);
  cycles_.end();
  ledgers_.end_cycle();
  device_.mark_modified();
  if (looked) report_skips();
}

AMP_INLINE void GradScaler::update(double new_scale) {
  if (!enabled_) return;
  check_initialised("update");
  detail::check_scale("update", "new_scale", new_scale);
  GradScalerState state = state_dict();
  state.scale = new_scale;
  detail::check_state(state);
  device_.write(state);
  drop_cycle();
}

AMP_COLD const float* GradScaler::scale_data(Device device) {
  initialise("scale_data", device);
  return &device_.data()->scale;
}
AMP_COLD const float* GradScaler::inverse_scale_data(Device device) {
  initialise("inverse_scale_data", device);
  return device_.on(device).inverse();
}
AMP_COLD float* GradScaler::found_inf_data(Device device) {
  initialise("found_inf_data", device);
  if (!external_.defined()) external_ = zeros({}, {.device = device});
  return detail::word(external_);
}

AMP_COLD GradScalerState GradScaler::state_dict() const {
  GradScalerState state = saved_;
  if (device_.exists()) device_.read(state);
  return state;
}
AMP_COLD void GradScaler::load_state_dict(const GradScalerState& state) {
  if (!enabled_) return;
  detail::check_state(state);
  if (device_.exists()) device_.write(state);
  saved_ = state;
  drop_cycle();
}

AMP_COLD double GradScaler::get_scale() const { return enabled_ ? state_dict().scale : 1.0; }

template <class T>
void GradScaler::change(T GradScalerState::*member, T value) {
  GradScalerState changed = saved_;
  changed.*member = value;
  if (enabled_) detail::check_state(changed);
  saved_ = changed;
}
AMP_COLD void GradScaler::set_growth_factor(double factor) {
  change(&GradScalerState::growth_factor, factor);
}
AMP_COLD void GradScaler::set_backoff_factor(double factor) {
  change(&GradScalerState::backoff_factor, factor);
}
AMP_COLD void GradScaler::set_growth_interval(std::int64_t n) {
  change(&GradScalerState::growth_interval, n);
}

AMP_COLD GradScalerCounters GradScaler::counters() const {
  const GradScalerState state = state_dict();
  return {state.applied, state.skipped, state.consecutive_skips,
          sanitized_.defined() ? sanitized_.item<std::int64_t>() : 0};
}

}  // namespace amp::inline v0
