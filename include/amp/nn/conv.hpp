// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions, and transposed ones, in one, two and three dimensions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/conv_transpose.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of Conv1d, Conv2d and Conv3d.
template <class Size>
struct ConvLayerOptions {
  Size stride = 1;
  ConvPadding<Size> padding = 0;
  Size dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  PadMode padding_mode = PadMode::kConstant;  // what stands in the padding; kConstant: zeros
  bool relu = false;                          // relu of the result, as in ConvOptions
};
using Conv1dLayerOptions = ConvLayerOptions<Size1d>;
using Conv2dLayerOptions = ConvLayerOptions<Size2d>;
using Conv3dLayerOptions = ConvLayerOptions<Size3d>;

/// Options of ConvTranspose1d, ConvTranspose2d and ConvTranspose3d. The sizes are those of
/// ConvTransposeOptions.
template <class Size>
struct ConvTransposeLayerOptions {
  Size stride = 1, padding = 0, output_padding = 0;
  std::int64_t groups = 1;
  bool bias = true;
  Size dilation = 1;
};
using ConvTranspose1dLayerOptions = ConvTransposeLayerOptions<Size1d>;
using ConvTranspose2dLayerOptions = ConvTransposeLayerOptions<Size2d>;
using ConvTranspose3dLayerOptions = ConvTransposeLayerOptions<Size3d>;

namespace detail {

using amp::detail::WindowSize;

/// A convolution in any number of dimensions.
struct ConvPlan {
  std::string_view type;
  std::int64_t in, out;
  WindowSize kernel, stride, before, after, dilation, output_padding;
  std::int64_t groups;
  bool bias, same, transposed, relu;
  PadMode padding_mode;
};
template <class Size>
ConvPlan plan_of(std::string_view type, std::int64_t in, std::int64_t out, const Size& kernel,
                 const ConvLayerOptions<Size>& o) {
  const Size& before = o.padding;
  return {type,          in,      out,      kernel, o.stride,          before, o.padding.after,
          o.dilation,    Size(0), o.groups, o.bias, o.padding.is_same, false,  o.relu,
          o.padding_mode};
}
template <class Size>
ConvPlan plan_of(std::string_view type, std::int64_t in, std::int64_t out, const Size& kernel,
                 const ConvTransposeLayerOptions<Size>& o) {
  return {type,      in,         out,
          kernel,    o.stride,   o.padding,
          o.padding, o.dilation, o.output_padding,
          o.groups,  o.bias,     false,
          true,      false,      PadMode::kConstant};
}

/// The parameters that a convolution starts with, and its extra_repr.
struct ConvParts {
  Tensor weight, bias;
  std::string text;
};
/// Throws if the plan cannot work.
AMP_LAZY AMP_COLD ConvParts make_conv(const ConvPlan& plan);

/// x, with the padding of the plan around it, which depends on the weight if it is `same`.
AMP_LAZY Tensor pad_as(const ConvPlan& plan, const Tensor& x);
/// Throws unless some output_padding gives the result these extents; returns it.
AMP_LAZY WindowSize padding_for(const ConvPlan& plan, const Tensor& x, const WindowSize& extents);

template <class Size>
Size size_of(const WindowSize& size) {
  const std::int64_t* const v = size.values;
  if constexpr (std::same_as<Size, Size1d>) return Size(v[0]);
  if constexpr (std::same_as<Size, Size2d>) return Size(v[0], v[1]);
  if constexpr (std::same_as<Size, Size3d>) return Size(v[0], v[1], v[2]);
}

/// What all convolutions have in common.
template <class Self, class Size, class Options>
class ConvLayer : public Layer<Self> {
 public:
  ConvLayer(std::nullptr_t = nullptr) : Layer<Self>(nullptr), kernel_(1) {}  // empty
  /// Draws the weight and the bias at random.
  ConvLayer(std::int64_t in_channels, std::int64_t out_channels, const Size& kernel_size,
            const Options& options = {})
      : kernel_(kernel_size), options_(options) {
    const ConvPlan plan = plan_of(kTypeName<Self>, in_channels, out_channels, kernel_, options_);
    const ConvParts parts = make_conv(plan);
    weight = this->register_parameter("weight", parts.weight);
    if (options.bias) bias = this->register_parameter("bias", parts.bias);
    this->set_extra_repr([&] { return parts.text; });
  }
  template <amp::detail::NotOptions<Options> ByPlace, class... More>
  ConvLayer(std::int64_t, std::int64_t, Size, ByPlace, More...) = delete;  // write {.stride = 2}

  Tensor weight, bias;

 protected:
  ConvPlan plan() const { return plan_of(kTypeName<Self>, 0, 0, kernel_, options_); }
  const Options& options() const { return options_; }

