// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution on the host: by oneDNN (host/onednn.hpp) if the program uses it and it supports the
// problem, with activations in channels-last order; else as matmuls (host/conv_by_matmul.hpp).
#pragma once

#include "amp/kernels/conv/args.hpp"

namespace amp::inline v0::kernels::host {

void conv2d(const Conv2dArgs& args);
void conv2d_backward_input(const Conv2dBackwardInputArgs& args);
void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args);

/// Whether the activations of this convolution should be channels-last: the output, and in the
/// backward passes both gradients. Otherwise all are row-major. Reads no data: the output need not
/// exist yet.
bool conv2d_prefers_channels_last(const Conv2dArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/conv/host.ipp"
#endif
