// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A step of one's own, as a GradScaler takes it.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/scaler/concepts.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Gradients in memory of the user's and a function that steps with them: what GradScaler needs of
/// an optimizer, for programs that have no class for theirs.
///
/// step(scale) gets the scale's words and hands them to the kernel that reads the gradients:
/// multiply each by scale.factor(dtype), change nothing if scale.skips(). Without a scaler, and
/// with one that is disabled, the words are null, which stands for no scale. The views and their
/// names have to live as long as this object; neither copied nor moved, since scalers know it by
/// address.
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
  PlainOptimizer(std::vector<TensorView> gradients, Step step)
      : gradients_(std::move(gradients)), step_(std::move(step)) {}
  PlainOptimizer(const PlainOptimizer&) = delete;
  PlainOptimizer& operator=(const PlainOptimizer&) = delete;

  const std::vector<TensorView>& gradients() const { return gradients_; }
  void step() { step_(GradScale{}); }
  void step(const GradScale& scale) { step_(scale); }

 private:
  std::vector<TensorView> gradients_;
  Step step_;
};

}  // namespace amp::inline v0
