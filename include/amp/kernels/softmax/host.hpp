// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax on the host.
#pragma once

#include "amp/kernels/softmax/args.hpp"

namespace amp::inline v0::kernels::host {

void softmax(const SoftmaxArgs& args);
void log_softmax(const SoftmaxArgs& args);
void softmax_backward(const SoftmaxBackwardArgs& args);
void log_softmax_backward(const SoftmaxBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/softmax/host.ipp"
#endif
