// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling layers: each calls the op of its name (ops/pool.hpp) on [N, C, L], [N, C, H, W] or
// [N, C, D, H, W], or on one image without N.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "amp/nn/layer.hpp"
#include "amp/ops/pool.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options that MaxPool2d and AvgPool2d have in common, and take as theirs.
struct PoolOptions {
  std::optional<Size2d> stride = {};  // unset: the kernel
  Size2d padding = 0;

  /// As the options of the one or the other.
  template <class Options>
    requires(std::same_as<Options, MaxPool2dOptions> || std::same_as<Options, AvgPool2dOptions>)
  operator Options() const {
    Options options{.padding = padding};
    if (stride) options.stride = *stride;
    return options;
  }
};

namespace detail {

template <class Size>
inline constexpr std::size_t kDims = 1;
template <>
inline constexpr std::size_t kDims<Size2d> = 2;
template <>
inline constexpr std::size_t kDims<Size3d> = 3;

template <class Size, class I>
constexpr Size size_of(const I (&numbers)[kDims<Size>]) {
  return std::apply([](auto... each) { return Size(each...); }, std::to_array(numbers));
}

/// Base of max pools and average pools.
template <class Self, class Size, class Options>
class Pool : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// With windows of this size.
  explicit Pool(Size kernel, const Options& options = {}) : kernel_(kernel), options_(options) {
    if (!options_.stride.is_set) options_.stride = kernel;
    describe(std::same_as<Options, AvgPool1dOptions>);
  }
  /// The same for a size in braces, {h, w}.
  template <std::integral I>
  explicit Pool(const I (&kernel)[kDims<Size>], const Options& options = {})
      : Pool(size_of<Size>(kernel), options) {}
  /// The same, with the stride and the padding in their places.
  Pool(Size kernel, Size stride, Size padding = 0)
      : Pool(kernel, Options{.stride = stride, .padding = padding}) {}

 protected:
  Size kernel_ = 1;
  Options options_ = {};

 private:
  void describe(bool as_tuples) const {
    const amp::detail::WindowSize kernel(kernel_), stride(options_.stride),
        padding(options_.padding);
    if constexpr (requires { options_.dilation; }) {
      this->set_extra_repr({{"kernel_size", kernel},
                            {"stride", stride},
                            {"padding", padding},
                            {"dilation", amp::detail::WindowSize(options_.dilation)},
                            {"ceil_mode", options_.ceil_mode}});
    } else {
      this->set_extra_repr({{"kernel_size", kernel, !as_tuples},
                            {"stride", stride, !as_tuples},
                            {"padding", padding, !as_tuples}});
    }
  }
};

/// Base of pools by the extents of their result.
template <class Self, int N>
class AdaptivePool : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// With results of these extents; std::nullopt stands for that of the input.
  explicit AdaptivePool(OutputSize<N> output_size) : output_size_(output_size) {
    this->set_extra_repr(
        {{"output_size", std::span<const Described::Integer>(output_size_.values), true}});
  }

 protected:
  OutputSize<N> output_size_ = 1;
};

void check_norm_type(std::string_view type, double norm_type);

/// Base of power-average pools.
template <class Self, class Size>
class LPPool : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// With windows of this size, and the order of the norm.
  LPPool(double norm_type, Size kernel, std::optional<Size> stride = {}, bool ceil_mode = false)
      : norm_type_(norm_type),
        kernel_(kernel),
        stride_(stride.value_or(kernel)),
        ceil_mode_(ceil_mode) {
    check_norm_type(kTypeName<Self>, norm_type);
    const amp::detail::WindowSize size(kernel), step(stride_);
    const Described shown = stride ? Described("stride", step) : Described("stride", "None");
    this->set_extra_repr(
        {{"norm_type", norm_type}, {"kernel_size", size}, shown, {"ceil_mode", ceil_mode}});
  }

 protected:
  double norm_type_ = 1;
  Size kernel_ = 1, stride_ = 1;
  bool ceil_mode_ = false;
};

/// (sum of x^norm_type over a window)^(1 / norm_type), from the means of x^norm_type.
AMP_LAZY Tensor root_of_means(const Tensor& means, const amp::detail::WindowSize& kernel,
                              double norm_type);

}  // namespace detail

/// max_pool1d(x, kernel, options).
class MaxPool1d : public detail::Pool<MaxPool1d, Size1d, MaxPool1dOptions> {
 public:
  using Pool::Pool;
  MaxPool1d() = delete;
  /// Returns max_pool1d(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return max_pool1d(x, kernel_, options_); }
};
/// max_pool2d(x, kernel, options).
class MaxPool2d : public detail::Pool<MaxPool2d, Size2d, MaxPool2dOptions> {
 public:
  using Pool::Pool;
  MaxPool2d() = delete;
  /// Returns max_pool2d(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return max_pool2d(x, kernel_, options_); }
};
/// max_pool3d(x, kernel, options).
class MaxPool3d : public detail::Pool<MaxPool3d, Size3d, MaxPool3dOptions> {
 public:
  using Pool::Pool;
  MaxPool3d() = delete;
  /// Returns max_pool3d(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return max_pool3d(x, kernel_, options_); }
};

