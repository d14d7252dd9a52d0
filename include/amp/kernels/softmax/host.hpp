// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax on the host.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/softmax/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void softmax(const SoftmaxArgs& args);
AMP_LAZY void log_softmax(const SoftmaxArgs& args);
AMP_LAZY void softmax_backward(const SoftmaxBackwardArgs& args);
AMP_LAZY void log_softmax_backward(const SoftmaxBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void softmax(Device device, const SoftmaxArgs& args) {
  dispatch<&Backend::softmax, host::softmax>(device, args);
}
AMP_LAZY inline void log_softmax(Device device, const SoftmaxArgs& args) {
  dispatch<&Backend::log_softmax, host::log_softmax>(device, args);
}
AMP_LAZY inline void softmax_backward(Device device, const SoftmaxBackwardArgs& args) {
  dispatch<&Backend::softmax_backward, host::softmax_backward>(device, args);
}
AMP_LAZY inline void log_softmax_backward(Device device, const SoftmaxBackwardArgs& args) {
  dispatch<&Backend::log_softmax_backward, host::log_softmax_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/softmax/host.ipp"
#endif
