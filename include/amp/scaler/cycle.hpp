// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stages of the optimizers within one cycle of a scaler: ready -> unscaled -> stepped or
// skipped, until update() ends the cycle. A call out of order throws and says what may come next.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/ledger.hpp"
#include "amp/scaler/scale.hpp"

namespace amp::inline v0::detail {

/// kFailed: a call threw when the gradients were perhaps unscaled. Unscaling them again would be
/// wrong.
enum class Stage { kReady, kUnscaled, kStepped, kSkipped, kFailed };

/// One optimizer in the current cycle.
struct OptimizerCycle {
  const void* optimizer;
  Stage stage = Stage::kReady;
  GradientParts parts = {};      // by device
  Tensor common_found_inf = {};  // if there are several parts: float32 on the scaler's device
  Tensor statistics = {};
  Tensor sanitized = {};  // float32: whether the gradients were sanitized; may be undefined
  Tensor norm = {};       // that unscale_and_clip returns; undefined without clipping
  GradScale scale = {};   // what the step applies
  std::int64_t gradients = 0;
  bool tested = false;  // whether the gradients were tested, so that found_inf() is valid
  bool writes = false;  // whether the gradients were, or will be, unscaled in place
  std::shared_ptr<Ledger> ledger = nullptr;  // of the optimizer, if the scaler has ledgers

  /// Not 0 if a gradient is not finite: a float32 on the gradients' device, or on the scaler's if
  /// they lie on several.
  const Tensor& found_inf() const {
    return parts.size() == 1 ? parts[0].found_inf : common_found_inf;
  }
};

/// The optimizers of the current cycle of a scaler. What it allocates for one cycle is reused in
/// the next ones.
class Cycle {
 public:
  /// Without `scales`, unscaling changes nothing, so that there is no rounding to warn about.
  explicit Cycle(bool scales = true);
  Cycle(const Cycle&) = delete;
  Cycle& operator=(const Cycle&) = delete;
  ~Cycle();

  bool empty() const { return optimizers_.empty(); }

  /// The optimizer's part in this cycle; null if it has none.
  AMP_LAZY OptimizerCycle* find(const void* optimizer);

  /// Adds an optimizer. Throws, naming its stage, if it is part of this cycle already.
  AMP_LAZY OptimizerCycle& begin(std::string_view call, const void* optimizer);

  /// Collects the gradients of an optimizer and checks them. `writes`: they will be unscaled in
  /// place. `home`: the scaler's device.
  AMP_LAZY void collect(std::string_view call, const AnyOptimizer& optimizer, OptimizerCycle& cycle,
                        bool writes, Device home);

  /// To be called before an optimizer that is not amp's steps: notes that it reads the gradients of
  /// its parameters, if it tells which these are. Warns once of a forgotten zero_grad.
  AMP_LAZY void note_step(const AnyOptimizer& optimizer);

  /// The statistics of the optimizer in this cycle, or else in the last one; undefined if there are
  /// none.
  AMP_LAZY Tensor statistics(const void* optimizer) const;

  /// Updates the scale from found_inf of all optimizers, and from *user_found_inf, which becomes 0,
  /// if that is not null. Returns whether any gradients were tested.
  AMP_LAZY bool update_scale(const DeviceScale& device, const kernels::ScaleRule& rule,
                             float* user_found_inf);

  /// Removes an optimizer, so that it can begin again.
  AMP_LAZY void forget(const void* optimizer);

  /// A call threw within the cycle: the next call may begin a new one.
  void interrupt() { interrupted_ = true; }
  /// Ends the cycle if it was interrupted, and returns whether it was.
  AMP_LAZY bool end_if_interrupted();

  AMP_LAZY void end() noexcept;

 private:
  /// What is reused in the optimizer's next cycle, and its statistics in the last one.
  struct Ended {
    const void* optimizer;
    GradientParts parts;
    Tensor statistics;
  };

  /// Warns once, before anything is written, if 16-bit gradients will be unscaled in place: this
  /// rounds to 0 what the loss scale kept from underflowing.
  AMP_LAZY void warn_of_rounding(std::string_view call, const AnyOptimizer& optimizer);
  /// Throws if a gradient of `cycle` also belongs to another optimizer and one of the two unscales
  /// it in place. It would be unscaled twice.
  AMP_LAZY void check_unshared(std::string_view call, const AnyOptimizer& optimizer,
                               const OptimizerCycle& cycle) const;
  AMP_LAZY Tensor make_found_inf(Device device);
  AMP_LAZY void recycle(Tensor& found_inf) noexcept;

  PoolVector<OptimizerCycle> optimizers_;
  PoolVector<Ended> ended_;
  PoolVector<Tensor> found_infs_;  // to be reused
  bool interrupted_ = false, warns_, warns_of_sums_ = true;
};

/// Forgets an optimizer's part in the cycle if the scope is left by an exception, so that it can
/// begin again. If `unscaled` is set, its stage becomes Stage::kFailed instead.
class ForgetOnError {
 public:
  ForgetOnError(Cycle& cycle, const void* optimizer, bool is_unscaled = false)
      : unscaled(is_unscaled), cycle_(cycle), optimizer_(optimizer) {}
  ~ForgetOnError() {
    if (std::uncaught_exceptions() != exceptions_) [[unlikely]]
      forget();
  }
  ForgetOnError(const ForgetOnError&) = delete;
  ForgetOnError& operator=(const ForgetOnError&) = delete;

  bool unscaled;

 private:
  AMP_LAZY void forget();

  Cycle& cycle_;
  const void* optimizer_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/cycle.ipp"
#endif
