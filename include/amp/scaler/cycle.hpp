// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stages of the optimizers within one cycle of a scaler: ready -> unscaled -> stepped, until
// update() ends the cycle. A call out of order throws and says what may come next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/kernels/signatures.hpp"
#include "amp/scaler/device_scale.hpp"

namespace amp::inline v0::detail {

/// kFailed: a call threw with gradients perhaps unscaled; to unscale them again would be wrong.
enum class Stage { kReady, kUnscaled, kStepped, kLeftOut, kFailed };

/// One optimizer's way through the current cycle.
struct Cycle {
  const void* optimizer;
  Stage stage = Stage::kReady;
  Tensor found_inf;      // float32 word on the device
  Tensor clip = {};      // float32: the norm, and the coefficient
  GradScale scale = {};  // what the step will apply
  std::int64_t gradients = 0;
  bool looked = false;  // whether the gradients were tested, so that found_inf says something
  bool writes = false;  // whether they were, or will be, unscaled in place
  std::vector<const void*> gradient_data = {};
  kernels::KeptTable table = {};  // of its gradients
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
      switch (cycle->stage) {
        case Stage::kFailed:
          fail(call, ": unscaling or stepping this optimizer threw in this cycle, its ",
               cycle->gradients,
               " gradients perhaps already unscaled; next may come update(), or scale(loss) of a "
               "new cycle");
        case Stage::kUnscaled:
          fail(call, ": this optimizer is already unscaled in this cycle (", cycle->gradients,
               " gradients); next may come step(optimizer), skip_step(optimizer) or update()");
        case Stage::kLeftOut:
          fail(call, ": this optimizer's step was left out by skip_step in this cycle (",
               cycle->gradients, " gradients); next may come update()");
        case Stage::kReady:
        case Stage::kStepped:
          fail(call, ": this optimizer is already stepped in this cycle (", cycle->gradients,
               " gradients); next may come update()");
      }
    }
    const bool before = std::exchange(interrupted_, true);  // unless the word can be had
    Cycle& cycle = all_.emplace_back(Cycle{.optimizer = optimizer, .found_inf = word_of_0(device)});
    interrupted_ = before;
    if (Capture* const capture = current_capture()) capture->open(this, kName);
    cycle.table = table_of(optimizer);
    return cycle;
  }

  /// Throws where a gradient of `cycle` is also another optimizer's, and one of the two unscales it
  /// in place: the other would see it unscaled once too often.
  template <class IsFresh>
  void check_unshared(std::string_view call, const Cycle& cycle, IsFresh&& is_fresh) const {
    for (const Cycle& other : all_) {
      const bool pending = other.stage == Stage::kUnscaled;
      if (&other == &cycle || !(other.writes || (cycle.writes && pending))) continue;
      const std::unordered_set<const void*> theirs(other.gradient_data.begin(),
                                                   other.gradient_data.end());
      for (std::size_t i = 0; i < cycle.gradient_data.size(); ++i) {
        AMP_CHECK(
            theirs.count(cycle.gradient_data[i]) == 0 ||
                (!(cycle.writes && pending) && is_fresh(cycle.gradient_data[i])),
            call, ": gradient ", i,
            " is also another optimizer's, which unscales it in this cycle as well; give each "
            "parameter to one optimizer");
      }
    }
  }

  void forget(const void* optimizer) {
    std::erase_if(all_, [&](const Cycle& cycle) { return cycle.optimizer == optimizer; });
    if (Capture* const capture = current_capture(); capture != nullptr && all_.empty())
      capture->close(this, kName);
  }

  /// An error came within the cycle: what comes next may be a new one.
  void interrupt() { interrupted_ = true; }
  void end_if_interrupted() {
    if (interrupted_) end();
  }

  void end() {
    interrupted_ = false;
    if (Capture* const capture = current_capture(); capture != nullptr && !all_.empty())
      capture->close(this, kName);
    for (Cycle& cycle : all_) {
      tables_.emplace_back(cycle.optimizer, std::move(cycle.table));
      if (cycle.found_inf.unique())
        words_.push_back(std::move(cycle.found_inf));  // else a StepResult keeps it
    }
    all_.clear();
    while (tables_.size() > kMostTables) tables_.erase(tables_.begin());
  }

 private:
  static constexpr std::size_t kMostTables = 64;  // some may be of optimizers that are no more

  /// That of the optimizer's last cycle, where it is not long ago.
  kernels::KeptTable table_of(const void* optimizer) {
    for (auto known = tables_.begin(); known != tables_.end(); ++known) {
      if (known->first != optimizer) continue;
      kernels::KeptTable table = std::move(known->second);
      tables_.erase(known);
      return table;
    }
    return {};
  }
  /// As an error says it.
  static constexpr std::string_view kName =
      "a GradScaler's cycle, which goes from unscale_, step or skip_step to update()";

  Tensor word_of_0(Device device) {
    if (words_.empty()) return zeros({}, {.device = device});
    Tensor word = std::move(words_.back());
    words_.pop_back();
    detail::fill(word, 0);
    return word;
  }

  std::vector<Cycle> all_;
  std::vector<Tensor> words_;                                       // found_inf words to use again
  std::vector<std::pair<const void*, kernels::KeptTable>> tables_;  // of cycles that ended
  bool interrupted_ = false;
};

/// Forgets an optimizer's cycle where the scope is left by an exception, so that a new cycle can
/// begin; with `unscaled` set it fails instead.
class ForgetOnError {
 public:
  ForgetOnError(Cycles& cycles, const void* optimizer) : cycles_(cycles), optimizer_(optimizer) {}
  ~ForgetOnError() {
    if (std::uncaught_exceptions() == exceptions_) return;
    cycles_.interrupt();
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
