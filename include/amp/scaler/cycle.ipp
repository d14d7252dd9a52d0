// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "amp/autograd/node.hpp"
#include "amp/core/address_set.hpp"
#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/device/capture.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/scaler/cycle.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// What error messages call a cycle.
inline constexpr std::string_view kNameOfCycle =
    "a GradScaler's cycle, which goes from unscale_, step or skip_step to update()";

AMP_COLD Cycle::Cycle(bool scales) : warns_(scales) {}

AMP_INLINE Cycle::~Cycle() = default;

AMP_LAZY_DEFINITION OptimizerCycle* Cycle::find(const void* optimizer) {
  for (OptimizerCycle& known : optimizers_) {
    if (known.optimizer == optimizer) return &known;
  }
  return nullptr;
}

/// Throws: the optimizer is part of this cycle already.
[[noreturn]] AMP_COLD void fail_begun(std::string_view call, const OptimizerCycle& known) {
  switch (known.stage) {
    case Stage::kFailed:
      fail(call, ": unscaling or stepping this optimizer threw in this cycle, its ",
           known.gradients,
           " gradients perhaps already unscaled; next may come update(), or scale(loss) of a "
           "new cycle");
    case Stage::kUnscaled:
      fail(call, ": this optimizer is already unscaled in this cycle (", known.gradients,
           " gradients); next may come step(optimizer), skip_step(optimizer) or update()");
    case Stage::kSkipped:
      fail(call, ": this optimizer's step was skipped by skip_step in this cycle (",
           known.gradients, " gradients); next may come update()");
    case Stage::kReady:
    case Stage::kStepped:
      break;
  }
  fail(call, ": this optimizer is already stepped in this cycle (", known.gradients,
       " gradients); next may come update()");
}

AMP_LAZY_DEFINITION OptimizerCycle& Cycle::begin(std::string_view call, const void* optimizer) {
  if (const OptimizerCycle* const known = find(optimizer)) fail_begun(call, *known);
  const bool was_interrupted = std::exchange(interrupted_, true);  // if an allocation throws
  const std::size_t count = optimizers_.size() + 1;
  ended_.reserve(ended_.size() + count);  // end() must not allocate
  OptimizerCycle& cycle = optimizers_.emplace_back(OptimizerCycle{.optimizer = optimizer});
  open_in_graph_call(this, kNameOfCycle);
  interrupted_ = was_interrupted;
  for (Ended& last : ended_) {
    if (last.optimizer == optimizer) cycle.parts = std::move(last.parts);
  }
  return cycle;
}

AMP_LAZY_DEFINITION void Cycle::collect(std::string_view call, const AnyOptimizer& optimizer,
                                        OptimizerCycle& cycle, bool writes, Device home) {
  collect_gradients(call, optimizer, cycle.parts,
                    cycle.ledger != nullptr ? &cycle.ledger->names : nullptr);
  AMP_CHECK(!cycle.parts.empty(), call,
            ": no parameter of the optimizer has a gradient; was backward() called on the scaled "
            "loss, and does the optimizer hold the parameters that the model uses?");
  if (writes) require_apart(call, optimizer, cycle.parts);
  for (const GradientPart& part : cycle.parts) cycle.gradients += part.count();
  cycle.tested = true;
  cycle.writes = writes;
  // Scale-aware optimizers with marked gradients unscale those of 16 bits in their step.
  if (writes && !(optimizer.is_scale_aware() && optimizer.marks_gradients()))
    warn_of_rounding(call, optimizer);
  check_unshared(call, optimizer, cycle);
  std::size_t count = found_infs_.size();
  for (const OptimizerCycle& other : optimizers_) count += other.parts.size() + 1;
  found_infs_.reserve(count);  // end() must not allocate
  for (GradientPart& part : cycle.parts) part.found_inf = make_found_inf(part.device);
  if (cycle.parts.size() > 1) cycle.common_found_inf = make_found_inf(home);
}

