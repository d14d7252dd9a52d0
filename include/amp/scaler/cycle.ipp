// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <unordered_set>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/device/capture.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/scaler/cycle.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// As an error says it.
inline constexpr std::string_view kNameOfCycle =
    "a GradScaler's cycle, which goes from unscale_, step or skip_step to update()";

AMP_INLINE void Cycle::forget_norm() {
  if (known_norm == nullptr) return;
  wants_norm = known_norm->was_wanted();
  known_norm.reset();
}

AMP_COLD Cycles::Cycles(bool scales) : warns_(scales) {}

AMP_INLINE Cycles::~Cycles() = default;

AMP_INLINE Cycle* Cycles::find(const void* optimizer) {
  for (Cycle& cycle : all_) {
    if (cycle.optimizer == optimizer) return &cycle;
  }
  return nullptr;
}

AMP_INLINE Cycle& Cycles::begin(std::string_view call, const void* optimizer) {
  if (const Cycle* const cycle = find(optimizer)) {
    switch (cycle->stage) {
      case Stage::kFailed:
        fail(call, ": unscaling or stepping this optimizer threw in this cycle, its ",
             cycle->gradients,
             " gradients perhaps already unscaled; next may come update(), or scale(loss) of a "
             "new cycle");
      case Stage::kUnscaled:
        fail(call, ": this optimizer is already unscaled in this cycle (", cycle->gradients,
             " gradients); next may come step(optimizer), skip_step(optimizer) or update()");
      case Stage::kSkipped:
        fail(call, ": this optimizer's step was skipped by skip_step in this cycle (",
             cycle->gradients, " gradients); next may come update()");
      case Stage::kReady:
      case Stage::kStepped:
        fail(call, ": this optimizer is already stepped in this cycle (", cycle->gradients,
             " gradients); next may come update()");
    }
  }
  const bool before = std::exchange(interrupted_, true);  // unless all that follows can be had
  const std::size_t count = all_.size() + 1;
  kept_.reserve(kept_.size() + count);  // so that end() asks for no memory
  last_statistics_.reserve(count);
  Cycle& cycle = all_.emplace_back(Cycle{.optimizer = optimizer});
  open_in_graph_call(this, kNameOfCycle);
  interrupted_ = before;
  take_kept(cycle);
  return cycle;
}

AMP_INLINE void Cycles::look(std::string_view call, const AnyOptimizer& optimizer, Cycle& cycle,
                             bool writes, Device home) {
  collect_gradients(call, optimizer, cycle.parts,
                    cycle.ledger != nullptr ? &cycle.ledger->names : nullptr);
  AMP_CHECK(!cycle.parts.empty(), call,
            ": no parameter of the optimizer has a gradient; was backward() called on the scaled "
            "loss, and does the optimizer hold the parameters that the model uses?");
  for (const GradientPart& part : cycle.parts) cycle.gradients += part.count();
  cycle.looked = true;
  cycle.writes = writes;
  // One that is scale-aware and marks gradients gets its 16-bit ones left as they are.
  if (writes && !(optimizer.is_scale_aware() && optimizer.marks_gradients()))
    warn_of_rounding(call, optimizer);
  check_unshared(call, optimizer, cycle);
  std::size_t words = words_.size();
  for (const Cycle& other : all_) words += other.parts.size() + 1;
  words_.reserve(words);  // so that end() asks for no memory
  for (GradientPart& part : cycle.parts) part.found_inf = word_of_0(part.device);
  if (cycle.parts.size() > 1) cycle.common_found_inf = word_of_0(home);
}

AMP_COLD Tensor Cycles::statistics(const void* optimizer) const {
  for (const Cycle& cycle : all_) {
    if (cycle.optimizer == optimizer && cycle.looked) return cycle.statistics;
  }
  for (const auto& [known, words] : last_statistics_) {
    if (known == optimizer) return words;
  }
  return {};
}

AMP_INLINE bool Cycles::update_scale(const DeviceScale& device, const kernels::ScaleRule& rule,
                                     float* clears) {
  interrupt();  // where this throws: update() may come again, or scale(loss)
  PoolVector<const float*> found;
  PoolVector<kernels::Counts> counts;
  PoolVector<Tensor> copies;
  const auto at_home = [&](const Tensor& found_inf) -> const float* {
    if (found_inf.device() == device.device()) return word(found_inf);
    return word(copies.emplace_back(found_inf.to(device.device())));
  };
  bool looked = clears != nullptr;
  for (const Cycle& cycle : all_) {
    looked = looked || cycle.looked;
    found.push_back(cycle.looked ? at_home(cycle.found_inf()) : nullptr);
    counts.push_back(cycle.stage == Stage::kStepped   ? kernels::Counts::kStep
                     : cycle.stage == Stage::kSkipped ? kernels::Counts::kSkipped
                                                      : kernels::Counts::kNot);
    if (cycle.stage == Stage::kFailed && cycle.parts.size() > 1) {  // perhaps not joined any more
      for (const GradientPart& part : cycle.parts) {
        if (!part.found_inf.defined()) continue;
        found.push_back(at_home(part.found_inf));
        counts.push_back(kernels::Counts::kNot);
      }
    }
    if (!cycle.sanitized.defined()) continue;
    found.push_back(word(cycle.sanitized));
    counts.push_back(kernels::Counts::kNot);
  }
  if (clears != nullptr) {
    found.push_back(clears);
    counts.push_back(all_.empty() ? kernels::Counts::kStep : kernels::Counts::kNot);
  }
  const kernels::UpdateScaleArgs args{
      device.device(), device.data(), rule,
      found.data(),    counts.data(), static_cast<std::int64_t>(found.size()),
      clears};
  kernels::dispatch<&kernels::Backend::update_scale, kernels::host::update_scale>(args.device,
                                                                                  args);
  return looked;
}

