// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling over windows of a plane.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/pool/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void max_pool2d(const MaxPool2dArgs& args);
AMP_LAZY void max_pool2d_backward(const MaxPool2dBackwardArgs& args);
AMP_LAZY void avg_pool2d(const AvgPool2dArgs& args);
AMP_LAZY void avg_pool2d_backward(const AvgPool2dBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void max_pool2d(Device device, const MaxPool2dArgs& args) {
  dispatch<&Backend::max_pool2d, host::max_pool2d>(device, args);
}
AMP_LAZY inline void max_pool2d_backward(Device device, const MaxPool2dBackwardArgs& args) {
  dispatch<&Backend::max_pool2d_backward, host::max_pool2d_backward>(device, args);
}
AMP_LAZY inline void avg_pool2d(Device device, const AvgPool2dArgs& args) {
  dispatch<&Backend::avg_pool2d, host::avg_pool2d>(device, args);
}
AMP_LAZY inline void avg_pool2d_backward(Device device, const AvgPool2dBackwardArgs& args) {
  dispatch<&Backend::avg_pool2d_backward, host::avg_pool2d_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/pool/host.ipp"
#endif
