// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of channels (Ioffe and Szegedy 2015, arXiv 1502.03167). The formulas are in
// norm/formula.hpp.
#pragma once

#include "amp/kernels/batch_norm/args.hpp"

namespace amp::inline v0::kernels::host {

void batch_norm(const BatchNormArgs& args);
void batch_norm_backward(const BatchNormBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/batch_norm/host.ipp"
#endif
