// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Two linear layers with an activation between them (Vaswani et al. 2017, arXiv 1706.03762,
// equation 2), as one op: biases and gelu are computed inside the matmuls if the device can do so,
// and relu in place.
//   h = x W1^T + b1,  a = f(h),  y = a W2^T + b2
//   dh = (dy W2) f'(h),  db1 = sum dh,  dW1 = dh^T x,  dx = dh W1,  db2 = sum dy,  dW2 = dy^T a
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The activation between the layers of feed_forward().
enum class Activation : std::uint8_t {
  kRelu,  ///< max(h, 0)
  kGelu,  ///< the form with tanh, which the libraries of devices have: GeluForm::kTanh
};

/// linear(f(linear(input, weight1, bias1)), weight2, bias2) for input [..., K], weight1 [H, K],
/// bias1 [H], weight2 [N, H] and bias2 [N], with the result [..., N]; biases may be undefined. All
/// have one floating-point dtype, which is that of the result. Under autocast: low precision. f(h)
/// is rounded once; h is not rounded before. Keeps f(h), and a bit per element of h (kRelu) or h
/// (kGelu), for backward. NaN passes through f on every device, so that a GradScaler sees it. The
/// gradient of relu is 0 if the rounded relu(h) is 0.
AMP_LAZY [[nodiscard]] Tensor feed_forward(const Tensor& input, const Tensor& weight1,
                                           const Tensor& bias1, const Tensor& weight2,
                                           const Tensor& bias2 = {},
                                           Activation activation = Activation::kGelu);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/feed_forward.ipp"
#endif
