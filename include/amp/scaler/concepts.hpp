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

/// How a scaler scales a loss of another library. A header for that library specialises it:
///   static Device device(const T& loss): where the loss is. Throws if it is undefined.
///   static T multiply(const T& loss, const Tensor& scale): their product in float32, or float64 if
///   the loss is; differentiable. The scale is 0-dimensional, on that device.
///   static Tensor view(const T& loss): a tensor over its memory, for GradScalerOptions::ledger.
///   Without it the ledger has no losses.
template <class T>
struct LossAdapter;

/// How a scaler uses an optimizer of another library that has no gradients(). A header for that
/// library specialises it:
///   static void visit_gradients(O&, FunctionRef<void(const TensorView&)>): each that exists.
///   static void step(O&)
///   static void mark_unscaled(O&): called after the gradients were unscaled in place.
template <class O>
struct OptimizerAdapter;

/// A loss of a library that LossAdapter knows, as torch::Tensor with <amp/libtorch.hpp>.
template <class T>
concept ForeignLoss = requires(const T& loss, const Tensor& scale) {
  { LossAdapter<T>::device(loss) } -> std::same_as<Device>;
  { LossAdapter<T>::multiply(loss, scale) } -> std::convertible_to<T>;
};

/// Has gradients() -> a range of TensorView, and step().
template <class O>
concept HasGradients = requires(O& optimizer) {
  { *std::begin(optimizer.gradients()) } -> std::convertible_to<TensorView>;
  optimizer.step();
};

/// An optimizer of a library that OptimizerAdapter knows, as all of torch::optim with
/// <amp/libtorch.hpp>.
template <class O>
concept ForeignOptimizer = !HasGradients<O> && requires(O & optimizer) {
  OptimizerAdapter<O>::step(optimizer);
};

/// What a scaler can unscale and step.
template <class O>
concept OptimizerLike = HasGradients<O> || ForeignOptimizer<O>;

/// One that unscales, clips and skips by itself, on the device: it costs no synchronisation.
template <class O>
concept ScaleAwareOptimizer = HasGradients<O> && requires(O& optimizer, const GradScale& scale) {
  optimizer.step(scale);
};

/// One over amp tensors, whose gradients carry a mark while they are scaled: mark_unscaled() is
/// called once they were unscaled in place. A scale-aware one gets its 16-bit gradients left
/// scaled, and reads GradScale::inverse_low_precision for them.
template <class O>
concept MarksGradients = HasGradients<O> && requires(O& optimizer) {
  optimizer.mark_unscaled();
};

/// One that has only a part of the gradients, as an amp::ShardedOptimizer: gather_norms(norm) is an
/// array of the norms that all ranks have, each a float64, on the device of `norm`, which is that
/// of this rank's part. Such an optimizer is scale-aware.
template <class O>
concept HasShards = ScaleAwareOptimizer<O> && requires(O& optimizer, const Tensor& norm) {
  { optimizer.gather_norms(norm) } -> std::same_as<Tensor>;
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
  bool is_sharded() const { return calls_->gather_norms != nullptr; }

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
  /// If it is sharded.
  Tensor gather_norms(const Tensor& norm) const { return calls_->gather_norms(optimizer_, norm); }

 private:
  /// Null for what the optimizer does not have.
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
