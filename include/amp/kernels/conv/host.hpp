// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution on the host, of channels-last activations: by oneDNN (host/onednn.hpp) if the program
// uses it and it supports the problem; else as matmuls (host/conv_by_matmul.hpp), or all channels of
// a pixel side by side (host/depthwise.hpp). Row-major activations of depthwise convolutions stay as
// they are (host/depthwise_planes.hpp).
#pragma once

#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/dispatch.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void conv2d(const Conv2dArgs& args);
AMP_LAZY void conv2d_backward_input(const Conv2dBackwardInputArgs& args);
AMP_LAZY void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args);
/// Of row-major images: columns from images, and images from columns.
AMP_LAZY void unfold_patches(const UnfoldArgs& args);
AMP_LAZY void fold_patches(const UnfoldArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void conv2d(Device device, const Conv2dArgs& args) {
  dispatch<&Backend::conv2d, host::conv2d>(device, args);
}
AMP_LAZY inline void conv2d_backward_input(Device device, const Conv2dBackwardInputArgs& args) {
  dispatch<&Backend::conv2d_backward_input, host::conv2d_backward_input>(device, args);
}
AMP_LAZY inline void conv2d_backward_weight(Device device, const Conv2dBackwardWeightArgs& args) {
  dispatch<&Backend::conv2d_backward_weight, host::conv2d_backward_weight>(device, args);
}
AMP_LAZY inline void unfold_patches(Device device, const UnfoldArgs& args) {
  dispatch<&Backend::unfold_patches, host::unfold_patches>(device, args);
}
AMP_LAZY inline void fold_patches(Device device, const UnfoldArgs& args) {
  dispatch<&Backend::fold_patches, host::fold_patches>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/conv/host.ipp"
#endif
