// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers that move elements: other shapes, other orders, padding, other resolutions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/ops/interpolate.hpp"
#include "amp/ops/shuffle.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/ops/unfold.hpp"
#include "amp/ops/views.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// x itself. Takes any arguments, so that it can stand for any layer.
class Identity : public Layer<Identity> {
 public:
  using Layer::Layer;
  Identity() = default;
  /// Does not use the arguments.
  template <class First, class... More>
    requires(!std::derived_from<First, Module> && !std::same_as<First, std::nullptr_t>)
  explicit Identity(const First&, const More&...) {}
  /// Returns x.
  AMP_LAZY Tensor forward(const Tensor& x) const { return x; }
};

/// x.flatten(start_dim, end_dim): joins the dimensions from start_dim to end_dim, both included, to
/// one.
class Flatten : public Layer<Flatten> {
 public:
  using Layer::Layer;
  /// Of the dimensions from `start_dim` to `end_dim`; -1 is the last.
  explicit Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1)
      : start_dim_(start_dim), end_dim_(end_dim) {
    set_extra_repr({{"start_dim", start_dim}, {"end_dim", end_dim}});
  }
  /// Returns x.flatten(start_dim, end_dim).
  AMP_LAZY Tensor forward(const Tensor& x) const { return x.flatten(start_dim_, end_dim_); }

 private:
  std::int64_t start_dim_ = 0, end_dim_ = 0;
};

/// x.unflatten(dim, sizes): cuts a dimension into dimensions of these sizes.
class Unflatten : public Layer<Unflatten> {
 public:
  using Layer::Layer;
  Unflatten() = delete;
  /// Of dimension `dim`; one of the sizes may be -1.
  Unflatten(std::int64_t dim, const ReshapeTo& sizes);
  /// Returns x.unflatten(dim, sizes).
  AMP_LAZY Tensor forward(const Tensor& x) const { return x.unflatten(dim_, sizes_); }

 private:
  std::int64_t dim_ = 0;
  ReshapeTo sizes_ = {1};
};

namespace detail {

/// Base of layers with one integer.
template <class Self>
class ByFactor : public Layer<Self> {
 public:
  using Layer<Self>::Layer;

 protected:
  ByFactor(const char* name, std::int64_t factor) : factor_(factor) {
    this->set_extra_repr({{name, factor}});
  }
  std::int64_t factor_ = 1;
};

}  // namespace detail

/// pixel_shuffle(x, upscale_factor).
class PixelShuffle : public detail::ByFactor<PixelShuffle> {
 public:
  using ByFactor::ByFactor;
  PixelShuffle() = delete;
  /// To images that are `upscale_factor` times as high and wide.
  explicit PixelShuffle(std::int64_t upscale_factor) : ByFactor("upscale_factor", upscale_factor) {}
  /// Returns pixel_shuffle(x, upscale_factor).
  AMP_LAZY Tensor forward(const Tensor& x) const { return pixel_shuffle(x, factor_); }
};
/// pixel_unshuffle(x, downscale_factor).
class PixelUnshuffle : public detail::ByFactor<PixelUnshuffle> {
 public:
  using ByFactor::ByFactor;
  PixelUnshuffle() = delete;
  /// To images that are a `downscale_factor` part as high and wide.
  explicit PixelUnshuffle(std::int64_t downscale_factor)
      : ByFactor("downscale_factor", downscale_factor) {}
  /// Returns pixel_unshuffle(x, downscale_factor).
  AMP_LAZY Tensor forward(const Tensor& x) const { return pixel_unshuffle(x, factor_); }
};
/// channel_shuffle(x, groups).
class ChannelShuffle : public detail::ByFactor<ChannelShuffle> {
 public:
  using ByFactor::ByFactor;
  ChannelShuffle() = delete;
  /// Of so many groups.
  explicit ChannelShuffle(std::int64_t groups) : ByFactor("groups", groups) {}
  /// Returns channel_shuffle(x, groups).
  AMP_LAZY Tensor forward(const Tensor& x) const { return channel_shuffle(x, factor_); }
};

/// unfold(x, kernel, options).
class Unfold : public Layer<Unfold> {
 public:
  using Layer::Layer;
  Unfold() = delete;
  /// With windows of this size.
  explicit Unfold(Size2d kernel, const UnfoldOptions& options = {});
  /// Returns unfold(x, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const { return unfold(x, kernel_, options_); }

 private:
  Size2d kernel_ = 1;
  UnfoldOptions options_ = {};
};
/// fold(x, output_size, kernel, options).
class Fold : public Layer<Fold> {
 public:
  using Layer::Layer;
  Fold() = delete;
  /// To images of this size, with windows of that.
  Fold(Size2d output_size, Size2d kernel, const UnfoldOptions& options = {});
  template <amp::detail::NotOptions<UnfoldOptions> ByPlace, class... More>
  Fold(Size2d, Size2d, ByPlace, More...) = delete;  // write {.padding = 1, .stride = 2}
  /// Returns fold(x, output_size, kernel, options).
  AMP_LAZY Tensor forward(const Tensor& x) const {
    return fold(x, output_size_, kernel_, options_);
  }

 private:
  Size2d output_size_ = 1, kernel_ = 1;
  UnfoldOptions options_ = {};
};

namespace detail {

void check_size(std::string_view type, const InterpolateOptions& options);
/// The extra_repr of these layers.
std::string interpolation_text(const InterpolateOptions& options);

/// Base of layers that resize: interpolate(x, options).
template <class Self>
class Interpolation : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// Returns interpolate(x, options).
  Tensor forward(const Tensor& x) const { return interpolate(x, options_); }

 protected:
  Interpolation() = default;
  void set_options(const InterpolateOptions& options) {
    check_size(kTypeName<Self>, options);
    options_ = options;
    this->set_extra_repr([&] { return interpolation_text(options); });
  }

 private:
  InterpolateOptions options_ = {};
};

}  // namespace detail

/// interpolate(x, options).
class Upsample : public detail::Interpolation<Upsample> {
 public:
  using Interpolation::Interpolation;
  Upsample() = delete;
  /// To a size, or by factors: Upsample({.scale_factor = 2}).
  explicit Upsample(const InterpolateOptions& options) { set_options(options); }
};

/// Options of UpsamplingNearest2d and UpsamplingBilinear2d: give one of the two.
struct UpsamplingOptions {
  Shape size = {};
  ScaleFactors scale_factor = {};
};
/// interpolate() of [N, C, H, W] with the nearest pixels.
class UpsamplingNearest2d : public detail::Interpolation<UpsamplingNearest2d> {
 public:
  using Interpolation::Interpolation;
  UpsamplingNearest2d() = delete;
  /// To a size, or by factors.
  explicit UpsamplingNearest2d(const UpsamplingOptions& options) {
    set_options({.size = options.size, .scale_factor = options.scale_factor});
  }
};
/// interpolate() of [N, C, H, W] between neighbours, with `align_corners`.
class UpsamplingBilinear2d : public detail::Interpolation<UpsamplingBilinear2d> {
 public:
  using Interpolation::Interpolation;
  UpsamplingBilinear2d() = delete;
  /// To a size, or by factors.
  explicit UpsamplingBilinear2d(const UpsamplingOptions& options) {
    set_options({.size = options.size,
                 .scale_factor = options.scale_factor,
                 .mode = InterpolateMode::kBilinear,
                 .align_corners = true});
  }
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/reshape.ipp"
#endif
