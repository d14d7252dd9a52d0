// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/core/error.hpp"
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

AMP_COLD Tensor clip_parts(GradientParts& parts, double max_norm, Device home,
                           const Tensor& found_inf) {
  const auto count = static_cast<std::int64_t>(parts.size());
  const Tensor norms = empty({count}, {.dtype = kFloat64, .device = home});
  for (std::size_t i = 0; i < parts.size(); ++i)
    copy_bytes(home, static_cast<double*>(norms.raw_data()) + i, parts[i].device,
               parts[i].norm.raw_data(), sizeof(double));
  const bool wide = std::any_of(parts.begin(), parts.end(), [](const GradientPart& part) {
    return norm_dtype(part.spans) == kFloat64;
  });
  const Tensor norm = empty({}, {.dtype = wide ? kFloat64 : kFloat32, .device = home});
  const kernels::GradientSpan span{norms.raw_data(), count, kFloat64};
  kernels::GradNormArgs args{.device = home,
                             .gradients = &span,
                             .count = 1,
                             .inverse_scale = nullptr,
                             .norm = norm_pointer(norm)};
  args.found_inf = found_inf.defined() ? word(found_inf) : nullptr;
  grad_norm(args);
  for (GradientPart& part : parts) {
    const Tensor norm_here = norm.to(part.device);
    const Tensor found_here = found_inf.defined() ? found_inf.to(part.device) : Tensor();
    clip(part.device, part.spans, norm_pointer(norm_here), max_norm,
         found_here.defined() ? word(found_here) : nullptr, &part.table);
  }
  return norm;
}

AMP_COLD Tensor clip_without_scale(std::string_view call, const AnyOptimizer& optimizer,
                                   double max_norm, std::optional<Device> home) {
  GradientParts parts;
  collect_gradients(call, optimizer, parts);
  if (parts.empty()) parts.push_back({.device = home.value_or(kCPU)});
  const GradientPart& first = parts[0];
  if (parts.size() == 1) {
    const Tensor norm = make_norm(first.spans, first.device);
    clip_by_norm(first.device, first.spans, max_norm, norm);
    return norm;
  }
  for (GradientPart& part : parts) {
    part.norm = make_part_norm(part);
    grad_norm({part.device, part.spans.data(), part.count(), nullptr, norm_pointer(part.norm)});
  }
  return clip_parts(parts, max_norm, home.value_or(first.device), {});
}

AMP_COLD void check_parts(std::string_view call, const GradientParts& parts, Device home,
                          const OneDeviceOptions& options) {
  for (const GradientPart& part : parts) {
    if (part.device == home) continue;
    if (options.ledger) refuse_elsewhere(call, "a gradient is", part.device, home, "ledger");
    if (options.sanitizes)
      refuse_elsewhere(call, "a gradient is", part.device, home, "on_overflow = kSanitize");
  }
  AMP_CHECK(parts.size() == 1 || !options.statistics, call, ": gradients are on ", parts[0].device,
            " and on ", parts.back().device,
            ", but with GradScalerOptions::statistics those of an optimizer must lie on one "
            "device; leave that option out, or make one optimizer per device");
}

AMP_COLD void refuse_elsewhere(std::string_view call, std::string_view what, Device device,
                               Device home, std::string_view option) {
  fail(call, ": ", what, " on ", device, ", but this scaler lives on ", home,
       ", and with GradScalerOptions::", option,
       " losses and gradients must lie there; leave that option out, or give each device a scaler "
       "of its own (GradScalerOptions::device)");
}

}  // namespace amp::inline v0::detail