 private:
  Size kernel_;
  Options options_;
};

/// Conv1d, Conv2d and Conv3d.
template <class Self, class Size>
class Conv : public ConvLayer<Self, Size, ConvLayerOptions<Size>> {
 public:
  using ConvLayer<Self, Size, ConvLayerOptions<Size>>::ConvLayer;

  /// Returns the convolution of x with `weight`, plus `bias`, with the options of the layer.
  Tensor forward(const Tensor& x) const {
    this->check_defined();
    const auto& own = this->options();
    ConvOptions<Size> options{own.stride, own.padding, own.dilation, own.groups, own.relu};
    if (own.padding_mode == PadMode::kConstant) return run(x, options);
    options.padding = 0;
    return run(pad_as(this->plan(), x), options);
  }

 private:
  Tensor run(const Tensor& x, const ConvOptions<Size>& options) const {
    const Tensor &w = this->registered("weight", this->weight),
                 &b = this->registered("bias", this->bias);
    if constexpr (std::same_as<Size, Size1d>) return conv1d(x, w, b, options);
    if constexpr (std::same_as<Size, Size2d>) return conv2d(x, w, b, options);
    if constexpr (std::same_as<Size, Size3d>) return conv3d(x, w, b, options);
  }
};

/// ConvTranspose1d, ConvTranspose2d and ConvTranspose3d.
template <class Self, class Size>
class ConvTranspose : public ConvLayer<Self, Size, ConvTransposeLayerOptions<Size>> {
 public:
  using ConvLayer<Self, Size, ConvTransposeLayerOptions<Size>>::ConvLayer;

  /// Returns the transposed convolution of x with `weight`, plus `bias`.
  Tensor forward(const Tensor& x) const {
    this->check_defined();
    return run(x, this->options().output_padding);
  }
  /// The same with the output padding that makes the result as large as `output_size` says. Throws
  /// if there is none.
  Tensor forward(const Tensor& x, const Size& output_size) const {
    this->check_defined();
    return run(x, size_of<Size>(padding_for(this->plan(), x, output_size)));
  }

 private:
  Tensor run(const Tensor& x, const Size& output_padding) const {
    const auto& own = this->options();
    const ConvTransposeOptions<Size> options{own.stride, own.padding, output_padding, own.groups,
                                             own.dilation};
    const Tensor &w = this->registered("weight", this->weight),
                 &b = this->registered("bias", this->bias);
    if constexpr (std::same_as<Size, Size1d>) return conv_transpose1d(x, w, b, options);
    if constexpr (std::same_as<Size, Size2d>) return conv_transpose2d(x, w, b, options);
    if constexpr (std::same_as<Size, Size3d>) return conv_transpose3d(x, w, b, options);
  }
};

}  // namespace detail

/// Convolves x [N, in, L], or [in, L], to [N, out, L'] (conv1d); weight [out, in / groups, K], bias
/// [out]. With a `padding_mode`, the padding holds what pad() writes in that mode, and no zeros.
class Conv1d : public detail::Conv<Conv1d, Size1d> {
 public:
  using Conv::Conv;
};
/// Convolves x [N, in, H, W], or [in, H, W], to [N, out, H', W'] (conv2d); weight [out, in /
/// groups, KH, KW], bias [out].
class Conv2d : public detail::Conv<Conv2d, Size2d> {
 public:
  using Conv::Conv;
};
/// Convolves x [N, in, D, H, W], or [in, D, H, W], to [N, out, D', H', W'] (conv3d); weight [out,
/// in / groups, KD, KH, KW], bias [out].
class Conv3d : public detail::Conv<Conv3d, Size3d> {
 public:
  using Conv::Conv;
};

/// The gradient of a convolution by its input: x [N, in, L], or [in, L], gives [N, out, L']
/// (conv_transpose1d); weight [in, out / groups, K], bias [out].
class ConvTranspose1d : public detail::ConvTranspose<ConvTranspose1d, Size1d> {
 public:
  using ConvTranspose::ConvTranspose;
};
/// The same of x [N, in, H, W], or [in, H, W] (conv_transpose2d); weight [in, out / groups, KH,
/// KW].
///
/// ```cpp
/// const amp::nn::ConvTranspose2d up(8, 4, 4, {.stride = 2, .padding = 1});
/// assert(up(amp::ones({1, 8, 5, 5})).shape() == amp::Shape(1, 4, 10, 10));
/// ```
class ConvTranspose2d : public detail::ConvTranspose<ConvTranspose2d, Size2d> {
 public:
  using ConvTranspose::ConvTranspose;
};
/// The same of x [N, in, D, H, W], or [in, D, H, W] (conv_transpose3d); weight [in, out / groups,
/// KD, KH, KW].
class ConvTranspose3d : public detail::ConvTranspose<ConvTranspose3d, Size3d> {
 public:
  using ConvTranspose::ConvTranspose;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/conv.ipp"
#endif
