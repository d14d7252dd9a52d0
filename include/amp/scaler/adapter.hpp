// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a GradScaler asks of an optimizer.
#pragma once

#include <concepts>
#include <iterator>

#include "amp/core/function_ref.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Anything with gradients() -> a range of TensorView, and step().
template <class O>
concept OptimizerLike = requires(O& optimizer) {
  { *std::begin(optimizer.gradients()) } -> std::convertible_to<TensorView>;
  optimizer.step();
};

/// One that unscales, clips and skips by itself, on the device: it costs no synchronisation.
template <class O>
concept ScaleAwareOptimizer = OptimizerLike<O> && requires(O& optimizer, const GradScale& scale) {
  optimizer.step(scale);
};

/// One over amp tensors, whose gradients carry a mark while they are scaled: mark_unscaled() is
/// called once they were unscaled in place. A scale-aware one gets its 16-bit gradients left
/// scaled, and reads GradScale::inverse_low_precision for them.
template <class O>
concept MarksGradients = OptimizerLike<O> && requires(O& optimizer) {
  optimizer.mark_unscaled();
};

namespace detail {

/// A reference to an optimizer of any type, so that what a scaler does with one is compiled once.
class AnyOptimizer {
 public:
  template <OptimizerLike O>
  explicit AnyOptimizer(O& optimizer)
      : optimizer_(const_cast<void*>(static_cast<const void*>(&optimizer))), calls_(&kCalls<O>) {}

  const void* address() const { return optimizer_; }
  bool is_scale_aware() const { return calls_->step_scaled != nullptr; }
  bool marks_gradients() const { return calls_->mark_unscaled != nullptr; }
  bool has_parameters() const { return calls_->visit_parameters != nullptr; }

  void visit_gradients(FunctionRef<void(const TensorView&)> body) const {
    calls_->visit_gradients(optimizer_, body);
  }
  void step() const { calls_->step(optimizer_); }
  /// If it is scale-aware.
  void step(const GradScale& scale) const { calls_->step_scaled(optimizer_, scale); }
  /// If it marks its gradients.
  void mark_unscaled() const { calls_->mark_unscaled(optimizer_); }
  /// If it has parameters, as amp's do: tensors.
  void visit_parameters(FunctionRef<void(const Tensor&)> body) const {
    calls_->visit_parameters(optimizer_, body);
  }

 private:
  /// Null for what the optimizer does not have.
  struct Calls {
    void (*visit_gradients)(void*, FunctionRef<void(const TensorView&)>);
    void (*step)(void*);
    void (*step_scaled)(void*, const GradScale&) = nullptr;
    void (*mark_unscaled)(void*) = nullptr;
    void (*visit_parameters)(void*, FunctionRef<void(const Tensor&)>) = nullptr;
  };

  template <class O>
  static constexpr Calls calls_of() {
    Calls calls{.visit_gradients =
                    [](void* optimizer, FunctionRef<void(const TensorView&)> body) {
                      O& o = *static_cast<O*>(optimizer);
                      if constexpr (std::derived_from<O, Optimizer>) {
                        o.visit_gradients(body);
                      } else {
                        for (const TensorView& view : o.gradients()) body(view);
                      }
                    },
                .step = [](void* optimizer) { static_cast<O*>(optimizer)->step(); }};
    if constexpr (ScaleAwareOptimizer<O>) {
      calls.step_scaled = [](void* optimizer, const GradScale& scale) {
        static_cast<O*>(optimizer)->step(scale);
      };
    }
    if constexpr (MarksGradients<O>) {
      calls.mark_unscaled = [](void* optimizer) { static_cast<O*>(optimizer)->mark_unscaled(); };
    }
    if constexpr (requires(O & optimizer) { optimizer.parameters(); }) {
      calls.visit_parameters = [](void* optimizer, FunctionRef<void(const Tensor&)> body) {
        for (const Tensor& p : static_cast<O*>(optimizer)->parameters()) body(p);
      };
    }
    return calls;
  }
  template <class O>
  static constexpr Calls kCalls = calls_of<O>();

  void* optimizer_;
  const Calls* calls_;
};

}  // namespace detail
}  // namespace amp::inline v0
