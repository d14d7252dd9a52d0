// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stages of the optimizers within one cycle of a scaler: ready -> unscaled -> stepped, until
// update() ends the cycle. A call out of order throws and says what may come next.
#pragma once

#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/kernels/signatures.hpp"
#include "amp/scaler/device_scale.hpp"

namespace amp::inline v0::detail {

/// kFailed: the step threw with gradients already unscaled; to unscale them again would be wrong.
enum class Stage { kReady, kUnscaled, kStepped, kFailed };

/// One optimizer's way through the current cycle.
struct Cycle {
  const void* optimizer;
  Stage stage = Stage::kReady;
  Tensor found_inf;      // float32 word on the device
  Tensor clip = {};      // float32: the norm, and the coefficient
  GradScale scale = {};  // what the step will apply
  std::int64_t gradients = 0;
};

class Cycles {
 public:
  bool empty() const { return all_.empty(); }
  const std::vector<Cycle>& all() const { return all_; }

  Cycle* find(const void* optimizer) {
    for (Cycle& cycle : all_) {
      if (cycle.optimizer == optimizer) return &cycle;
    }
    return nullptr;
  }

  /// A cycle for an optimizer that has none yet. Throws, naming the stage, where it has.
  Cycle& begin(std::string_view call, const void* optimizer, Device device) {
    if (const Cycle* const cycle = find(optimizer)) {
      AMP_CHECK(cycle->stage != Stage::kFailed, call,
                ": this optimizer's step threw in this cycle, its gradients already unscaled; "
                "next may come update(), or scale(loss) of a new cycle");
      const bool stepped = cycle->stage == Stage::kStepped;
      fail(call, ": this optimizer is already ", stepped ? "stepped" : "unscaled",
           " in this cycle (", cycle->gradients, " gradients); next may come ",
           stepped ? "update()" : "step(optimizer) or update()");
    }
    Tensor found_inf;
    if (!words_.empty()) {
      found_inf = std::move(words_.back());
      words_.pop_back();
      detail::fill(found_inf, 0);
    } else {
      found_inf = zeros({}, {.device = device});
    }
    return all_.emplace_back(Cycle{.optimizer = optimizer, .found_inf = std::move(found_inf)});
  }

  void forget(const void* optimizer) {
    std::erase_if(all_, [&](const Cycle& cycle) { return cycle.optimizer == optimizer; });
  }

  void forget_failed() {
    std::erase_if(all_, [](const Cycle& cycle) { return cycle.stage == Stage::kFailed; });
  }

  void end() {
    for (Cycle& cycle : all_) {
      if (cycle.found_inf.unique())
        words_.push_back(std::move(cycle.found_inf));  // else a StepResult keeps it
    }
    all_.clear();
  }

 private:
  std::vector<Cycle> all_;
  std::vector<Tensor> words_;  // found_inf words to use again
};

/// Forgets an optimizer's cycle where the scope is left by an exception, so that a new cycle can
/// begin; with `unscaled` set it fails instead.
class ForgetOnError {
 public:
  ForgetOnError(Cycles& cycles, const void* optimizer) : cycles_(cycles), optimizer_(optimizer) {}
  ~ForgetOnError() {
    if (std::uncaught_exceptions() == exceptions_) return;
    if (unscaled) {
      cycles_.find(optimizer_)->stage = Stage::kFailed;
    } else {
      cycles_.forget(optimizer_);
    }
  }
  ForgetOnError(const ForgetOnError&) = delete;
  ForgetOnError& operator=(const ForgetOnError&) = delete;

  bool unscaled = false;

 private:
  Cycles& cycles_;
  const void* optimizer_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace amp::inline v0::detail
