// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Transforms that move pixels: crops, flips, borders and other sizes. Names, arguments and rules
// are torchvision's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "amp/data/transforms/image.hpp"
#include "amp/ops/interpolate.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data::transforms {

/// What lies around an image: a constant, its border, or its mirror image, which repeats the border
/// (symmetric) or does not (reflect).
enum class PaddingMode : std::uint8_t { kConstant, kEdge, kReflect, kSymmetric };

/// How many pixels are added at each side: one number, {left and right, top and bottom}, or {left,
/// top, right, bottom}.
class Padding {
 public:
  Padding() = default;
  /// The same number at each side.
  template <std::integral I>
  Padding(I all) : Padding(all, all) {}
  /// At left and right, and at top and bottom.
  template <std::integral I>
  Padding(I horizontal, I vertical) : Padding(horizontal, vertical, horizontal, vertical) {}
  /// At each side.
  template <std::integral I>
  Padding(I l, I t, I r, I b) : left(l), top(t), right(r), bottom(b) {}

  std::int64_t left = 0, top = 0, right = 0, bottom = 0;
};

/// Options of pad() and Pad.
struct PadOptions {
  double fill = 0;  ///< the constant
  PaddingMode padding_mode = PaddingMode::kConstant;
};

/// The image with a border. Throws amp::Error if the padding is negative, or, for reflect and
/// symmetric, larger than the image allows.
Tensor pad(const Tensor& image, const Padding& padding, const PadOptions& options = {});
/// The part of the image with this upper left corner and size. What lies outside of it is 0.
Tensor crop(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
            std::int64_t width);
/// The middle of the image; one number means a square. A larger size adds 0 around it.
Tensor center_crop(const Tensor& image, const ImageSize& size);
/// The image, left and right exchanged; or top and bottom.
Tensor hflip(const Tensor& image);
Tensor vflip(const Tensor& image);

/// Options of resize() and Resize.
struct ResizeOptions {
  /// kNearest, kNearestExact, kBilinear or kBicubic.
  InterpolateMode interpolation = InterpolateMode::kBilinear;
  std::optional<std::int64_t> max_size = {};  ///< the longer side, if one number says the shorter
  bool antialias = true;                      ///< for bilinear and bicubic
};

/// The image in another size. One number is the length of the shorter side, and the other side
/// keeps the proportion. Pixels of uint8 are computed in float32 and rounded once; torchvision
/// rounds after each dimension, so that they may differ by 1, or by more if a cubic overshoots
/// white or black.
Tensor resize(const Tensor& image, const ImageSize& size, const ResizeOptions& options = {});

/// pad() as an object.
class Pad {
 public:
  /// With this border.
  explicit Pad(const Padding& padding, const PadOptions& options = {})
      : padding_(padding), options_(options) {}
  Tensor operator()(const Tensor& image) const { return pad(image, padding_, options_); }

 private:
  Padding padding_;
  PadOptions options_;
};

/// resize() as an object.
class Resize {
 public:
  /// To this size.
  explicit Resize(const ImageSize& size, const ResizeOptions& options = {});
  Tensor operator()(const Tensor& image) const { return resize(image, size_, options_); }

 private:
  ImageSize size_;
  ResizeOptions options_;
};

/// center_crop() as an object.
class CenterCrop {
 public:
  /// Of this size.
  explicit CenterCrop(const ImageSize& size);
  Tensor operator()(const Tensor& image) const { return center_crop(image, size_); }

 private:
  ImageSize size_;
};

/// Options of RandomCrop.
struct RandomCropOptions {
  Padding padding = {};        ///< added around the image before
  bool pad_if_needed = false;  ///< whether a smaller image is padded at both sides to the size
  double fill = 0;
  PaddingMode padding_mode = PaddingMode::kConstant;
};

/// A part of this size, at a random place. Throws amp::Error if the padded image is smaller.
class RandomCrop : public detail::RandomTransform<RandomCrop> {
 public:
  /// Of this size; one number means a square.
  explicit RandomCrop(const ImageSize& size, const RandomCropOptions& options = {});
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

 private:
  ImageSize size_;
  RandomCropOptions options_;
};

/// The image, or with probability p its hflip().
class RandomHorizontalFlip : public detail::RandomTransform<RandomHorizontalFlip> {
 public:
  /// With this probability.
  explicit RandomHorizontalFlip(double p = 0.5);
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

 private:
  double p_;
};

/// The image, or with probability p its vflip().
class RandomVerticalFlip : public detail::RandomTransform<RandomVerticalFlip> {
 public:
  /// With this probability.
  explicit RandomVerticalFlip(double p = 0.5);
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

 private:
  double p_;
};

/// Options of RandomResizedCrop.
struct RandomResizedCropOptions {
  std::array<double, 2> scale = {0.08, 1};           ///< the part's least and greatest area, of 1
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};  ///< its least and greatest width / height
  InterpolateMode interpolation = InterpolateMode::kBilinear;
  bool antialias = true;
};

/// A part of random area, proportion and place, resized to this size.
class RandomResizedCrop : public detail::RandomTransform<RandomResizedCrop> {
 public:
  /// To this size; one number means a square.
  explicit RandomResizedCrop(const ImageSize& size, const RandomResizedCropOptions& options = {});
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

  /// A part of an image.
  struct Part {
    std::int64_t top, left, height, width;
  };
  /// A part of an image of this size, as apply() chooses it.
  Part draw(std::int64_t height, std::int64_t width, Generator& generator) const;

 private:
  ImageSize size_;
  RandomResizedCropOptions options_;
};

}  // namespace amp::inline v0::data::transforms

#if AMP_HEADER_ONLY
#include "amp/data/transforms/geometry.ipp"
#endif
