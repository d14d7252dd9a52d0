// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "amp/autograd/grad_mode.hpp"
#include "amp/diagnostics/finite.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::diagnostics {

AMP_COLD bool all_finite(const Tensor& tensor) {
  if (!tensor.defined() || !is_floating_point(tensor.dtype()) || tensor.numel() == 0) return true;
  const NoGradGuard no_grad;
  const Tensor dense = tensor.detach().contiguous();
  const Tensor found = zeros({}, {.device = dense.device()});
  const Tensor one = ones({}, {.device = dense.device()});
  const kernels::GradientSpan span{dense.raw_data(), dense.numel(), dense.dtype(), true};
  const kernels::UnscaleArgs args{dense.device(),
                                  &span,
                                  1,
                                  static_cast<const float*>(one.raw_data()),
                                  static_cast<float*>(found.raw_data()),
                                  false};
  kernels::unscale(args.device, args);
  return found.item<float>() == 0;
}

AMP_COLD std::string describe_non_finite(const Tensor& tensor) {
  const GradientSummary found = detail::summarize(tensor);
  return "in which " + std::to_string(found.infs) + " of " + std::to_string(tensor.numel()) +
         " elements are inf and " + std::to_string(found.nans) + " are NaN, the first at index " +
         std::to_string(found.first_bad);
}

}  // namespace amp::inline v0::diagnostics
