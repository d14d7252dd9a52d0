// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "amp/nn/activation.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/pool.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0::nn {

AMP_LAZY_DEFINITION Tensor ReLU::forward(const Tensor& x) const { return relu(x); }

AMP_LAZY_DEFINITION Tensor SiLU::forward(const Tensor& x) const { return silu(x); }

AMP_COLD GELU::GELU(GeluForm form) : form_(form) {
  set_extra_repr([&] {
    return std::string(form == GeluForm::kErf ? "approximate='none'" : "approximate='tanh'");
  });
}
AMP_LAZY_DEFINITION Tensor GELU::forward(const Tensor& x) const { return gelu(x, form_); }

AMP_COLD Dropout::Dropout(double p) : p_(p) {
  AMP_CHECK(p >= 0 && p <= 1, "nn::Dropout: `p` must lie in [0, 1], but is ", p);
  set_extra_repr([&] { return "p=" + detail::python_text(p) + ", inplace=False"; });
}
AMP_LAZY_DEFINITION Tensor Dropout::forward(const Tensor& x) const {
  return dropout(x, p_, is_training());
}

AMP_COLD Flatten::Flatten(std::int64_t start_dim, std::int64_t end_dim)
    : start_dim_(start_dim), end_dim_(end_dim) {
  set_extra_repr([&] {
    return "start_dim=" + std::to_string(start_dim) + ", end_dim=" + std::to_string(end_dim);
  });
}
AMP_LAZY_DEFINITION Tensor Flatten::forward(const Tensor& x) const {
  return x.flatten(start_dim_, end_dim_);
}

namespace detail {

AMP_COLD std::string pool_text(Size2d kernel, const PoolOptions& options) {
  const auto text = [](Size2d size) {
    return size.height == size.width ? std::to_string(size.height)
                                     : python_text(Shape(size.height, size.width));
  };
  return "kernel_size=" + text(kernel) + ", stride=" + text(options.stride.value_or(kernel)) +
         ", padding=" + text(options.padding);
}

}  // namespace detail

AMP_COLD MaxPool2d::MaxPool2d(Size2d kernel, const PoolOptions& options)
    : kernel_(kernel), options_(options) {
  set_extra_repr(
      [&] { return detail::pool_text(kernel, options) + ", dilation=1, ceil_mode=False"; });
}
AMP_LAZY_DEFINITION Tensor MaxPool2d::forward(const Tensor& x) const {
  return max_pool2d(x, kernel_, options_.stride.value_or(kernel_), options_.padding);
}

AMP_COLD AvgPool2d::AvgPool2d(Size2d kernel, const PoolOptions& options)
    : kernel_(kernel), options_(options) {
  set_extra_repr([&] { return detail::pool_text(kernel, options); });
}
AMP_LAZY_DEFINITION Tensor AvgPool2d::forward(const Tensor& x) const {
  return avg_pool2d(x, kernel_, options_.stride.value_or(kernel_), options_.padding);
}

}  // namespace amp::inline v0::nn
