// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, with unscaling, clipping and the
// skip, in one parallel region over all parameters. Rule is an optimizer's formula, such as
// AdamRule.
#pragma once

#include "amp/kernels/optim/args.hpp"

namespace amp::inline v0::kernels::host {

/// Steps the parameters of all groups. If the step is skipped, only gradients that are set to 0 are
/// written.
template <class Rule>
void optimizer_step(const OptimizerArgs<Rule>& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/optim/host.ipp"
#endif
