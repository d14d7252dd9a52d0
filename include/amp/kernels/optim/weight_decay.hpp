// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Weight decay as part of the gradient, or apart from it, for host and device.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The decay of one step in the type of the update: coupled to the gradient (Adam), or decoupled
/// (AdamW).
template <class T>
struct WeightDecay {
  T shrink, decay;
  bool decoupled, coupled;

  /// V is as in AdamRule::coefficients.
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static WeightDecay of(double rate, double weight_decay, bool is_decoupled) {
    const double factor = (1 - rate * typename V::Double{weight_decay}).value;
    return {static_cast<T>(factor), static_cast<T>(weight_decay), is_decoupled,
            // Without a decay no weight gets into a gradient: 0 * infinity is NaN.
            !is_decoupled && static_cast<T>(weight_decay) != 0};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void apply(V& grad, V& weight) const {
    if (decoupled) weight = shrink * weight;
    if (coupled) grad = grad + decay * weight;
  }
};

}  // namespace amp::inline v0::kernels
