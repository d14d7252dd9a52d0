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

}  // namespace amp::inline v0
