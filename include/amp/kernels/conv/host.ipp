// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/config.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/host/depthwise.hpp"
#include "amp/kernels/conv/host/depthwise_planes.hpp"
#include "amp/kernels/conv/host/onednn.hpp"
#include "amp/kernels/conv/host/unfold.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/traversal/channels_last.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY_DEFINITION void conv2d(const Conv2dArgs& args) {
  const ConvShape shape(args.input, args.weight, args.output, args.window, args.groups);
  if (!lies_channels_last(args.input)) return detail::planes_conv2d(args, shape);
#if AMP_USE_ONEDNN
  if (onednn::conv2d(args)) return;
#endif
  is_depthwise(shape, args.output.dtype) ? detail::depthwise_conv2d(args, shape)
                                         : detail::conv2d_by_matmul(args, shape);
}
AMP_LAZY_DEFINITION void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
  const ConvShape shape(args.grad_input, args.weight, args.grad_output, args.window, args.groups);
  if (!lies_channels_last(args.grad_output)) return detail::planes_backward_input(args, shape);
#if AMP_USE_ONEDNN
  if (onednn::conv2d_backward_input(args)) return;
#endif
  is_depthwise(shape, args.grad_input.dtype) ? detail::depthwise_backward_input(args, shape)
                                             : detail::conv2d_backward_input_by_matmul(args, shape);
}
AMP_LAZY_DEFINITION void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
  const ConvShape shape(args.input, args.grad_weight, args.grad_output, args.window, args.groups);
  if (!lies_channels_last(args.input)) {
    detail::planes_backward_weight(args, shape);
  } else {
#if AMP_USE_ONEDNN
    if (onednn::conv2d_backward_weight(args)) return;
#endif
    is_depthwise(shape, args.grad_weight.dtype)
        ? detail::depthwise_backward_weight(args, shape)
        : detail::conv2d_backward_weight_by_matmul(args, shape);
  }
  if (args.grad_bias.present) detail::sum_over_pixels(args.grad_output, args.grad_bias);
}
AMP_LAZY_DEFINITION void unfold_patches(const UnfoldArgs& args) { detail::unfold_planes(args); }
AMP_LAZY_DEFINITION void fold_patches(const UnfoldArgs& args) { detail::fold_planes(args); }

}  // namespace amp::inline v0::kernels::host
