// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/clip.hpp"
#include "amp/scaler/grad_scaler.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// The error of a call that needs a started scaler.
inline constexpr std::string_view kNotStarted =
    ": nothing was scaled yet; call scale(loss) before backward first (one's own gradients: "
    "scale_data(device), which starts the scaler; get_scale() does not)";

AMP_LAZY_DEFINITION void refuse_closure() {
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
      device_option_(options.device),
      state_(detail::initial_state(options)),
      cycle_(options.policy != ScalePolicy::kNone),
      ledgers_(options.ledger) {
  if (!enabled_) return;
  detail::check_state(state_);
  AMP_CHECK(skips_in_a_row_ >= 1, "GradScaler: `skips_in_a_row` must be at least 1, but is ",
            skips_in_a_row_);
  AMP_CHECK(options.ledger >= 0 && options.ledger <= 65536,
            "GradScaler: `ledger` must lie in [0, 65536], but is ", options.ledger);
  AMP_CHECK(static_cast<int>(on_overflow_) <= 1,
            "GradScaler: `on_overflow` is no OverflowPolicy, but ", static_cast<int>(on_overflow_));
}

AMP_INLINE GradScaler::~GradScaler() = default;

// The loss.

AMP_LAZY_DEFINITION Tensor GradScaler::scale(const Tensor& loss) {
  if (!enabled_) return loss;
  AMP_CHECK(loss.defined(), "scale: `loss` is undefined");
  const Tensor scaled = detail::scale_loss(loss, begin_scale(loss.device()), device_.own().scale);
  ledgers_.record_loss(loss, scaled);
  return scaled;
}

AMP_LAZY_DEFINITION std::vector<Tensor> GradScaler::scale(std::span<const Tensor> losses) {
  auto scaled = detail::or_out_of_memory([&] { return std::vector<Tensor>(losses.size()); });
  for (std::size_t i = 0; i < losses.size(); ++i) scaled[i] = scale(losses[i]);
  return scaled;
}
AMP_LAZY_DEFINITION std::vector<Tensor> GradScaler::scale(std::initializer_list<Tensor> losses) {
  return scale(std::span(losses.begin(), losses.size()));
}

AMP_LAZY_DEFINITION const Tensor& GradScaler::begin_scale(Device device) {
  start(device);
  if (ledgers_.exist() && device != device_.device()) [[unlikely]]
    detail::refuse_elsewhere("scale", "the loss is", device, device_.device(), "ledger");
  const Tensor& scale = device_.on(device).scale;
  if (cycle_.end_if_interrupted()) ledgers_.end_cycle();
  return scale;
}

// The pass over the gradients.

AMP_LAZY_DEFINITION detail::OptimizerCycle& GradScaler::run(const detail::AnyOptimizer& optimizer,
                                                            const Pass& pass) {
  detail::OptimizerCycle& cycle = begin_cycle(pass.call, optimizer.address());
  detail::ForgetOnError guard(cycle_, optimizer.address());
  collect(optimizer, cycle, pass);
  guard.unscaled = pass.writes;
  sanitize(optimizer, cycle);
  if (pass.writes && pass.max_norm > 0) detail::allocate_norms(cycle.parts);
  for (detail::GradientPart& part : cycle.parts) run_part(optimizer, cycle, part, pass);
  if (cycle.parts.size() > 1) [[unlikely]]
    cycle.common_found_inf = detail::join_found_inf(cycle.parts, cycle.common_found_inf);
  if (agree_) agree_(cycle.found_inf());
  if (pass.writes && optimizer.marks_gradients()) optimizer.mark_unscaled();
  if (pass.writes && pass.max_norm > 0)
    cycle.norm =
        detail::clip_unscaled(cycle.parts, pass.max_norm, device_.device(), cycle.found_inf());
  cycle.stage = detail::Stage::kUnscaled;
  return cycle;
}

AMP_LAZY_DEFINITION void GradScaler::run_part(const detail::AnyOptimizer& optimizer,
                                              detail::OptimizerCycle& cycle,
                                              detail::GradientPart& part, const Pass& pass) {
  const Tensor statistics = statistics_ ? StatisticsResult::allocate(part.device) : Tensor();
  const kernels::LedgerArgs ledger = ledger_args(optimizer, cycle);
  float* const found_inf = detail::scalar_data(part.found_inf);
  if (pass.writes || pass.max_norm == 0) {
    detail::unscale({.device = part.device,
                     .gradients = part.spans.data(),
                     .count = part.count(),
                     .inverse_scale = part.inverse,
                     .found_inf = found_inf,
                     .write = pass.writes,
                     .table = &part.table,
                     .norm = detail::norm_pointer(part.norm),
                     .finite_norm = pass.max_norm > 0,
                     .statistics = StatisticsResult::data(statistics),
                     .ledger = ledger});
  } else {
    const detail::ClipScalars clip(part.spans, part.device);
    detail::grad_norm(optimizer, {.device = part.device,
                                  .gradients = part.spans.data(),
                                  .count = part.count(),
                                  .inverse_scale = part.inverse,
                                  .norm = clip.norm,
                                  .coefficient = clip.coefficient,
                                  .found_inf = found_inf,
                                  .max_norm = pass.max_norm,
                                  .table = &part.table,
                                  .statistics = StatisticsResult::data(statistics),
                                  .coefficient_float64 = clip.coefficient_float64,
                                  .ledger = ledger});
    cycle.norm = clip.memory.alias({}, {}, 0);
    cycle.scale.clip = clip.coefficient;
    cycle.scale.clip_float64 = clip.coefficient_float64;
  }
  cycle.statistics = statistics;
}

AMP_LAZY_DEFINITION void GradScaler::collect(const detail::AnyOptimizer& optimizer,
                                             detail::OptimizerCycle& cycle, const Pass& pass) {
  if (!agree_) detail::require_one_rank(pass.call, optimizer);
  cycle_.collect(pass.call, optimizer, cycle, pass.writes, device_.device());
  detail::GradientPart& first = cycle.parts[0];
  if (cycle.parts.size() > 1 || first.device != device_.device()) [[unlikely]]
    detail::check_devices(pass.call, cycle.parts, device_.device(),
                          {.ledger = ledgers_.exist(),
                           .sanitizes = on_overflow_ != OverflowPolicy::kSkip,
                           .statistics = statistics_});
  for (detail::GradientPart& part : cycle.parts) part.inverse = device_.on(part.device).inverse();
  cycle.scale.found_inf = detail::scalar_data(cycle.found_inf());
  cycle.scale.inverse =
      pass.writes ? detail::scalar_data(device_.on(first.device).one) : first.inverse;
  if (pass.writes && optimizer.is_scale_aware() && optimizer.marks_gradients()) {
    // Such an optimizer unscales 16-bit gradients in its step, in float32.
    for (kernels::GradientSpan& span : first.spans) span.read_only = is_low_precision(span.dtype);
    cycle.scale.inverse_low_precision = first.inverse;
  }
}

AMP_LAZY_DEFINITION AMP_COLD void GradScaler::sanitize(const detail::AnyOptimizer& optimizer,
                                                       detail::OptimizerCycle& cycle) {
  if (on_overflow_ == OverflowPolicy::kSkip) return;
  const Device device = device_.device();
  cycle.sanitized = zeros({}, {.device = device});
  if (!sanitized_.defined()) sanitized_ = zeros({}, {.dtype = kInt64, .device = device});
  sanitized_.mark_modified();  // a graph that is recorded owns what it writes
  const Tensor& one = device_.on(device).one;
  detail::sanitize(cycle.parts[0], one, cycle.sanitized, sanitized_);  // there is one part
  if (agree_) agree_(cycle.sanitized);
  if (!optimizer.has_parameters()) return;
  optimizer.visit_parameters([](const Tensor& p) {
    if (const Tensor grad = p.grad(); grad.defined()) grad.impl().storage->bump_version();
  });
}

AMP_LAZY_DEFINITION kernels::LedgerArgs GradScaler::ledger_args(
    const detail::AnyOptimizer& optimizer, const detail::OptimizerCycle& cycle) {
  if (!ledgers_.exist()) return {};
  kernels::LedgerArgs args =
      ledgers_.prepare(cycle.ledger.get(), device_.device(), cycle.gradients,
                       detail::count_parameters(optimizer), &device_.data()->scale);
  if (cycle.sanitized.defined()) args.sanitized = detail::scalar_data(cycle.sanitized);
  return args;
}

AMP_LAZY_DEFINITION detail::OptimizerCycle& GradScaler::begin_cycle(std::string_view call,
                                                                    const void* optimizer) {
  check_started(call);
  std::shared_ptr<detail::Ledger> ledger;
  if (ledgers_.exist()) ledger = ledgers_.of(optimizer);
  detail::OptimizerCycle& cycle = cycle_.begin(call, optimizer);
  cycle.ledger = std::move(ledger);
  return cycle;
}

// The calls of a training loop.

AMP_LAZY_DEFINITION void GradScaler::unscale_any(const detail::AnyOptimizer& optimizer) {
  if (enabled_) run(optimizer, {.call = "unscale_", .writes = true});
}

AMP_LAZY_DEFINITION Tensor GradScaler::unscale_and_clip_any(const detail::AnyOptimizer& optimizer,
                                                            double max_norm) {
  constexpr std::string_view kCall = "unscale_and_clip";
  AMP_CHECK(max_norm > 0, kCall, ": `max_norm` must be above 0, but is ", max_norm);
  if (!enabled_) return detail::clip_without_scale(kCall, optimizer, max_norm, device_option_);
  return run(optimizer,
             {.call = kCall, .writes = !optimizer.is_scale_aware(), .max_norm = max_norm})
      .norm;
}

AMP_LAZY_DEFINITION StepResult GradScaler::step_any(const detail::AnyOptimizer& optimizer) {
  if (!enabled_) {
    optimizer.step();
    return StepResult();
  }
  const bool is_aware = optimizer.is_scale_aware();
  detail::OptimizerCycle* cycle = cycle_.find(optimizer.address());
  const bool is_unscaled = cycle != nullptr && cycle->stage == detail::Stage::kUnscaled;
  if (!is_unscaled) cycle = &run(optimizer, {.call = "step", .writes = !is_aware});
  const detail::ForgetOnError guard(cycle_, optimizer.address(), is_unscaled || cycle->writes);
  if (is_aware) {
    optimizer.step(cycle->scale);
  } else if (cycle->found_inf().item<float>() == 0) {
    cycle_.note_step(optimizer);
    optimizer.step();
  }
  cycle->stage = detail::Stage::kStepped;
  return StepResult(cycle->found_inf());
}

AMP_LAZY_DEFINITION AMP_COLD void GradScaler::skip_step_any(const void* optimizer) {
  if (!enabled_) return;
  detail::OptimizerCycle* cycle = cycle_.find(optimizer);
  if (cycle == nullptr || cycle->stage != detail::Stage::kUnscaled)
    cycle = &begin_cycle("skip_step", optimizer);
  cycle->stage = detail::Stage::kSkipped;
}

AMP_LAZY_DEFINITION void GradScaler::update() {
  if (!enabled_) return;
  check_started("update");
  AMP_CHECK(!cycle_.empty() || user_found_inf_.defined(),
            "update: no optimizer was unscaled or stepped since the last update (0 gradients); "
            "call step(optimizer), or skip_step(optimizer), first");
  if (agree_ && user_found_inf_.defined()) agree_(user_found_inf_);
  float* const found_inf =
      user_found_inf_.defined() ? detail::scalar_data(user_found_inf_) : nullptr;
  const bool tested = cycle_.update_scale(device_, detail::rule_of(state_), found_inf);
  cycle_.end();
  ledgers_.end_cycle();
  device_.mark_modified();
  if (tested) report_skips();
}

AMP_LAZY_DEFINITION void GradScaler::update(double new_scale) {
  if (!enabled_) return;
  check_started("update");
  detail::check_scale("update", "new_scale", new_scale);
  GradScalerState state = state_dict();
  state.scale = new_scale;
  detail::check_state(state);
  device_.write(state);
  discard_cycle();
}

AMP_LAZY_DEFINITION AMP_COLD void GradScaler::report_skips() {
  if (!on_skips_ || device_.device().type != kCPU) return;
  const std::int64_t skips = device_.data()->consecutive_skips;
  if (skips != 0 && skips % skips_in_a_row_ == 0) on_skips_(counters());
}

AMP_LAZY_DEFINITION AMP_COLD void GradScaler::discard_cycle() {
  cycle_.end();
  ledgers_.end_cycle();
  if (user_found_inf_.defined()) detail::fill(user_found_inf_, 0);
}

// What the user can read.

AMP_LAZY_DEFINITION StatisticsResult GradScaler::statistics_any(const void* optimizer) const {
  if (!enabled_) return {};
  AMP_CHECK(statistics_,
            "statistics: none are collected without GradScalerOptions{.statistics = true}");
  const Tensor bytes = cycle_.statistics(optimizer);
  AMP_CHECK(bytes.defined(),
            "statistics: this optimizer's gradients were not tested in this or the last cycle; "
            "call unscale_, unscale_and_clip or step first");
  return StatisticsResult(bytes);
}

AMP_LAZY_DEFINITION AMP_COLD void GradScaler::check_ledger(std::string_view call) const {
  AMP_CHECK(ledgers_.exist() || !enabled_, call,
            ": no passes are recorded without GradScalerOptions{.ledger = 16}");
}
AMP_LAZY_DEFINITION AMP_COLD GradientLedger GradScaler::ledger_any(const void* optimizer) {
  check_ledger("ledger");
  return enabled_ ? GradientLedger(ledgers_.of(optimizer)) : GradientLedger();
}
AMP_LAZY_DEFINITION AMP_COLD std::vector<GradientLedger> GradScaler::ledgers() const {
  check_ledger("ledgers");
  return ledgers_.all();
}

AMP_LAZY_DEFINITION void GradScaler::start(Device device) {
  if (!device_.exists()) [[unlikely]]
    device_ = detail::DeviceScale(device_option_.value_or(device), state_);
}
AMP_LAZY_DEFINITION AMP_COLD void GradScaler::start_on(std::string_view call, Device device) {
  start(device);
  AMP_CHECK(device == device_.device(), call, ": this scaler lives on ", device_.device(),
            ", but was given ", device);
}
AMP_LAZY_DEFINITION void GradScaler::check_started(std::string_view call) const {
  AMP_CHECK(device_.exists(), call, detail::kNotStarted);
}

AMP_LAZY_DEFINITION AMP_COLD const float* GradScaler::scale_data(Device device) {
  start_on("scale_data", device);
  return &device_.data()->scale;
}
AMP_LAZY_DEFINITION AMP_COLD const float* GradScaler::inverse_scale_data(Device device) {
  start_on("inverse_scale_data", device);
  return device_.own().inverse();
}
AMP_LAZY_DEFINITION AMP_COLD float* GradScaler::found_inf_data(Device device) {
  start_on("found_inf_data", device);
  if (!user_found_inf_.defined()) user_found_inf_ = zeros({}, {.device = device});
  return detail::scalar_data(user_found_inf_);
}

AMP_LAZY_DEFINITION AMP_COLD GradScalerState GradScaler::state_dict() const {
  GradScalerState state = state_;
  if (device_.exists()) device_.read(state);
  return state;
}
AMP_LAZY_DEFINITION AMP_COLD void GradScaler::load_state_dict(const GradScalerState& state) {
  if (!enabled_) return;
  detail::check_state(state);
  if (device_.exists()) device_.write(state);
  state_ = state;
  discard_cycle();
}

AMP_LAZY_DEFINITION AMP_COLD double GradScaler::get_scale() const {
  return enabled_ ? state_dict().scale : 1.0;
}

template <class T>
void GradScaler::change(T GradScalerState::*member, T value) {
  GradScalerState changed = state_;
  changed.*member = value;
  if (enabled_) detail::check_state(changed);
  state_ = changed;
}
AMP_LAZY_DEFINITION AMP_COLD void GradScaler::set_growth_factor(double factor) {
  change(&GradScalerState::growth_factor, factor);
}
AMP_LAZY_DEFINITION AMP_COLD void GradScaler::set_backoff_factor(double factor) {
  change(&GradScalerState::backoff_factor, factor);
}
AMP_LAZY_DEFINITION AMP_COLD void GradScaler::set_growth_interval(std::int64_t n) {
  change(&GradScalerState::growth_interval, n);
}

AMP_LAZY_DEFINITION AMP_COLD GradScalerCounters GradScaler::counters() const {
  const GradScalerState state = state_dict();
  return {state.applied, state.skipped, state.consecutive_skips,
          sanitized_.defined() ? sanitized_.item<std::int64_t>() : 0};
}

}  // namespace amp::inline v0
