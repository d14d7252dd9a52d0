// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling over windows of a plane.
#pragma once

#include "amp/kernels/pool/args.hpp"

namespace amp::inline v0::kernels::host {

void max_pool2d(const MaxPool2dArgs& args);
void max_pool2d_backward(const MaxPool2dBackwardArgs& args);
void avg_pool2d(const AvgPool2dArgs& args);
void avg_pool2d_backward(const AvgPool2dBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/pool/host.ipp"
#endif
