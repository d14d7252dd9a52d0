// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stages of the optimizers within one cycle of a scaler: ready -> unscaled -> stepped, until
// update() ends the cycle. A call out of order throws and says what may come next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "amp/core/warning.hpp"
#include "amp/device/capture.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/scaler/device_scale.hpp"
#include "amp/scaler/gradients.hpp"

namespace amp::inline v0::detail {

/// kFailed: a call threw with gradients perhaps unscaled; to unscale them again would be wrong.
enum class Stage { kReady, kUnscaled, kStepped, kLeftOut, kFailed };

/// One optimizer's way through the current cycle.
struct Cycle {
  const void* optimizer;
  Stage stage = Stage::kReady;
  Tensor found_inf;  // float32 word on the device
  Tensor clip = {};  // memory of ClipWords
  Tensor statistics = {};
  GradScale scale = {};  // what the step will apply
  std::int64_t gradients = 0;
  bool looked = false;  // whether the gradients were tested, so that found_inf says something
  bool writes = false;  // whether they were, or will be, unscaled in place
  PoolVector<const void*> gradient_data = {};
  kernels::KeptTable table = {};                    // of its gradients
  bool wants_norm = false;                          // the last time, unscale_'s norm was asked for
  std::unique_ptr<KnownNorm> known_norm = nullptr;  // from unscale_ to the step

  void forget_norm() {
    if (known_norm == nullptr) return;
    wants_norm = known_norm->was_wanted();
    known_norm.reset();
  }
};

class Cycles {
 public:
  /// Unless `scales`, unscaling changes nothing, and there is nothing to warn of.
  explicit Cycles(bool scales = true) : warns_(scales) {}

  bool empty() const { return all_.empty(); }
  const PoolVector<Cycle>& all() const { return all_; }

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
    const bool before = std::exchange(interrupted_, true);  // unless all that follows can be had
    const std::size_t count = all_.size() + 1;
    words_.reserve(words_.size() + count);  // so that end() asks for no memory
    kept_.reserve(kept_.size() + count);
    last_statistics_.reserve(count);
    Cycle& cycle = all_.emplace_back(Cycle{.optimizer = optimizer, .found_inf = word_of_0(device)});
    if (Capture* const capture = current_capture()) capture->open(this, kName);
    interrupted_ = before;
    take_kept(cycle);
    return cycle;
  }

  /// The gradients, counted into the cycle, which is to write them or not.
  template <OptimizerLike O>
  GradientSpans look(std::string_view call, O& optimizer, Cycle& cycle, bool writes) {
    std::optional<Device> device = cycle.found_inf.device();
    GradientSpans spans = collect_gradients(call, optimizer, device);
    AMP_CHECK(!spans.empty(), call,
              ": no parameter of the optimizer has a gradient; was backward() called on the scaled "
              "loss, and does the optimizer hold the parameters that the model uses?");
    cycle.gradients = static_cast<std::int64_t>(spans.size());
    cycle.looked = true;
    cycle.writes = writes;
    if constexpr (!ScaleAwareOptimizer<O>) warn_of_rounding(spans);
    for (const auto& span : spans) {
      if (span.numel != 0) cycle.gradient_data.push_back(span.data);
    }
    check_unshared(call, cycle, [&](const void* data) { return is_marked(optimizer, data); });
    return spans;
  }

  /// Throws where a gradient of `cycle` is also another optimizer's, and one of the two unscales it
  /// in place: the other would see it unscaled once too often.
  template <class IsFresh>
  void check_unshared(std::string_view call, const Cycle& cycle, IsFresh&& is_fresh) const {
    for (const Cycle& other : all_) {
      const bool pending = other.stage == Stage::kUnscaled;
      if (&other == &cycle || !(other.writes || (cycle.writes && pending))) continue;
      const Addresses theirs(other.gradient_data.begin(), other.gradient_data.end());
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

  /// Of the optimizer's cycle, else of its last; undefined where neither had any.
  Tensor statistics(const void* optimizer) const {
    for (const Cycle& cycle : all_) {
      if (cycle.optimizer == optimizer && cycle.looked) return cycle.statistics;
    }
    for (const auto& [known, words] : last_statistics_) {
      if (known == optimizer) return words;
    }
    return {};
  }

  /// Moves the scale by what all optimizers found, and by *clears, an own word of the user's where
  /// not null, which it sets to 0. Whether anybody looked at gradients.
  bool update_scale(const DeviceScale& device, const kernels::ScaleRule& rule, float* clears) {
    interrupt();  // where this throws: update() may come again, or scale(loss)
    PoolVector<const float*> found;
    PoolVector<kernels::Counts> counts;
    bool looked = clears != nullptr;
    for (const Cycle& cycle : all_) {
      looked = looked || cycle.looked;
      found.push_back(cycle.looked ? word(cycle.found_inf) : nullptr);
      counts.push_back(cycle.stage == Stage::kStepped   ? kernels::Counts::kStep
                       : cycle.stage == Stage::kLeftOut ? kernels::Counts::kLeftOut
                                                        : kernels::Counts::kNot);
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

  void end() noexcept {
    interrupted_ = false;
    if (Capture* const capture = current_capture(); capture != nullptr && !all_.empty())
      capture->close(this, kName);
    if (!all_.empty()) last_statistics_.clear();
    for (Cycle& cycle : all_) {
      cycle.forget_norm();
      kept_.push_back({cycle.optimizer, std::move(cycle.table), cycle.wants_norm});
      if (cycle.statistics.defined())
        last_statistics_.emplace_back(cycle.optimizer, std::move(cycle.statistics));
      if (cycle.found_inf.unique())
        words_.push_back(std::move(cycle.found_inf));  // else a StepResult keeps it
    }
    all_.clear();
    while (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  }

 private:
  using Addresses = std::unordered_set<const void*, std::hash<const void*>, std::equal_to<>,
                                       PoolAllocator<const void*>>;
  static constexpr std::size_t kMostKept = 64;  // some may be of optimizers that are no more

  /// What a cycle leaves to the next one of its optimizer.
  struct Kept {
    const void* optimizer;
    kernels::KeptTable table;
    bool wants_norm;
  };

  void take_kept(Cycle& cycle) {
    for (auto known = kept_.begin(); known != kept_.end(); ++known) {
      if (known->optimizer != cycle.optimizer) continue;
      cycle.table = std::move(known->table);
      cycle.wants_norm = known->wants_norm;
      kept_.erase(known);
      return;
    }
  }
  /// Once, where unscaling in place rounds: gradients that loss scaling kept from underflowing are
  /// divided by the scale in a dtype in which they underflow all the same.
  void warn_of_rounding(const GradientSpans& spans) {
    const auto low = std::find_if(spans.begin(), spans.end(), [](const auto& span) {
      return item_size(span.dtype) < item_size(kFloat32);
    });
    if (low == spans.end() || !std::exchange(warns_, false)) return;
    warn("GradScaler: ", low->dtype,
         " gradients of an optimizer without step(const GradScale&) are unscaled in place: "
         "what is then too small for that dtype is rounded, or becomes 0. Give the optimizer "
         "a step that takes a `const amp::GradScale&` and unscales in float32, or give it "
         "float32 gradients. GradScalerOptions::statistics counts what became 0");
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

  PoolVector<Cycle> all_;
  PoolVector<Tensor> words_;  // found_inf words to use again
  PoolVector<Kept> kept_;     // of cycles that ended
  PoolVector<std::pair<const void*, Tensor>> last_statistics_;
  bool interrupted_ = false, warns_;
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
