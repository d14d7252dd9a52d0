// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formulas of Muon (optim/muon.hpp) before and after its matrices are orthogonalised, for host
// and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// How Muon fits its learning rate to the shape of a matrix, A x B: the factor of the rate.
enum class MuonAdjust : std::uint8_t {
  kOriginal,           ///< sqrt(max(1, A / B)) (Jordan et al. 2024)
  kMatchRMSAdamW,      ///< 0.2 sqrt(max(A, B)): rates and decays of AdamW fit (arXiv 2502.16982)
  kSpectralUnclamped,  ///< sqrt(A / B)
};

namespace kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct MuonRule {
  double momentum = 0.95, weight_decay = 0.1;
  bool nesterov = true;
  double ns_coefficients[3] = {3.4445, -4.7750, 2.0315}, ns_eps = 1e-7;
  std::int64_t ns_steps = 5;
  DType ns_dtype = kBFloat16;
  MuonAdjust adjust = MuonAdjust::kOriginal;
  bool averages = false;  // the first pass, in which the weight is the matrix to orthogonalise
  double ratio = 1;       // the second: the factor of the rate

  static constexpr int kStates = 1;  // momentum_buffer
  static constexpr bool kCountsSteps = false;
  static constexpr int kStochasticState = -1;
  AMP_HOST_DEVICE constexpr bool keeps_state(int) const { return averages; }

  template <class T>
  struct Coefficients {
    T rate, shrink, momentum, weight;
    bool averages, nesterov;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double rate, std::int64_t) const {
    using T = typename V::Number;
    const double shrink = (1 - rate * typename V::Double{weight_decay}).value;
    return Coefficients<T>{static_cast<T>(rate * ratio),
                           static_cast<T>(shrink),
                           static_cast<T>(momentum),
                           static_cast<T>(1 - momentum),
                           averages,
                           nesterov};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m) {
    if (k.averages) {
      m = lerp(m, grad, k.weight);
      weight = k.nesterov ? lerp(grad, m, k.momentum) : m;
    } else {
      weight = k.shrink * weight - k.rate * grad;
    }
  }

  friend bool operator==(const MuonRule&, const MuonRule&) = default;
};

}  // namespace kernels
}  // namespace amp::inline v0
