// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers without parameters.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/conv.hpp"

namespace amp::inline v0::nn {

/// relu(x).
class ReLU : public Layer<ReLU> {
 public:
  using Layer<ReLU>::Layer;
  ReLU() = default;
  explicit ReLU(std::same_as<bool> auto) = delete;  // there is no inplace
  /// Returns relu(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;
};

/// silu(x).
class SiLU : public Layer<SiLU> {
 public:
  using Layer<SiLU>::Layer;
  SiLU() = default;
  explicit SiLU(std::same_as<bool> auto) = delete;  // there is no inplace
  /// Returns silu(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;
};

/// gelu(x).
class GELU : public Layer<GELU> {
 public:
  template <std::same_as<std::nullptr_t> Null>                 // not the number 0
  GELU(Null) : Layer<GELU>(nullptr), form_(GeluForm::kErf) {}  // empty
  /// With this form of gelu.
  explicit GELU(GeluForm form = GeluForm::kErf);
  /// Returns gelu(x) in the form that was chosen.
  AMP_LAZY Tensor forward(const Tensor& x) const;

 private:
  GeluForm form_;
};

/// In training, sets each element to 0 with probability p (dropout).
class Dropout : public Layer<Dropout> {
 public:
  template <std::same_as<std::nullptr_t> Null>       // not the number 0
  Dropout(Null) : Layer<Dropout>(nullptr), p_(0) {}  // empty
  /// Each element becomes 0 with probability `p`.
  explicit Dropout(double p = 0.5);
  Dropout(double, std::same_as<bool> auto) = delete;  // there is no inplace
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;

 private:
  double p_;
};

/// Joins the dimensions from start_dim to end_dim, both included, to one.
class Flatten : public Layer<Flatten> {
 public:
  template <std::same_as<std::nullptr_t> Null>                            // not the number 0
  Flatten(Null) : Layer<Flatten>(nullptr), start_dim_(0), end_dim_(0) {}  // empty
  /// Of the dimensions from `start_dim` to `end_dim`; -1 is the last.
  explicit Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1);
  /// Returns x.flatten(start_dim, end_dim).
  AMP_LAZY Tensor forward(const Tensor& x) const;

 private:
  std::int64_t start_dim_, end_dim_;
};

/// Options of MaxPool2d and AvgPool2d.
struct PoolOptions {
  std::optional<Size2d> stride = {};  // unset: the kernel
  Size2d padding = 0;
};

/// max_pool2d(x).
class MaxPool2d : public Layer<MaxPool2d> {
 public:
  template <std::same_as<std::nullptr_t> Null>                // not the number 0
  MaxPool2d(Null) : Layer<MaxPool2d>(nullptr), kernel_(1) {}  // empty
  /// With a window of this size.
  explicit MaxPool2d(Size2d kernel, const PoolOptions& options = {});
  template <amp::detail::NotOptions<PoolOptions> ByPlace, class... More>
  MaxPool2d(Size2d, ByPlace, More...) = delete;  // write {.stride = 2, .padding = 1}
  /// Returns max_pool2d(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;

 private:
  Size2d kernel_;
  PoolOptions options_;
};

/// avg_pool2d(x).
class AvgPool2d : public Layer<AvgPool2d> {
 public:
  template <std::same_as<std::nullptr_t> Null>                // not the number 0
  AvgPool2d(Null) : Layer<AvgPool2d>(nullptr), kernel_(1) {}  // empty
  /// With a window of this size.
  explicit AvgPool2d(Size2d kernel, const PoolOptions& options = {});
  template <amp::detail::NotOptions<PoolOptions> ByPlace, class... More>
  AvgPool2d(Size2d, ByPlace, More...) = delete;  // write {.stride = 2, .padding = 1}
  /// Returns avg_pool2d(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;

 private:
  Size2d kernel_;
  PoolOptions options_;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/activation.ipp"
#endif
