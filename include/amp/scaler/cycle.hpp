// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stages of the optimizers within one cycle of a scaler: ready -> unscaled -> stepped, until
// update() ends the cycle. A call out of order throws and says what may come next.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/optim/known_norm.hpp"
#include "amp/scaler/device_scale.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/ledger.hpp"

namespace amp::inline v0::detail {

/// kFailed: a call threw with gradients perhaps unscaled; to unscale them again would be wrong.
enum class Stage { kReady, kUnscaled, kStepped, kSkipped, kFailed };

/// One optimizer's way through the current cycle.
struct Cycle {
  const void* optimizer;
  Stage stage = Stage::kReady;
  GradientParts parts = {};      // by device: as a rule one
  Tensor common_found_inf = {};  // of several parts: float32 word on the scaler's device
  Tensor statistics = {};
  Tensor sanitized = {};  // float32 word: whether the gradients were; undefined: not looked at
  GradScale scale = {};   // what the step will apply
  std::int64_t gradients = 0;
  bool looked = false;      // whether the gradients were tested, so that found_inf() says something
  bool writes = false;      // whether they were, or will be, unscaled in place
  bool wants_norm = false;  // the last time, unscale_'s norm was asked for
  std::unique_ptr<KnownNorm> known_norm = nullptr;  // from unscale_ to the step
  std::shared_ptr<Ledger> ledger = nullptr;         // its optimizer's, if the scaler keeps any

  /// Whether any gradient is not finite, as a word: on their device, or on the scaler's if they lie
  /// on several.
  const Tensor& found_inf() const {
    return parts.size() == 1 ? parts[0].found_inf : common_found_inf;
  }
  void forget_norm();
};

class Cycles {
 public:
  /// Unless `scales`, unscaling changes nothing, and there is nothing to warn of.
  explicit Cycles(bool scales = true);
  Cycles(const Cycles&) = delete;
  Cycles& operator=(const Cycles&) = delete;
  ~Cycles();

  bool empty() const { return all_.empty(); }
  const PoolVector<Cycle>& all() const { return all_; }

  Cycle* find(const void* optimizer);

  /// A cycle for an optimizer that has none yet. Throws, naming the stage, where it has.
  Cycle& begin(std::string_view call, const void* optimizer);

  /// Takes the gradients into the cycle, which is to write them or not. `home`: the scaler's
  /// device.
  void look(std::string_view call, const AnyOptimizer& optimizer, Cycle& cycle, bool writes,
            Device home);

  /// Of the optimizer's cycle, else of its last; undefined where neither had any.
  Tensor statistics(const void* optimizer) const;

  /// Moves the scale by what all optimizers found, on whichever device, and by *clears, an own word
  /// of the user's where not null, which it sets to 0. Whether anybody looked at gradients.
  bool update_scale(const DeviceScale& device, const kernels::ScaleRule& rule, float* clears);

  void forget(const void* optimizer);

  /// An error came within the cycle: what comes next may be a new one.
  void interrupt() { interrupted_ = true; }
  /// Whether it did.
  bool end_if_interrupted();

  void end() noexcept;

 private:
  /// What a cycle leaves to the next one of its optimizer.
  struct Kept {
    const void* optimizer;
    GradientParts parts;  // without gradients: the tables, and room for the next ones
    bool wants_norm;
  };

  void take_kept(Cycle& cycle);
  /// Once, and before anything is written, where unscaling in place rounds: gradients that loss
  /// scaling kept from underflowing are divided by the scale in a dtype in which they underflow all
  /// the same.
  void warn_of_rounding(std::string_view call, const AnyOptimizer& optimizer);
  Tensor word_of_0(Device device);
  void give_back(Tensor& word) noexcept;
  /// Throws if a gradient of `cycle` is also another optimizer's, and one of the two unscales it
  /// in place: the other would see it unscaled once too often.
  void check_unshared(std::string_view call, const AnyOptimizer& optimizer,
                      const Cycle& cycle) const;

  PoolVector<Cycle> all_;
  PoolVector<Tensor> words_;  // found_inf words to use again
  PoolVector<Kept> kept_;     // of cycles that ended
  PoolVector<std::pair<const void*, Tensor>> last_statistics_;
  bool interrupted_ = false, warns_;
};

/// Forgets an optimizer's cycle if the scope is left by an exception, so that a new cycle can
/// begin. If `unscaled` is set, the cycle becomes Stage::kFailed instead.
class ForgetOnError {
 public:
  ForgetOnError(Cycles& cycles, const void* optimizer) : cycles_(cycles), optimizer_(optimizer) {}
  ~ForgetOnError() {
    if (std::uncaught_exceptions() != exceptions_) [[unlikely]]
      forget();
  }
  ForgetOnError(const ForgetOnError&) = delete;
  ForgetOnError& operator=(const ForgetOnError&) = delete;

  bool unscaled = false;

 private:
  void forget();

  Cycles& cycles_;
  const void* optimizer_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/cycle.ipp"
#endif
