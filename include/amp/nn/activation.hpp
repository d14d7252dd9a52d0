// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers without parameters.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/nn/layer.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/conv.hpp"

namespace amp::inline v0::nn {

class ReLU : public Layer<ReLU> {
 public:
  using Layer<ReLU>::Layer;
  Tensor forward(const Tensor& x) const;
};

class SiLU : public Layer<SiLU> {
 public:
  using Layer<SiLU>::Layer;
  Tensor forward(const Tensor& x) const;
};

class GELU : public Layer<GELU> {
 public:
  template <std::same_as<std::nullptr_t> Null>                 // not the number 0
  GELU(Null) : Layer<GELU>(nullptr), form_(GeluForm::kErf) {}  // empty
  explicit GELU(GeluForm form = GeluForm::kErf);
  Tensor forward(const Tensor& x) const;

 private:
  GeluForm form_;
};

/// In training, sets each element to 0 with probability p (dropout).
class Dropout : public Layer<Dropout> {
 public:
  template <std::same_as<std::nullptr_t> Null>       // not the number 0
  Dropout(Null) : Layer<Dropout>(nullptr), p_(0) {}  // empty
  explicit Dropout(double p = 0.5);
  Tensor forward(const Tensor& x) const;

 private:
  double p_;
};

/// Joins the dimensions from start_dim to end_dim, both included, to one.
class Flatten : public Layer<Flatten> {
 public:
  template <std::same_as<std::nullptr_t> Null>                            // not the number 0
  Flatten(Null) : Layer<Flatten>(nullptr), start_dim_(0), end_dim_(0) {}  // empty
  explicit Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1);
  Tensor forward(const Tensor& x) const;

 private:
  std::int64_t start_dim_, end_dim_;
};

struct PoolOptions {
  std::optional<Size2d> stride = {};  // unset: the kernel
  Size2d padding = 0;
};

class MaxPool2d : public Layer<MaxPool2d> {
 public:
  template <std::same_as<std::nullptr_t> Null>                // not the number 0
  MaxPool2d(Null) : Layer<MaxPool2d>(nullptr), kernel_(1) {}  // empty
  explicit MaxPool2d(Size2d kernel, const PoolOptions& options = {});
  Tensor forward(const Tensor& x) const;

 private:
  Size2d kernel_;
  PoolOptions options_;
};

class AvgPool2d : public Layer<AvgPool2d> {
 public:
  template <std::same_as<std::nullptr_t> Null>                // not the number 0
  AvgPool2d(Null) : Layer<AvgPool2d>(nullptr), kernel_(1) {}  // empty
  explicit AvgPool2d(Size2d kernel, const PoolOptions& options = {});
  Tensor forward(const Tensor& x) const;

 private:
  Size2d kernel_;
  PoolOptions options_;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/activation.ipp"
#endif
