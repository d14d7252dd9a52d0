// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The variance on the host.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/var/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void var(const VarArgs& args);
AMP_LAZY void var_backward(const VarBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void var(Device device, const VarArgs& args) {
  dispatch<&Backend::var, host::var>(device, args);
}
AMP_LAZY inline void var_backward(Device device, const VarBackwardArgs& args) {
  dispatch<&Backend::var_backward, host::var_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/var/host.ipp"
#endif
