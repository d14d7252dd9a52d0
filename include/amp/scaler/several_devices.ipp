// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/device/memory.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/clip.hpp"
#include "amp/scaler/scale_words.hpp"
#include "amp/scaler/several_devices.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_COLD Tensor join_found_inf(const GradientParts& parts, Tensor sum) {
  for (const GradientPart& part : parts) {
    sum = binary_kernel<&kernels::Backend::add, kernels::host::add>(
        sum, part.found_inf.to(sum.device()), sum.shape(), kFloat32);
  }
  return sum;
}

AMP_COLD Tensor make_part_norm(const GradientPart& part) {
  return empty({}, {.dtype = kFloat64, .device = part.device});
}

AMP_COLD Tensor clip_parts(GradientParts& parts, std::span<const Tensor> norms, double max_norm,
                           Device home, const Tensor& found_inf) {
  const auto count = static_cast<std::int64_t>(norms.size());
  const Tensor at_home = empty({count}, {.dtype = kFloat64, .device = home});
  for (std::size_t i = 0; i < norms.size(); ++i)
    copy_bytes(home, static_cast<double*>(at_home.raw_data()) + i, norms[i].device(),
               norms[i].raw_data(), sizeof(double));
  const bool wide = std::any_of(parts.begin(), parts.end(), [](const GradientPart& part) {
    return norm_dtype(part.spans) == kFloat64;
  });
  const Tensor norm = empty({}, {.dtype = wide ? kFloat64 : kFloat32, .device = home});
  const kernels::GradientSpan span{at_home.raw_data(), count, kFloat64};
  kernels::GradNormArgs args{.device = home,
                             .gradients = &span,
                             .count = 1,
                             .inverse_scale = nullptr,
                             .norm = norm_word(norm)};
  args.found_inf = found_inf.defined() ? word(found_inf) : nullptr;
  grad_norm(args);
  for (GradientPart& part : parts) {
    const Tensor norm_here = norm.to(part.device);
    const Tensor found_here = found_inf.defined() ? found_inf.to(part.device) : Tensor();
    clip(part.device, part.spans, norm_word(norm_here), max_norm,
         found_here.defined() ? word(found_here) : nullptr, &part.table);
  }
  return norm;
}

}  // namespace amp::inline v0::detail
