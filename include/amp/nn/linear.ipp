// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "amp/nn/init.hpp"
#include "amp/nn/linear.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/tensor/factory.hpp"
namespace amp::inline v0::nn {

AMP_COLD Linear::Linear(std::int64_t in_features, std::int64_t out_features,
                        const LinearOptions& options) {
  weight =
      register_parameter("weight", init::fan_in_uniform({out_features, in_features}, in_features));
  if (options.bias)
    bias = register_parameter("bias", init::fan_in_uniform({out_features}, in_features));
  set_extra_repr([&] {
    return "in_features=" + std::to_string(in_features) +
           ", out_features=" + std::to_string(out_features) +
           ", bias=" + detail::python_text(options.bias);
  });
}

AMP_LAZY_DEFINITION Tensor Linear::forward(const Tensor& x) const {
  check_defined();
  return linear(x, registered("weight", weight), registered("bias", bias));
}

AMP_COLD Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels, Size2d kernel,
                        const Conv2dLayerOptions& options)
    : options_{options.stride, options.padding, options.dilation, options.groups, options.relu} {
  AMP_CHECK(options.groups >= 1 && in_channels % options.groups == 0 &&
                out_channels % options.groups == 0,
            "nn::Conv2d: `groups` ", options.groups, " must divide the channels ", in_channels,
            " and ", out_channels);
  const std::int64_t depth = in_channels / options.groups;
  const std::int64_t fan_in = depth * kernel.height * kernel.width;
  weight = register_parameter(
      "weight", init::fan_in_uniform({out_channels, depth, kernel.height, kernel.width}, fan_in));
  if (options.bias) bias = register_parameter("bias", init::fan_in_uniform({out_channels}, fan_in));
  set_extra_repr([&] { return describe(in_channels, out_channels, kernel, options); });
}

AMP_LAZY_DEFINITION Tensor Conv2d::forward(const Tensor& x) const {
  check_defined();
  return conv2d(x, registered("weight", weight), registered("bias", bias), options_);
}

AMP_COLD std::string Conv2d::describe(std::int64_t in_channels, std::int64_t out_channels,
                                      Size2d kernel, const Conv2dLayerOptions& options) {
  const auto pair = [](const char* name, Size2d size, std::int64_t usual) {
    const bool said = size.height != usual || size.width != usual;
    return said ? name + detail::python_text(Shape(size.height, size.width)) : std::string();
  };
  return std::to_string(in_channels) + ", " + std::to_string(out_channels) +
         pair(", kernel_size=", kernel, -1) + pair(", stride=", options.stride, -1) +
         pair(", padding=", options.padding, 0) + pair(", dilation=", options.dilation, 1) +
         (options.groups == 1 ? "" : ", groups=" + std::to_string(options.groups)) +
         (options.bias ? "" : ", bias=False") + (options.relu ? ", relu=True" : "");
}

AMP_COLD Embedding::Embedding(std::int64_t count, std::int64_t dim) {
  weight = register_parameter("weight", randn({count, dim}));
  set_extra_repr([&] { return std::to_string(count) + ", " + std::to_string(dim); });
}

AMP_LAZY_DEFINITION Tensor Embedding::forward(const Tensor& indices) const {
  check_defined();
  return embedding(indices, registered("weight", weight));
}

}  // namespace amp::inline v0::nn
