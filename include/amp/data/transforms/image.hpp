// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Images, as all transforms take them: tensors [..., C, H, W] on the CPU, of one image or of
// several that are treated alike.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/data/generator.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data::transforms {

/// Height and width: two numbers, or one. What one number means stands with its use.
class ImageSize {
 public:
  /// One number for both.
  template <std::integral I>
  ImageSize(I side) : height(static_cast<std::int64_t>(side)), width(height), is_one(true) {}
  /// {height, width}.
  template <std::integral H, std::integral W>
  ImageSize(H h, W w) : height(static_cast<std::int64_t>(h)), width(static_cast<std::int64_t>(w)) {}

  std::int64_t height, width;
  bool is_one = false;  ///< whether one number was given
};

namespace detail {

/// The extents of images, of which there are `count`.
struct ImageExtents {
  std::int64_t count = 1, channels = 0, height = 0, width = 0;
  std::int64_t plane() const { return height * width; }
  std::int64_t planes() const { return count * channels; }
};

/// Throws amp::Error, naming `call`, unless the tensor is an image.
ImageExtents extents_of(const char* call, const Tensor& image);
/// Throws also unless it is uint8 or floating-point, with 1 or 3 channels.
ImageExtents colours_of(const char* call, const Tensor& image);
/// No image has so many rows or columns; sums of numbers below do not overflow.
inline constexpr std::int64_t kFar = std::int64_t{1} << 40;

/// Throws unless both extents are positive, and below kFar.
void check_size(const char* call, const ImageSize& size);
/// Throws unless 0 <= p <= 1.
void check_probability(const char* call, double p);
/// The image's shape with other extents.
Shape resized_shape(const Tensor& image, std::int64_t channels, std::int64_t height,
                    std::int64_t width);
/// As Python's int(round(x)): halves go to the even number.
std::int64_t rounded(double x);

/// Base of transforms with random parameters: a derived class has apply(image, generator).
template <class Self>
class RandomTransform {
 public:
  /// The image, transformed at random. In a DataLoader each example has a generator of its own.
  Tensor operator()(const Tensor& image, Generator& generator) const {
    return static_cast<const Self&>(*this).apply(image, generator);
  }
  /// The same with a generator from the process' stream.
  Tensor operator()(const Tensor& image) const {
    Generator generator;
    return (*this)(image, generator);
  }
};

}  // namespace detail
}  // namespace amp::inline v0::data::transforms

#if AMP_HEADER_ONLY
#include "amp/data/transforms/image.ipp"
#endif
