// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included, in one parallel region over all parameters. Rule is an optimizer's formula, as
// AdamRule.
#pragma once

#include "amp/kernels/optim/args.hpp"

namespace amp::inline v0::kernels::host {

/// A step of all groups. If it is skipped, only gradients that shall be 0 afterwards are written.
template <class Rule>
void optimizer_step(const OptimizerArgs<Rule>& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/optim/host.ipp"
#endif
