// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An optimizer made of gradients in your own memory and your own step function.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/scaler/concepts.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Gradients in your own memory and a function that steps with them: all that a GradScaler needs of
/// an optimizer, for programs without an optimizer class.
///
/// step(scale) passes the pointers of GradScale to the kernel that reads the gradients. The kernel
/// multiplies each gradient by scale.factor(dtype), and changes nothing if scale.skips(). Without a
/// scaler, or with one that is disabled, the pointers are null, which means no scale. The memory
/// and the names of the views must outlive this object. It can be neither copied nor moved, because
/// scalers know it by its address.
///
/// ```cpp
/// amp::half gradient[2] = {amp::half(512.0F), amp::half(-1024.0F)};  // scaled by 1024
/// float weights[2] = {0, 0};
/// amp::PlainOptimizer optimizer({{gradient, 2, amp::kFloat16}}, [&](const amp::GradScale& scale) {
///   if (scale.skips()) return;
///   for (int i = 0; i < 2; ++i)
///     weights[i] -= static_cast<float>(double(gradient[i]) * scale.factor(amp::kFloat16));
/// });
/// amp::GradScaler scaler({.init_scale = 1024});
/// (void)scaler.scale_data(amp::kCPU);
/// scaler.step(optimizer);
/// scaler.update();
/// assert(weights[0] == -0.5F && weights[1] == 1);
/// ```
template <std::invocable<const GradScale&> Step>
class PlainOptimizer {
 public:
  /// `step` is called as step(const GradScale&).
  PlainOptimizer(std::vector<TensorView> gradients, Step step)
      : gradients_(std::move(gradients)), step_(std::move(step)) {}
  PlainOptimizer(const PlainOptimizer&) = delete;
  PlainOptimizer& operator=(const PlainOptimizer&) = delete;

  /// Returns the views of the gradients.
  const std::vector<TensorView>& gradients() const { return gradients_; }
  /// Calls the step function; without an argument, with no scale.
  void step() { step_(GradScale{}); }
  void step(const GradScale& scale) { step_(scale); }

 private:
  std::vector<TensorView> gradients_;
  Step step_;
};

}  // namespace amp::inline v0
