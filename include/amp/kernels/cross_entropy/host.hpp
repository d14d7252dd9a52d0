// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy on the host: each row of logits is read twice.
#pragma once

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/dispatch.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void cross_entropy(const CrossEntropyArgs& args);
AMP_LAZY void cross_entropy_backward(const CrossEntropyBackwardArgs& args);
/// The same of log-probabilities, of which only those of the targets are read.
AMP_LAZY void nll_loss(const CrossEntropyArgs& args);
AMP_LAZY void nll_loss_backward(const CrossEntropyBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void cross_entropy(Device device, const CrossEntropyArgs& args) {
  dispatch<&Backend::cross_entropy, host::cross_entropy>(device, args);
}
AMP_LAZY inline void cross_entropy_backward(Device device, const CrossEntropyBackwardArgs& args) {
  dispatch<&Backend::cross_entropy_backward, host::cross_entropy_backward>(device, args);
}
// Other devices have one kernel for both losses, which `normalized` tells apart.
AMP_LAZY inline void nll_loss(Device device, const CrossEntropyArgs& args) {
  dispatch<&Backend::cross_entropy, host::nll_loss>(device, args);
}
AMP_LAZY inline void nll_loss_backward(Device device, const CrossEntropyBackwardArgs& args) {
  dispatch<&Backend::cross_entropy_backward, host::nll_loss_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/cross_entropy/host.ipp"
#endif
