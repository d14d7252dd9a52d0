// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The layers without parameters.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "amp/nn/layer.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/pool.hpp"

namespace amp::inline v0::nn {

class ReLU : public Layer<ReLU> {
 public:
  using Layer<ReLU>::Layer;
  Tensor forward(const Tensor& x) const { return relu(x); }
};

class SiLU : public Layer<SiLU> {
 public:
  using Layer<SiLU>::Layer;
  Tensor forward(const Tensor& x) const { return silu(x); }
};

class GELU : public Layer<GELU> {
 public:
  template <std::same_as<std::nullptr_t> Null>                 // not the number 0
  GELU(Null) : Layer<GELU>(nullptr), form_(GeluForm::kErf) {}  // empty
  explicit GELU(GeluForm form = GeluForm::kErf) : form_(form) {
    set_extra_repr([&] {
      return std::string(form == GeluForm::kErf ? "approximate='none'" : "approximate='tanh'");
    });
  }
  Tensor forward(const Tensor& x) const { return gelu(x, form_); }

 private:
  GeluForm form_;
};

/// Drops with probability p in training.
class Dropout : public Layer<Dropout> {
 public:
  template <std::same_as<std::nullptr_t> Null>       // not the number 0
  Dropout(Null) : Layer<Dropout>(nullptr), p_(0) {}  // empty
  explicit Dropout(double p = 0.5) : p_(p) {
    AMP_CHECK(p >= 0 && p <= 1, "nn::Dropout: `p` must lie in [0, 1], but is ", p);
    set_extra_repr([&] { return "p=" + detail::python_text(p) + ", inplace=False"; });
  }
  Tensor forward(const Tensor& x) const { return dropout(x, p_, is_training()); }

 private:
  double p_;
};

/// Dimensions [start_dim, end_dim] become one.
class Flatten : public Layer<Flatten> {
 public:
  template <std::same_as<std::nullptr_t> Null>                            // not the number 0
  Flatten(Null) : Layer<Flatten>(nullptr), start_dim_(0), end_dim_(0) {}  // empty
  explicit Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1)
      : start_dim_(start_dim), end_dim_(end_dim) {
    set_extra_repr([&] {
      return "start_dim=" + std::to_string(start_dim) + ", end_dim=" + std::to_string(end_dim);
    });
  }
  Tensor forward(const Tensor& x) const { return x.flatten(start_dim_, end_dim_); }

 private:
  std::int64_t start_dim_, end_dim_;
};

struct PoolOptions {
  std::optional<Size2d> stride = {};  // unset: the kernel
  Size2d padding = 0;
};

namespace detail {

inline std::string pool_text(Size2d kernel, const PoolOptions& options) {
  const auto text = [](Size2d size) {
    return size.height == size.width ? std::to_string(size.height)
                                     : python_text(Shape(size.height, size.width));
  };
  return "kernel_size=" + text(kernel) + ", stride=" + text(options.stride.value_or(kernel)) +
         ", padding=" + text(options.padding);
}

}  // namespace detail

class MaxPool2d : public Layer<MaxPool2d> {
 public:
  template <std::same_as<std::nullptr_t> Null>                // not the number 0
  MaxPool2d(Null) : Layer<MaxPool2d>(nullptr), kernel_(1) {}  // empty
  explicit MaxPool2d(Size2d kernel, const PoolOptions& options = {})
      : kernel_(kernel), options_(options) {
    set_extra_repr(
        [&] { return detail::pool_text(kernel, options) + ", dilation=1, ceil_mode=False"; });
  }
  Tensor forward(const Tensor& x) const {
    return max_pool2d(x, kernel_, options_.stride.value_or(kernel_), options_.padding);
  }

 private:
  Size2d kernel_;
  PoolOptions options_;
};

class AvgPool2d : public Layer<AvgPool2d> {
 public:
  template <std::same_as<std::nullptr_t> Null>                // not the number 0
  AvgPool2d(Null) : Layer<AvgPool2d>(nullptr), kernel_(1) {}  // empty
  explicit AvgPool2d(Size2d kernel, const PoolOptions& options = {})
      : kernel_(kernel), options_(options) {
    set_extra_repr([&] { return detail::pool_text(kernel, options); });
  }
  Tensor forward(const Tensor& x) const {
    return avg_pool2d(x, kernel_, options_.stride.value_or(kernel_), options_.padding);
  }

 private:
  Size2d kernel_;
  PoolOptions options_;
};

}  // namespace amp::inline v0::nn
