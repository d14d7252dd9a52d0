// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms of rows on the host. Means and variances are summed in double, around the mean, because the
// difference of squares would cancel. The formulas are in formula.hpp.
#pragma once

#include "amp/kernels/norm/args.hpp"

namespace amp::inline v0::kernels::host {

void norm(const NormArgs& args);
void norm_backward(const NormBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/norm/host.ipp"
#endif
