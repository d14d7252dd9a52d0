// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of channels (Ioffe and Szegedy 2015, arXiv 1502.03167). The formulas are in
// norm/formula.hpp.
#pragma once

#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/dispatch.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void batch_norm(const BatchNormArgs& args);
AMP_LAZY void batch_norm_backward(const BatchNormBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void batch_norm(Device device, const BatchNormArgs& args) {
  dispatch<&Backend::batch_norm, host::batch_norm>(device, args);
}
AMP_LAZY inline void batch_norm_backward(Device device, const BatchNormBackwardArgs& args) {
  dispatch<&Backend::batch_norm_backward, host::batch_norm_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/batch_norm/host.ipp"
#endif