AMP_LAZY_DEFINITION AMP_COLD void Cycle::note_step(const AnyOptimizer& optimizer) {
  if (!optimizer.has_parameters()) return;
  std::int64_t index = 0;
  optimizer.visit_parameters([&](const Tensor& p) {
    autograd::Leaf* const leaf = autograd::leaf_of(p);
    if (leaf != nullptr && leaf->grad.defined() && leaf->note_step() &&
        std::exchange(warns_of_sums_, false))
      warn_of_sum("GradScaler: step", integer_text(static_cast<long long>(index)));
    ++index;
  });
}

AMP_LAZY_DEFINITION AMP_COLD Tensor Cycle::statistics(const void* optimizer) const {
  for (const OptimizerCycle& cycle : optimizers_) {
    if (cycle.optimizer == optimizer && cycle.tested) return cycle.statistics;
  }
  for (const Ended& last : ended_) {
    if (last.optimizer == optimizer) return last.statistics;
  }
  return {};
}

AMP_LAZY_DEFINITION bool Cycle::update_scale(const DeviceScale& device,
                                             const kernels::ScaleRule& rule,
                                             float* user_found_inf) {
  using kernels::StepOutcome;
  interrupt();  // if this throws, update() or scale(loss) may follow
  PoolVector<const float*> found_infs;
  PoolVector<StepOutcome> outcomes;
  PoolVector<Tensor> copies;
  const auto add = [&](const float* found_inf, StepOutcome outcome) {
    found_infs.push_back(found_inf);
    outcomes.push_back(outcome);
  };
  const auto at_home = [&](const Tensor& found_inf) -> const float* {
    if (found_inf.device() == device.device()) return scalar_data(found_inf);
    return scalar_data(copies.emplace_back(found_inf.to(device.device())));
  };
  bool tested = user_found_inf != nullptr;
  for (const OptimizerCycle& cycle : optimizers_) {
    tested = tested || cycle.tested;
    add(cycle.tested ? at_home(cycle.found_inf()) : nullptr,
        cycle.stage == Stage::kStepped   ? StepOutcome::kStepped
        : cycle.stage == Stage::kSkipped ? StepOutcome::kSkipped
                                         : StepOutcome::kNone);
    if (cycle.stage == Stage::kFailed && cycle.parts.size() > 1) {  // perhaps not joined
      for (const GradientPart& part : cycle.parts) {
        if (part.found_inf.defined()) add(at_home(part.found_inf), StepOutcome::kNone);
      }
    }
    if (cycle.sanitized.defined()) add(scalar_data(cycle.sanitized), StepOutcome::kNone);
  }
  if (user_found_inf != nullptr)
    add(user_found_inf, optimizers_.empty() ? StepOutcome::kStepped : StepOutcome::kNone);
  const kernels::UpdateScaleArgs args{.device = device.device(),
                                      .state = device.data(),
                                      .rule = rule,
                                      .found_inf = found_infs.data(),
                                      .outcomes = outcomes.data(),
                                      .count = static_cast<std::int64_t>(found_infs.size()),
                                      .clears = user_found_inf};
  kernels::update_scale(args.device, args);
  return tested;
}

AMP_LAZY_DEFINITION AMP_COLD void Cycle::forget(const void* optimizer) {
  std::erase_if(optimizers_,
                [&](const OptimizerCycle& cycle) { return cycle.optimizer == optimizer; });
  if (optimizers_.empty()) close_in_graph_call(this, kNameOfCycle);
}

AMP_LAZY_DEFINITION AMP_COLD bool Cycle::end_if_interrupted() {
  const bool interrupted = interrupted_;
  if (interrupted) end();
  return interrupted;
}

AMP_LAZY_DEFINITION void Cycle::end() noexcept {
  constexpr std::size_t kMostEnded = 64;  // optimizers may be gone
  interrupted_ = false;
  if (optimizers_.empty()) return;
  close_in_graph_call(this, kNameOfCycle);
  for (Ended& last : ended_) last.statistics = Tensor();
  for (OptimizerCycle& cycle : optimizers_) {
    for (GradientPart& part : cycle.parts) {
      part.spans.clear();
      part.norm = Tensor();
      recycle(part.found_inf);
    }
    recycle(cycle.common_found_inf);
    std::erase_if(ended_, [&](const Ended& last) { return last.optimizer == cycle.optimizer; });
    ended_.push_back({cycle.optimizer, std::move(cycle.parts), std::move(cycle.statistics)});
  }
  optimizers_.clear();
  if (ended_.size() > kMostEnded)
    ended_.erase(ended_.begin(), ended_.end() - static_cast<std::ptrdiff_t>(kMostEnded));
}

