// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/init.hpp"
#include "amp/nn/linear.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/tensor_members.hpp"
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

AMP_COLD Embedding::Embedding(std::int64_t count, std::int64_t dim, const EmbeddingOptions& options)
    : Embedding(randn({count, dim}), true, options.padding_idx) {
  if (!padding_idx_) return;
  const NoGradGuard no_grad;
  weight.select(0, *padding_idx_).zero_();
}
AMP_COLD Embedding::Embedding(const Tensor& rows, bool requires_grad,
                              std::optional<std::int64_t> padding_idx)
    : padding_idx_(padding_idx) {
  const std::int64_t count = rows.size(0);
  if (padding_idx) {
    AMP_CHECK(*padding_idx >= -count && *padding_idx < count,
              "nn::Embedding: `padding_idx` must be one of ", count, " rows, but is ",
              *padding_idx);
    if (*padding_idx < 0) *padding_idx_ += count;
  }
  weight = register_parameter("weight", rows, requires_grad);
  set_extra_repr([&] {
    return std::to_string(count) + ", " + std::to_string(rows.size(1)) +
           (padding_idx_ ? ", padding_idx=" + std::to_string(*padding_idx_) : "");
  });
}
AMP_COLD Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                              const PretrainedOptions& options) {
  AMP_CHECK(embeddings.defined() && embeddings.dim() == 2,
            "nn::Embedding::from_pretrained: `embeddings` must be a matrix, but is ",
            describe(embeddings));
  return Embedding(embeddings, !options.freeze, options.padding_idx);
}

namespace detail {

/// The weight, but no gradient reaches that row.
AMP_LAZY Tensor without_row(const Tensor& weight, std::int64_t row) {
  const Tensor own = weight.alias(weight.shape(), weight.strides(), weight.impl().offset);
  amp::detail::record_move(
      "padding_row", own,
      [row](const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
        const Tensor rest = gradient.unique() ? gradient : gradient.clone();
        rest.select(0, row).zero_();
        return {rest};
      },
      weight);
  return own;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor Embedding::forward(const Tensor& indices) const {
  check_defined();
  const Tensor& rows = registered("weight", weight);
  if (!padding_idx_ || !rows.requires_grad()) return embedding(indices, rows);
  return embedding(indices, detail::without_row(rows, *padding_idx_));
}

}  // namespace amp::inline v0::nn
