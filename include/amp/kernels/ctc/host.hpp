// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/ctc/args.hpp"
#include "amp/kernels/dispatch.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void ctc_loss(const CtcLossArgs& args);
AMP_LAZY void ctc_loss_backward(const CtcLossBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void ctc_loss(Device device, const CtcLossArgs& args) {
  dispatch<&Backend::ctc_loss, host::ctc_loss>(device, args);
}
AMP_LAZY inline void ctc_loss_backward(Device device, const CtcLossBackwardArgs& args) {
  dispatch<&Backend::ctc_loss_backward, host::ctc_loss_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/ctc/host.ipp"
#endif
