// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "amp/nn/init.hpp"
#include "amp/nn/linear.hpp"
#include "amp/nn/python_text.hpp"
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

AMP_COLD Embedding::Embedding(std::int64_t count, std::int64_t dim) {
  weight = register_parameter("weight", randn({count, dim}));
  set_extra_repr([&] { return std::to_string(count) + ", " + std::to_string(dim); });
}

AMP_LAZY_DEFINITION Tensor Embedding::forward(const Tensor& indices) const {
  check_defined();
  return embedding(indices, registered("weight", weight));
}

}  // namespace amp::inline v0::nn
