// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms of rows on the host. Means and variances are summed in double, around the mean, because the
// difference of squares would cancel. The formulas are in formula.hpp.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/norm/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void norm(const NormArgs& args);
AMP_LAZY void norm_backward(const NormBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void norm(Device device, const NormArgs& args) {
  dispatch<&Backend::norm, host::norm>(device, args);
}
AMP_LAZY inline void norm_backward(Device device, const NormBackwardArgs& args) {
  dispatch<&Backend::norm_backward, host::norm_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/norm/host.ipp"
#endif
