// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/config.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/host/onednn.hpp"

namespace amp::inline v0::kernels::host {

AMP_INLINE void conv2d(const Conv2dArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) return onednn::conv2d(args);
#endif
  visit_float_type(args.output.dtype,
                   [&](auto tag) { detail::conv2d_by_matmul<typename decltype(tag)::type>(args); });
}
AMP_INLINE void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) return onednn::conv2d_backward_input(args);
#endif
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    detail::conv2d_backward_input_by_matmul<typename decltype(tag)::type>(args);
  });
}
AMP_INLINE void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) return onednn::conv2d_backward_weight(args);
#endif
  visit_float_type(args.grad_weight.dtype, [&](auto tag) {
    detail::conv2d_backward_weight_by_matmul<typename decltype(tag)::type>(args);
  });
}

AMP_INLINE bool conv2d_prefers_channels_last([[maybe_unused]] const Conv2dArgs& args) {
#if AMP_USE_ONEDNN
  return onednn::takes(args);
#else
  return false;  // columns are unfolded from row-major images
#endif
}

}  // namespace amp::inline v0::kernels::host
