// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/config.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/host/onednn.hpp"
#include "amp/kernels/conv/host/row_major.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY_DEFINITION void conv2d(const Conv2dArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) {
    if (const onednn::Session session; session) return onednn::conv2d(args);
    return detail::in_row_major(args, &Conv2dArgs::input, &Conv2dArgs::output, true, conv2d);
  }
#endif
  visit_float_type(args.output.dtype,
                   [&](auto tag) { detail::conv2d_by_matmul<typename decltype(tag)::type>(args); });
}
AMP_LAZY_DEFINITION void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) {
    if (const onednn::Session session; session) return onednn::conv2d_backward_input(args);
    using Args = Conv2dBackwardInputArgs;
    return detail::in_row_major(args, &Args::grad_output, &Args::grad_input, true,
                                conv2d_backward_input);
  }
#endif
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    detail::conv2d_backward_input_by_matmul<typename decltype(tag)::type>(args);
  });
}
AMP_LAZY_DEFINITION void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) {
    if (const onednn::Session session; session) return onednn::conv2d_backward_weight(args);
    using Args = Conv2dBackwardWeightArgs;
    return detail::in_row_major(args, &Args::grad_output, &Args::input, false,
                                conv2d_backward_weight);
  }
#endif
  visit_float_type(args.grad_weight.dtype, [&](auto tag) {
    detail::conv2d_backward_weight_by_matmul<typename decltype(tag)::type>(args);
  });
}

AMP_LAZY_DEFINITION bool conv2d_prefers_channels_last([[maybe_unused]] const Conv2dArgs& args) {
#if AMP_USE_ONEDNN
  const onednn::Session session;
  return session && onednn::takes(args);
#else
  return false;  // columns are unfolded from row-major images
#endif
}

}  // namespace amp::inline v0::kernels::host