/// avg_pool1d(x, kernel, options).
class AvgPool1d : public detail::Pool<AvgPool1d, Size1d, AvgPool1dOptions> {
 public:
  using Pool::Pool;
  AvgPool1d() = delete;
  /// Returns avg_pool1d(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return avg_pool1d(x, kernel_, options_); }
};
/// avg_pool2d(x, kernel, options).
class AvgPool2d : public detail::Pool<AvgPool2d, Size2d, AvgPool2dOptions> {
 public:
  using Pool::Pool;
  AvgPool2d() = delete;
  /// Returns avg_pool2d(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return avg_pool2d(x, kernel_, options_); }
};
/// avg_pool3d(x, kernel, options).
class AvgPool3d : public detail::Pool<AvgPool3d, Size3d, AvgPool3dOptions> {
 public:
  using Pool::Pool;
  AvgPool3d() = delete;
  /// Returns avg_pool3d(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return avg_pool3d(x, kernel_, options_); }
};

/// The root of order norm_type of the sum of x^norm_type over each window: with 1 the sum, and with
/// infinity the maximum. The sums lose the sign of x unless norm_type is an odd integer.
class LPPool1d : public detail::LPPool<LPPool1d, Size1d> {
 public:
  using LPPool::LPPool;
  LPPool1d() = delete;
  /// Returns the roots of sums.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};
/// The same in two dimensions.
class LPPool2d : public detail::LPPool<LPPool2d, Size2d> {
 public:
  using LPPool::LPPool;
  LPPool2d() = delete;
  /// Returns the roots of sums.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};
/// The same in three dimensions.
class LPPool3d : public detail::LPPool<LPPool3d, Size3d> {
 public:
  using LPPool::LPPool;
  LPPool3d() = delete;
  /// Returns the roots of sums.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};

/// adaptive_avg_pool1d(x, output_size).
class AdaptiveAvgPool1d : public detail::AdaptivePool<AdaptiveAvgPool1d, 1> {
 public:
  using AdaptivePool::AdaptivePool;
  AdaptiveAvgPool1d() = delete;
  /// Returns adaptive_avg_pool1d(x, output_size).
  AMP_LAZY Tensor forward(const Tensor& x) const { return adaptive_avg_pool1d(x, output_size_); }
};
/// adaptive_avg_pool2d(x, output_size).
class AdaptiveAvgPool2d : public detail::AdaptivePool<AdaptiveAvgPool2d, 2> {
 public:
  using AdaptivePool::AdaptivePool;
  AdaptiveAvgPool2d() = delete;
  /// Returns adaptive_avg_pool2d(x, output_size).
  AMP_LAZY Tensor forward(const Tensor& x) const { return adaptive_avg_pool2d(x, output_size_); }
};
/// adaptive_avg_pool3d(x, output_size).
class AdaptiveAvgPool3d : public detail::AdaptivePool<AdaptiveAvgPool3d, 3> {
 public:
  using AdaptivePool::AdaptivePool;
  AdaptiveAvgPool3d() = delete;
  /// Returns adaptive_avg_pool3d(x, output_size).
  AMP_LAZY Tensor forward(const Tensor& x) const { return adaptive_avg_pool3d(x, output_size_); }
};

/// adaptive_max_pool1d(x, output_size).
class AdaptiveMaxPool1d : public detail::AdaptivePool<AdaptiveMaxPool1d, 1> {
 public:
  using AdaptivePool::AdaptivePool;
  AdaptiveMaxPool1d() = delete;
  /// Returns adaptive_max_pool1d(x, output_size).
  AMP_LAZY Tensor forward(const Tensor& x) const { return adaptive_max_pool1d(x, output_size_); }
};
/// adaptive_max_pool2d(x, output_size).
class AdaptiveMaxPool2d : public detail::AdaptivePool<AdaptiveMaxPool2d, 2> {
 public:
  using AdaptivePool::AdaptivePool;
  AdaptiveMaxPool2d() = delete;
  /// Returns adaptive_max_pool2d(x, output_size).
  AMP_LAZY Tensor forward(const Tensor& x) const { return adaptive_max_pool2d(x, output_size_); }
};
/// adaptive_max_pool3d(x, output_size).
class AdaptiveMaxPool3d : public detail::AdaptivePool<AdaptiveMaxPool3d, 3> {
 public:
  using AdaptivePool::AdaptivePool;
  AdaptiveMaxPool3d() = delete;
  /// Returns adaptive_max_pool3d(x, output_size).
  AMP_LAZY Tensor forward(const Tensor& x) const { return adaptive_max_pool3d(x, output_size_); }
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/pool.ipp"
#endif
