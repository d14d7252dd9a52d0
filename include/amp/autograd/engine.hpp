// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reverse-mode differentiation: backward visits the nodes in descending order of creation, each
// once, when all gradients of its output have arrived.
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autograd {

/// Adds d(root)/d(leaf) * gradient to the gradient of every leaf. Leaves are touched last, so that
/// an error on the way changes none. The graph is freed as it is walked.
void backward(const Tensor& root, const Tensor& gradient);

}  // namespace amp::inline v0::autograd

#if AMP_HEADER_ONLY
#include "amp/autograd/engine.ipp"
#endif
