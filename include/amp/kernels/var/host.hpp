// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The variance on the host.
#pragma once

#include "amp/kernels/var/args.hpp"

namespace amp::inline v0::kernels::host {

void var(const VarArgs& args);
void var_backward(const VarBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/var/host.ipp"
#endif