AMP_COLD void Cycles::forget(const void* optimizer) {
  std::erase_if(all_, [&](const Cycle& cycle) { return cycle.optimizer == optimizer; });
  if (all_.empty()) close_in_graph_call(this, kNameOfCycle);
}

AMP_COLD bool Cycles::end_if_interrupted() {
  const bool interrupted = interrupted_;
  if (interrupted) end();
  return interrupted;
}

AMP_INLINE void Cycles::end() noexcept {
  constexpr std::size_t kMostKept = 64;  // some may be of optimizers that are no more
  interrupted_ = false;
  if (!all_.empty()) close_in_graph_call(this, kNameOfCycle);
  if (!all_.empty()) last_statistics_.clear();
  for (Cycle& cycle : all_) {
    cycle.forget_norm();
    for (GradientPart& part : cycle.parts) {
      part.spans.clear();
      part.norm = Tensor();
      give_back(part.found_inf);
    }
    give_back(cycle.common_found_inf);
    kept_.push_back({cycle.optimizer, std::move(cycle.parts), cycle.wants_norm});
    if (cycle.statistics.defined())
      last_statistics_.emplace_back(cycle.optimizer, std::move(cycle.statistics));
  }
  all_.clear();
  while (kept_.size() > kMostKept) kept_.erase(kept_.begin());
}

AMP_COLD void Cycles::check_unshared(std::string_view call, const AnyOptimizer& optimizer,
                                     const Cycle& cycle) const {
  using Addresses = std::unordered_set<const void*, std::hash<const void*>, std::equal_to<>,
                                       PoolAllocator<const void*>>;
  for (const Cycle& other : all_) {
    const bool pending = other.stage == Stage::kUnscaled;
    if (&other == &cycle || !(other.writes || (cycle.writes && pending))) continue;
    Addresses theirs;
    for (const GradientPart& part : other.parts) {
      for (const auto& span : part.spans) {
        if (span.numel != 0) theirs.insert(span.data);
      }
    }
    for (const GradientPart& part : cycle.parts) {
      for (std::size_t i = 0; i < part.spans.size(); ++i) {
        const void* const data = part.spans[i].data;
        AMP_CHECK(part.spans[i].numel == 0 || theirs.count(data) == 0 ||
                      (!(cycle.writes && pending) && is_marked(optimizer, data)),
                  call, ": gradient ", i, cycle.parts.size() > 1 ? " of its device" : "",
                  " is also another optimizer's, which unscales it in this cycle as well; give "
                  "each parameter to one optimizer");
      }
    }
  }
}

AMP_INLINE void Cycles::take_kept(Cycle& cycle) {
  for (auto known = kept_.begin(); known != kept_.end(); ++known) {
    if (known->optimizer != cycle.optimizer) continue;
    cycle.parts = std::move(known->parts);
    cycle.wants_norm = known->wants_norm;
    kept_.erase(known);
    return;
  }
}

AMP_COLD void Cycles::warn_of_rounding(std::string_view call, const AnyOptimizer& optimizer) {
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

AMP_INLINE Tensor Cycles::word_of_0(Device device) {
  for (auto known = words_.rbegin(); known != words_.rend(); ++known) {
    if (known->device() != device) continue;
    std::swap(*known, words_.back());
    Tensor word = std::move(words_.back());
    words_.pop_back();
    detail::fill(word, 0);
    return word;
  }
  return zeros({}, {.device = device});
}

AMP_INLINE void Cycles::give_back(Tensor& word) noexcept {
  if (word.defined() && word.unique()) words_.push_back(std::move(word));
  word = Tensor();  // a StepResult may keep it
}

AMP_COLD void ForgetOnError::forget() {
  cycles_.interrupt();
  if (unscaled) {
    cycles_.find(optimizer_)->stage = Stage::kFailed;
  } else {
    cycles_.forget(optimizer_);
  }
}

}  // namespace amp::inline v0::detail
