// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy on the host: each row of logits is read twice.
#pragma once

#include "amp/kernels/cross_entropy/args.hpp"

namespace amp::inline v0::kernels::host {

void cross_entropy(const CrossEntropyArgs& args);
void cross_entropy_backward(const CrossEntropyBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/cross_entropy/host.ipp"
#endif
