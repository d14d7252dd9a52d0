// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a GradScaler asks of an optimizer.
#pragma once

#include <concepts>
#include <iterator>

#include "amp/optim/optimizer.hpp"

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

}  // namespace amp::inline v0
