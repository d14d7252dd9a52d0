// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling over lists of gradients: unscale, test, norm and statistics in one pass, clip, and
// the update of the scale.
#pragma once

#include "amp/kernels/unscale/args.hpp"
#include "amp/kernels/unscale/ledger.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0::kernels::host {

void unscale(const UnscaleArgs& args);
void grad_norm(const GradNormArgs& args);
void clip(const ClipArgs& args);
void update_scale(const UpdateScaleArgs& args);
void record_loss(const RecordLossArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/unscale/host.ipp"
#endif
