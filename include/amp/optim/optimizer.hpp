// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every optimizer shares: its parameters, their gradients, and the two ways to step.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0 {

/// Base of amp's optimizers. Scale-aware: step(const GradScale&) reads scaled gradients once and
/// unscales, clips, skips and updates in that pass. Known to a GradScaler by address, so neither
/// copied nor moved.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  const std::vector<Tensor>& parameters() const { return parameters_; }

  /// Forgets all gradients; the next backward makes new ones.
  void zero_grad() {
    for (const Tensor& p : parameters_) p.set_grad(Tensor());
  }

  /// The gradients that exist now.
  std::vector<TensorView> gradients() const {
    std::vector<TensorView> views;
    views.reserve(parameters_.size());
    for (const Tensor& p : parameters_) {
      if (const Tensor g = p.grad(); g.defined())
        views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device()});
    }
    return views;
  }

  /// Says that the float32 and float64 gradients were unscaled in place. 16-bit ones stay scaled,
  /// and marked, until step(const GradScale&).
  void mark_unscaled() {
    for (const Tensor& p : parameters_) {
      autograd::Leaf* const leaf = autograd::leaf_of(p);
      if (!leaf->grad.defined() || is_low_precision(leaf->grad.dtype())) continue;
      leaf->is_scaled = false;
      leaf->grad.mark_modified();
    }
  }

  /// One step with the gradients as they are. Throws where a gradient still carries the scale of a
  /// scaled loss. Does not synchronise.
  void step() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      AMP_CHECK(!autograd::leaf_of(parameters_[i])->is_scaled, "step: the gradient of parameter ",
                i, ", ", describe(parameters_[i]),
                ", was accumulated from a scaled loss; call scaler.step(optimizer), or "
                "scaler.unscale_(optimizer) before optimizer.step()");
    }
    step(GradScale{});
  }
  /// One step with gradients that `scale` corrects; changes nothing where *scale.found_inf is not
  /// 0. Does not synchronise.
  void step(const GradScale& scale) {
    // unscale_ passes inverse_low_precision: what is float32 and marked was added to since.
    for (std::size_t i = 0; scale.inverse_low_precision != nullptr && i < parameters_.size(); ++i) {
      const autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
      AMP_CHECK(!leaf->is_scaled || is_low_precision(leaf->grad.dtype()),
                "step: a scaled loss was added to the gradient of parameter ", i, ", ",
                describe(parameters_[i]),
                ", after unscale_; call unscale_ once, after the last backward()");
    }
    apply(scale);
    for (const Tensor& p : parameters_) {
      if (autograd::leaf_of(p)->grad.defined()) p.impl().storage->bump_version();
    }
  }

 protected:
  Optimizer(std::string_view name, std::vector<Tensor> parameters)
      : parameters_(std::move(parameters)) {
    AMP_CHECK(!parameters_.empty(), name, ": `params` is empty");
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& p = parameters_[i];
      AMP_CHECK(p.defined() && p.is_leaf() && p.requires_grad(), name, ": params[", i, "], ",
                describe(p),
                ", must be a leaf that requires gradients; create it with requires_grad, and "
                "convert it before, not after");
      AMP_CHECK(p.is_contiguous(), name, ": params[", i, "], ", describe(p),
                ", must be contiguous");
      AMP_CHECK(p.device() == parameters_[0].device(), name, ": params[", i, "] is on ", p.device(),
                ", but params[0] is on ", parameters_[0].device(),
                "; use one optimizer per device");
      for (std::size_t j = 0; j < i; ++j)
        AMP_CHECK(!p.is_same(parameters_[j]), name, ": params[", i, "] is params[", j, "] again");
    }
  }

  virtual void apply(const GradScale& scale) = 0;

  /// State of the shape, dtype and device of each parameter, zero; made when first needed.
  static void* state_of(std::vector<Tensor>& state, std::size_t i, const Tensor& parameter,
                        std::size_t count) {
    state.resize(count);
    if (!state[i].defined()) state[i] = zeros_like(parameter);
    return state[i].raw_data();
  }
  static void check_gradient(std::string_view name, std::size_t i, const Tensor& parameter,
                             const Tensor& grad) {
    AMP_CHECK(grad.shape() == parameter.shape() && grad.is_contiguous() &&
                  grad.device() == parameter.device(),
              name, ": the gradient ", describe(grad), " of params[", i,
              "] must have the shape of the parameter, ", describe(parameter),
              ", and be contiguous");
  }

 private:
  std::vector<Tensor> parameters_;
};

namespace detail {

inline void check_rate(std::string_view name, std::string_view what, double value, double below) {
  AMP_CHECK(value >= 0 && value < below, name, ": `", what, "` must lie in [0, ", below,
            "), but is ", value);
}

}  // namespace detail
}  // namespace amp::inline v0
