// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The multiplication of a loss by the scale, in the graph.
#pragma once

#include <span>

#include "amp/autograd/function.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {
namespace detail {

/// d(loss * scale)/d(loss) = scale, and the gradients from here on carry it. `scale` is on the
/// loss's device; `of_scaler` is the scaler's own, of which it may be a copy, and may not have
/// changed when backward comes.
class ScaleNode final : public autograd::Node {
 public:
  ScaleNode(const Tensor& output, const Tensor& loss, const Tensor& scale, const Tensor& of_scaler)
      : Node("GradScaler::scale", output),
        input_{Ref<autograd::Node>(autograd::node_of(loss))},
        loss_dtype_(loss.dtype()),
        scale_(scale),
        of_scaler_(of_scaler) {}

  std::span<const Ref<autograd::Node>> inputs() const override { return {&input_, 1}; }
  void backward(const Tensor& gradient, std::span<Tensor> gradients) override {
    (void)of_scaler_.get("GradScaler::scale");  // throws if it has changed
    gradients[0] = binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
        gradient, scale_, gradient.shape(), loss_dtype_);
  }
  bool scales_gradient() const override { return true; }

 private:
  Ref<autograd::Node> input_;
  DType loss_dtype_;
  Tensor scale_;
  autograd::SavedTensor of_scaler_;
};

}  // namespace detail

}  // namespace amp::inline v0
