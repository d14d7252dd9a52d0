// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/nn/conv.hpp"
#include "amp/nn/init.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/window.hpp"

namespace amp::inline v0::nn::detail {

AMP_LAZY Shape shape_of(const WindowSize& size) {
  return Shape(std::span<const std::int64_t>(size.values, static_cast<std::size_t>(size.dims)));
}

AMP_LAZY std::int64_t kernel_reach(const ConvPlan& plan, int d) {
  return plan.dilation.values[d] * (plan.kernel.values[d] - 1);
}

AMP_LAZY std::string text_of(const ConvPlan& plan) {
  const auto sizes = [](const WindowSize& size) { return python_text(shape_of(size)); };
  const auto unless = [&](std::int64_t usual, const char* name, const WindowSize& size) {
    bool is_usual = true;
    for (int d = 0; d < size.dims; ++d) is_usual = is_usual && size.values[d] == usual;
    return is_usual ? std::string() : name + sizes(size);
  };
  constexpr const char* kModes[] = {"zeros", "reflect", "replicate", "circular"};
  const std::string before = unless(0, ", padding=", plan.before);
  const bool even = sizes(plan.before) == sizes(plan.after);
  return std::to_string(plan.in) + ", " + std::to_string(plan.out) +
         ", kernel_size=" + sizes(plan.kernel) + ", stride=" + sizes(plan.stride) +
         (plan.same ? ", padding=same"
          : even    ? before
                    : ", padding=(" + sizes(plan.before) + ", " + sizes(plan.after) + ")") +
         unless(1, ", dilation=", plan.dilation) +
         unless(0, ", output_padding=", plan.output_padding) +
         (plan.groups == 1 ? "" : ", groups=" + std::to_string(plan.groups)) +
         (plan.bias ? "" : ", bias=False") +
         (plan.padding_mode == PadMode::kConstant
              ? ""
              : std::string(", padding_mode=") + kModes[static_cast<int>(plan.padding_mode)]) +
         (plan.relu ? ", relu=True" : "");
}

AMP_LAZY_DEFINITION ConvParts make_conv(const ConvPlan& plan) {
  const std::string op = "nn::" + std::string(plan.type);
  AMP_CHECK(plan.in >= 1 && plan.out >= 1 && plan.groups >= 1 && plan.in % plan.groups == 0 &&
                plan.out % plan.groups == 0,
            op, ": `groups` ", plan.groups, " must divide the channels ", plan.in, " and ",
            plan.out, ", of which there must be at least 1");
  amp::detail::check_extents(op, "kernel_size", plan.kernel, 1);
  amp::detail::check_extents(op, "stride", plan.stride, 1);
  amp::detail::check_extents(op, "padding", plan.before, 0);
  amp::detail::check_extents(op, "padding", plan.after, 0);
  amp::detail::check_extents(op, "dilation", plan.dilation, 1);
  amp::detail::check_extents(op, "output_padding", plan.output_padding, 0);
  for (int d = 0; d < plan.kernel.dims; ++d) {
    AMP_CHECK(!plan.same || plan.stride.values[d] == 1, op,
              ": with Padding::kSame the stride must be 1, but is ",
              amp::detail::to_text(plan.stride));
    AMP_CHECK(plan.output_padding.values[d] == 0 ||
                  plan.output_padding.values[d] <
                      (std::max)(plan.stride.values[d], plan.dilation.values[d]),
              op, ": `output_padding` ", amp::detail::to_text(plan.output_padding),
              " must be less than the stride or the dilation");
  }
  const std::int64_t depth = (plan.transposed ? plan.out : plan.in) / plan.groups;
  amp::detail::PoolVector<std::int64_t> extents = {plan.transposed ? plan.in : plan.out, depth};
  for (const std::int64_t extent : shape_of(plan.kernel)) extents.push_back(extent);
  const Shape shape(extents);  // whose product fits
  const std::int64_t fan_in = shape.numel() / shape[0];
  return {init::fan_in_uniform(shape, fan_in),
          plan.bias ? init::fan_in_uniform({plan.out}, fan_in) : Tensor(), text_of(plan)};
}

AMP_LAZY_DEFINITION Tensor pad_as(const ConvPlan& plan, const Tensor& x) {
  amp::detail::PoolVector<std::int64_t> around;
  for (int d = plan.kernel.dims; d-- > 0;) {
    const std::int64_t reach = plan.same ? kernel_reach(plan, d) : 0;
    around.push_back(plan.same ? reach / 2 : plan.before.values[d]);
    around.push_back(plan.same ? reach - reach / 2 : plan.after.values[d]);
  }
  return pad(x, around, {.mode = plan.padding_mode});
}

AMP_LAZY_DEFINITION WindowSize padding_for(const ConvPlan& plan, const Tensor& x,
                                           const WindowSize& extents) {
  const int dims = plan.kernel.dims;
  AMP_CHECK(x.dim() == dims + 1 || x.dim() == dims + 2, "nn::", plan.type, ": `x` must have ",
            dims + 1, " or ", dims + 2, " dimensions, but is ", describe(x));
  WindowSize padding = extents;
  for (int d = 0; d < dims; ++d) {
    const std::int64_t least = (x.size(d - dims) - 1) * plan.stride.values[d] -
                               2 * plan.before.values[d] + kernel_reach(plan, d) + 1;
    const std::int64_t most = least + plan.stride.values[d] - 1;
    AMP_CHECK(extents.values[d] >= least && extents.values[d] <= most, "nn::", plan.type,
              ": dimension ", d, " of `output_size` ", amp::detail::to_text(extents),
              " must be from ", least, " to ", most, " for ", describe(x));
    padding.values[d] -= least;
  }
  return padding;
}

}  // namespace amp::inline v0::nn::detail
