// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/indexing/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// The slices of x along `dim` that `index` [n] names. The gradient of those named several times
/// adds up in float32.
AMP_LAZY Tensor gather(std::string_view op, std::string_view subject, const Tensor& input, int dim,
                       const Tensor& index) {
  const Tensor x = contiguous(input);
  Shape shape = x.shape();
  shape[dim] = index.size(0);
  const Tensor output = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  if (index.numel() != 0) {
    const kernels::IndexSelectArgs args{x.operand(), index.operand(), output.operand(), dim,
                                        subject};
    kernels::index_select(x.device(), args);
  }
  if (is_floating_point(x.dtype()) && autograd::recording(x)) {
    autograd::record(
        op, output,
        [op, subject, from = x.shape(), dim, index = autograd::SavedTensor(index)](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor grad_x = empty(from, {.dtype = grad.dtype(), .device = grad.device()});
          const kernels::IndexAddArgs args{grad.operand(), index.get(op).operand(),
                                           grad_x.operand(), dim, subject};
          kernels::index_add(grad.device(), args);
          return {grad_x};
        },
        x);
  }
  return output;
}

AMP_LAZY void check_index(std::string_view op, std::string_view argument, const Tensor& index) {
  check_defined(op, argument, index);
  AMP_CHECK(index.dtype() == kInt64 || index.dtype() == kInt32, op, ": `", argument,
            "` must be int64 or int32, but is ", describe(index));
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor index_select(const Tensor& input, std::int64_t dim,
                                        const Tensor& index) {
  detail::check_defined("index_select", "input", input);
  const int d = wrap_dim("index_select", dim, input.dim());
  AMP_CHECK(input.dim() > 0, "index_select: `input` must have at least 1 dimension, but is ",
            describe(input));
  detail::check_index("index_select", "index", index);
  AMP_CHECK(index.dim() <= 1, "index_select: `index` must have at most 1 dimension, but is ",
            describe(index));
  detail::check_same_device("index_select", "input", input, "index", index);
  const Tensor flat = detail::reshape(index, {index.numel()});
  return autocasting::call(
      "index_select",
      [&](const Tensor& x) {
        return detail::gather("index_select", "index_select: `index`", x, d, flat);
      },
      input);
}

AMP_LAZY_DEFINITION Tensor embedding(const Tensor& input, const Tensor& weight) {
  detail::check_index("embedding", "input", input);
  detail::check_defined("embedding", "weight", weight);
  AMP_CHECK(weight.dim() == 2, "embedding: `weight` must be [V, D], but is ", describe(weight));
  detail::check_same_device("embedding", "weight", weight, "input", input);
  const Tensor flat = detail::reshape(detail::dense(input), {input.numel()});
  Shape shape = input.shape();
  shape.push_back(weight.size(1));
  return autocasting::call(
      "embedding",
      [&](const Tensor& w) {
        return detail::reshape(detail::gather("embedding", "embedding: `input`", w, 0, flat),
                               shape);
      },
      weight);
}

}  // namespace amp::inline v0
