// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling over lists of gradients: unscale, test, norm and statistics in one pass, clip, and
// the update of the scale.
#pragma once

#include "amp/kernels/dispatch.hpp"
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

namespace amp::inline v0::kernels {

AMP_LAZY inline void unscale(Device device, const UnscaleArgs& args) {
  dispatch<&Backend::unscale, host::unscale>(device, args);
}
AMP_LAZY inline void grad_norm(Device device, const GradNormArgs& args) {
  dispatch<&Backend::grad_norm, host::grad_norm>(device, args);
}
AMP_LAZY inline void clip(Device device, const ClipArgs& args) {
  dispatch<&Backend::clip, host::clip>(device, args);
}
AMP_LAZY inline void update_scale(Device device, const UpdateScaleArgs& args) {
  dispatch<&Backend::update_scale, host::update_scale>(device, args);
}
AMP_LAZY inline void record_loss(Device device, const RecordLossArgs& args) {
  dispatch<&Backend::record_loss, host::record_loss>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/unscale/host.ipp"
#endif
