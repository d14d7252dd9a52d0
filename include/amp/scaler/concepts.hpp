// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The concepts of a GradScaler: the losses that it scales and the optimizers that it steps.
#pragma once

#include <concepts>
#include <iterator>

#include "amp/core/function_ref.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// How a scaler scales a loss of another library. A header for that library specialises it:
///   static Device device(const T& loss): the device of the loss. Throws if it is undefined.
///   static T multiply(const T& loss, const Tensor& scale): loss * scale in float32, or float64 if
///   the loss is; differentiable. The scale is 0-dimensional, on that device.
///   static Tensor view(const T& loss): a tensor over its memory, for GradScalerOptions::ledger.
///   Without it the ledger has no losses.
template <class T>
struct LossAdapter;

/// How a scaler uses an optimizer of another library that has no gradients(). A header for that
/// library specialises it:
///   static void visit_gradients(O&, FunctionRef<void(const TensorView&)>): calls it with each
///   gradient that exists.
///   static void step(O&): the step of the optimizer.
///   static void mark_unscaled(O&): called after the gradients were unscaled in place.
template <class O>
struct OptimizerAdapter;

/// A loss of a library that has a LossAdapter, such as torch::Tensor with <amp/libtorch.hpp>.
template <class T>
concept ForeignLoss = requires(const T& loss, const Tensor& scale) {
  { LossAdapter<T>::device(loss) } -> std::same_as<Device>;
  { LossAdapter<T>::multiply(loss, scale) } -> std::convertible_to<T>;
};

/// An optimizer with gradients(), which returns a range of TensorView, and step().
template <class O>
concept HasGradients = requires(O& optimizer) {
  { *std::begin(optimizer.gradients()) } -> std::convertible_to<TensorView>;
  optimizer.step();
};

/// An optimizer of a library that has an OptimizerAdapter, such as those of torch::optim with
/// <amp/libtorch.hpp>.
template <class O>
concept ForeignOptimizer = !HasGradients<O> && requires(O & optimizer) {
  OptimizerAdapter<O>::step(optimizer);
};

/// An optimizer that a scaler can unscale and step.
template <class O>
concept OptimizerLike = HasGradients<O> || ForeignOptimizer<O>;

/// An optimizer that unscales, clips and skips on the device, in step(const GradScale&). Its step
/// does not synchronise.
template <class O>
concept ScaleAwareOptimizer = HasGradients<O> && requires(O& optimizer, const GradScale& scale) {
  optimizer.step(scale);
};

/// An optimizer over amp tensors, whose gradients carry a mark while they are scaled.
/// mark_unscaled() is called after they were unscaled in place. If it is scale-aware, its 16-bit
/// gradients stay scaled, and its step multiplies them by GradScale::inverse_low_precision.
template <class O>
concept MarksGradients = HasGradients<O> && requires(O& optimizer) {
  optimizer.mark_unscaled();
};

/// An optimizer that has only a part of the gradients, such as amp::ShardedOptimizer.
/// gather_norms(norm) takes the norm of this rank's part, and returns an array of the norms of all
/// ranks, in float64 and on the device of `norm`. Such an optimizer is scale-aware.
template <class O>
concept HasShards = ScaleAwareOptimizer<O> && requires(O& optimizer, const Tensor& norm) {
  { optimizer.gather_norms(norm) } -> std::same_as<Tensor>;
};

namespace detail {

/// A reference to an optimizer of any type, so that the code of the scaler is compiled once.
class AnyOptimizer {
 public:
  template <OptimizerLike O>
  explicit AnyOptimizer(O& optimizer)
      : optimizer_(const_cast<void*>(static_cast<const void*>(&optimizer))), calls_(&kCalls<O>) {}

  const void* address() const { return optimizer_; }
  bool is_scale_aware() const { return calls_->step_scaled != nullptr; }
  bool marks_gradients() const { return calls_->mark_unscaled != nullptr; }
  bool has_parameters() const { return calls_->visit_parameters != nullptr; }
  bool is_sharded() const { return calls_->gather_norms != nullptr; }

  void visit_gradients(FunctionRef<void(const TensorView&)> body) const {
    calls_->visit_gradients(optimizer_, body);
  }
  void step() const { calls_->step(optimizer_); }
  /// Requires is_scale_aware().
  void step(const GradScale& scale) const { calls_->step_scaled(optimizer_, scale); }
  /// Requires marks_gradients().
  void mark_unscaled() const { calls_->mark_unscaled(optimizer_); }
  /// Requires has_parameters(), which amp's optimizers have.
  void visit_parameters(FunctionRef<void(const Tensor&)> body) const {
    calls_->visit_parameters(optimizer_, body);
  }
  /// Requires is_sharded().
  Tensor gather_norms(const Tensor& norm) const { return calls_->gather_norms(optimizer_, norm); }

 private:
  /// A pointer is null if the optimizer does not have that function.
  struct Calls {
    void (*visit_gradients)(void*, FunctionRef<void(const TensorView&)>);
    void (*step)(void*);
    void (*step_scaled)(void*, const GradScale&) = nullptr;
    void (*mark_unscaled)(void*) = nullptr;
    void (*visit_parameters)(void*, FunctionRef<void(const Tensor&)>) = nullptr;
    Tensor (*gather_norms)(void*, const Tensor&) = nullptr;
  };

  template <ForeignOptimizer O>
  static constexpr Calls calls_of() {
    using Adapter = OptimizerAdapter<O>;
    return {.visit_gradients =
                [](void* optimizer, FunctionRef<void(const TensorView&)> body) {
                  Adapter::visit_gradients(*static_cast<O*>(optimizer), body);
                },
            .step = [](void* optimizer) { Adapter::step(*static_cast<O*>(optimizer)); },
            .mark_unscaled =
                [](void* optimizer) { Adapter::mark_unscaled(*static_cast<O*>(optimizer)); }};
  }
  template <HasGradients O>
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
    if constexpr (HasShards<O>) {
      calls.gather_norms = [](void* optimizer, const Tensor& norm) {
        return static_cast<O*>(optimizer)->gather_norms(norm);
      };
    }
    if constexpr (requires(O & optimizer) {
                    { *std::begin(optimizer.parameters()) } -> std::convertible_to<const Tensor&>;
                  }) {
      calls.visit_parameters = [](void* optimizer, FunctionRef<void(const Tensor&)> body) {
        for (const Tensor& p : static_cast<O*>(optimizer)->parameters()) body(p);
      };
    }
    return calls;
  }
  template <OptimizerLike O>
  static constexpr Calls kCalls = calls_of<O>();

  void* optimizer_;
  const Calls* calls_;
};

}  // namespace detail
}  // namespace amp::inline v0
