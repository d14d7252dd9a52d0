// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention by blocks, backward. One thread computes a whole batch, so the gradients of its keys
// and values are summed in one order.
#pragma once

#include "amp/kernels/attention/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void attention_backward(const AttentionBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/attention/host/backward.ipp"
#endif
