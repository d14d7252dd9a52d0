// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The layers with a matrix, a kernel or a table: Linear, Conv2d, Embedding.
#pragma once

#include <cstdint>
#include <string>

#include "amp/nn/init.hpp"
#include "amp/nn/layer.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/matmul.hpp"

namespace amp::inline v0::nn {

struct LinearOptions {
  bool bias = true;
};

/// x [..., in] -> x weight^T + bias [..., out]; weight [out, in], bias [out].
class Linear : public Layer<Linear> {
 public:
  using Layer<Linear>::Layer;
  Linear() : Layer<Linear>(nullptr) {}  // empty
  Linear(std::int64_t in_features, std::int64_t out_features, const LinearOptions& options = {}) {
    weight = register_parameter("weight",
                                init::fan_in_uniform({out_features, in_features}, in_features));
    if (options.bias)
      bias = register_parameter("bias", init::fan_in_uniform({out_features}, in_features));
    set_extra_repr([&] {
      return "in_features=" + std::to_string(in_features) +
             ", out_features=" + std::to_string(out_features) +
             ", bias=" + detail::python_text(options.bias);
    });
  }
  Tensor forward(const Tensor& x) const {
    check_defined();
    return linear(x, registered("weight", weight), registered("bias", bias));
  }

  Tensor weight, bias;
};

struct Conv2dLayerOptions {
  Size2d stride = 1, padding = 0, dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  bool relu = false;  // relu of the result, as Conv2dOptions has it
};

/// x [N, in, H, W] -> [N, out, H', W'] (conv2d); weight [out, in / groups, KH, KW], bias [out].
class Conv2d : public Layer<Conv2d> {
 public:
  using Layer<Conv2d>::Layer;
  Conv2d() : Layer<Conv2d>(nullptr) {}  // empty
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, Size2d kernel,
         const Conv2dLayerOptions& options = {})
      : options_{options.stride, options.padding, options.dilation, options.groups, options.relu} {
    AMP_CHECK(options.groups >= 1 && in_channels % options.groups == 0 &&
                  out_channels % options.groups == 0,
              "nn::Conv2d: `groups` ", options.groups, " must divide the channels ", in_channels,
              " and ", out_channels);
    const std::int64_t depth = in_channels / options.groups;
    const std::int64_t fan_in = depth * kernel.height * kernel.width;
    weight = register_parameter(
        "weight", init::fan_in_uniform({out_channels, depth, kernel.height, kernel.width}, fan_in));
    if (options.bias)
      bias = register_parameter("bias", init::fan_in_uniform({out_channels}, fan_in));
    set_extra_repr([&] { return describe(in_channels, out_channels, kernel, options); });
  }
  Tensor forward(const Tensor& x) const {
    check_defined();
    return conv2d(x, registered("weight", weight), registered("bias", bias), options_);
  }

  Tensor weight, bias;

 private:
  static std::string describe(std::int64_t in_channels, std::int64_t out_channels, Size2d kernel,
                              const Conv2dLayerOptions& options) {
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

  Conv2dOptions options_;
};

/// Indices [...] (int64 or int32) -> rows of weight [...,  dim]; weight [count, dim], drawn from
/// N(0, 1).
class Embedding : public Layer<Embedding> {
 public:
  using Layer<Embedding>::Layer;
  Embedding() : Layer<Embedding>(nullptr) {}  // empty
  Embedding(std::int64_t count, std::int64_t dim) {
    weight = register_parameter("weight", randn({count, dim}));
    set_extra_repr([&] { return std::to_string(count) + ", " + std::to_string(dim); });
  }
  Tensor forward(const Tensor& indices) const {
    check_defined();
    return embedding(indices, registered("weight", weight));
  }

  Tensor weight;
};

}  // namespace amp::inline v0::nn