/// Calls body(data, index) for each gradient that has elements; the index is that within its part.
template <class Body>
void for_each_address(const GradientParts& parts, const Body& body) {
  for (const GradientPart& part : parts) {
    for (std::size_t i = 0; i < part.spans.size(); ++i) {
      if (part.spans[i].numel != 0) body(part.spans[i].data, i);
    }
  }
}

AMP_LAZY_DEFINITION AMP_COLD void Cycle::check_unshared(std::string_view call,
                                                        const AnyOptimizer& optimizer,
                                                        const OptimizerCycle& cycle) const {
  for (const OptimizerCycle& other : optimizers_) {
    const bool changes_its_step = cycle.writes && other.stage == Stage::kUnscaled;
    if (&other == &cycle || !(other.writes || changes_its_step)) continue;
    AddressSet theirs;
    for_each_address(other.parts, [&](const void* data, std::size_t) { theirs.insert(data); });
    for_each_address(cycle.parts, [&](const void* data, std::size_t i) {
      // A marked gradient was accumulated in backward after the other optimizer unscaled.
      AMP_CHECK(theirs.count(data) == 0 || (!changes_its_step && is_marked(optimizer, data)), call,
                ": gradient ", i, cycle.parts.size() > 1 ? " of its device" : "",
                " is also another optimizer's, which unscales it in this cycle as well; give "
                "each parameter to one optimizer");
    });
  }
}

AMP_LAZY_DEFINITION AMP_COLD void Cycle::warn_of_rounding(std::string_view call,
                                                          const AnyOptimizer& optimizer) {
  if (!warns_) return;
  std::int64_t index = 0;
  optimizer.visit_gradients([&](const TensorView& view) {
    if (item_size(view.dtype) < item_size(kFloat32) && std::exchange(warns_, false)) {
      warn("GradScaler: ", call, ": gradient ", index, view.name.empty() ? "" : " ", view.name,
           ", ", view.dtype,
           ", is unscaled in place: what is then too small for that dtype is rounded, or becomes "
           "0. ",
           optimizer.is_scale_aware()
               ? "Leave unscale_ out: step, and unscale_and_clip before it, leave the gradients to "
                 "the optimizer's step(const amp::GradScale&). "
               : "Give the optimizer a step that takes a `const amp::GradScale&` and unscales in "
                 "float32, use amp's own over the same memory (amp::ParameterView), or give it "
                 "float32 gradients. ",
           "GradScalerOptions::statistics counts what became 0");
    }
    ++index;
  });
}

AMP_LAZY_DEFINITION Tensor Cycle::make_found_inf(Device device) {
  for (std::size_t i = found_infs_.size(); i-- > 0;) {
    if (found_infs_[i].device() != device) continue;
    std::swap(found_infs_[i], found_infs_.back());
    Tensor found_inf = std::move(found_infs_.back());
    found_infs_.pop_back();
    detail::fill(found_inf, 0);
    return found_inf;
  }
  return zeros({}, {.device = device});
}

AMP_LAZY_DEFINITION void Cycle::recycle(Tensor& found_inf) noexcept {
  // A StepResult may still use it.
  if (found_inf.defined() && found_inf.unique()) found_infs_.push_back(std::move(found_inf));
  found_inf = Tensor();
}

AMP_LAZY_DEFINITION AMP_COLD void ForgetOnError::forget() {
  cycle_.interrupt();
  if (unscaled) {
    cycle_.find(optimizer_)->stage = Stage::kFailed;
  } else {
    cycle_.forget(optimizer_);
  }
}

}  // namespace amp::inline v0::detail
