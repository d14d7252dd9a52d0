// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/data/transforms/colour.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::data::transforms {
namespace detail {

/// The value of white.
template <class T>
inline constexpr float kWhite = std::same_as<T, std::uint8_t> ? 255.0F : 1.0F;

template <class T>
T pixel_of(float value) {
  return static_cast<T>((std::min)((std::max)(value, 0.0F), kWhite<T>));
}

inline float grey_of(float r, float g, float b) { return 0.2989F * r + 0.587F * g + 0.114F * b; }

/// Grey as the image's dtype holds it: whole numbers in uint8.
template <class T>
float grey_of(const T* red, std::int64_t plane) {
  const float grey = grey_of(static_cast<float>(red[0]), static_cast<float>(red[plane]),
                             static_cast<float>(red[2 * plane]));
  return static_cast<float>(static_cast<T>(grey));
}

/// Calls body(from, to, plane) for each of the images, with pointers to their first elements in
/// uint8 or float, and returns the result with `channels` channels. Other floating-point dtypes are
/// computed in float32.
template <class Body>
Tensor for_images(const char* call, const Tensor& given, std::int64_t channels, const Body& body) {
  const ImageExtents extents = colours_of(call, given);
  if (given.dtype() != kUInt8 && given.dtype() != kFloat32)
    return for_images(call, given.to(kFloat32), channels, body).to(given.dtype());
  const Tensor image = given.contiguous();
  if (channels == 0) channels = extents.channels;
  const Tensor result = empty(resized_shape(image, channels, extents.height, extents.width),
                              {.dtype = image.dtype()});
  const auto all = [&]<class T>(T) {
    const T* from = static_cast<const T*>(image.raw_data());
    T* to = static_cast<T*>(result.raw_data());
    for (std::int64_t i = 0; i < extents.count; ++i) {
      body(from, to, extents);
      from += extents.channels * extents.plane();
      to += channels * extents.plane();
    }
  };
  if (image.dtype() == kUInt8)
    all(std::uint8_t{});
  else
    all(float{});
  return result;
}

AMP_COLD void check_factor(const char* call, double factor) {
  AMP_CHECK(factor >= 0 && std::isfinite(factor), call, ": `factor` is ", factor,
            "; expected a finite number that is not negative");
}

}  // namespace detail

namespace detail {

/// The image as [C, H, W], which may be a view.
AMP_INLINE Tensor channels_first(const Tensor& given) {
  AMP_CHECK(
      given.defined() && (given.dim() == 2 || given.dim() == 3) && given.device().type == kCPU,
      "to_tensor: the image must be [C, H, W], [H, W, C] or [H, W] on the CPU, but is ",
      given.defined() ? describe(given) : std::string("undefined"));
  constexpr std::int64_t kMostChannels = 4;
  const Tensor image = given.dim() == 2 ? given.unsqueeze(0) : given;
  if (image.size(0) <= kMostChannels) return image;
  AMP_CHECK(
      image.size(2) <= kMostChannels,
      "to_tensor: neither the first nor the last dimension has 1 to 4 channels: ", describe(given));
  return image.permute({2, 0, 1});
}

}  // namespace detail

AMP_INLINE Tensor to_tensor(const Tensor& given) {
  const Tensor image = detail::channels_first(given);
  return image.dtype() == kUInt8 ? convert_image_dtype(image) : image.contiguous();
}

AMP_INLINE Tensor convert_image_dtype(const Tensor& image, DType dtype) {
  AMP_CHECK(image.defined(), "convert_image_dtype: the image is undefined");
  const bool from_bytes = image.dtype() == kUInt8, to_bytes = dtype == kUInt8;
  AMP_CHECK((from_bytes || is_floating_point(image.dtype())) &&
                (to_bytes || is_floating_point(dtype)) && image.device().type == kCPU,
            "convert_image_dtype: images on the CPU are converted between uint8 and floating-point "
            "dtypes, but the image is ",
            describe(image), " and `dtype` is ", dtype);
  if (image.dtype() == dtype) return image;
  if (from_bytes == to_bytes) return image.to(dtype);
  if (from_bytes && dtype == kFloat64) return image.to(kFloat64) / 255;
  if (from_bytes) {
    const Tensor bytes = image.contiguous();
    const Tensor result = empty(image.shape());
    const auto* from = static_cast<const std::uint8_t*>(bytes.raw_data());
    auto* to = static_cast<float*>(result.raw_data());
    for (std::int64_t i = 0; i < bytes.numel(); ++i) to[i] = static_cast<float>(from[i]) / 255.0F;
    return dtype == kFloat32 ? result : result.to(dtype);
  }
  const Tensor floats = image.to(kFloat32).contiguous();
  const Tensor result = empty(image.shape(), {.dtype = kUInt8});
  const auto* from = static_cast<const float*>(floats.raw_data());
  auto* to = static_cast<std::uint8_t*>(result.raw_data());
  for (std::int64_t i = 0; i < floats.numel(); ++i)  // 256 equal parts of [0, 1]
    to[i] = detail::pixel_of<std::uint8_t>(from[i] * (255.0F + 1.0F - 1e-3F));
  return result;
}

namespace detail {

AMP_COLD void check_normalization(const char* call, const std::vector<double>& mean,
                                  const std::vector<double>& std) {
  AMP_CHECK(!mean.empty() && mean.size() == std.size(), call, ": there are ", mean.size(),
            " means and ", std.size(), " standard deviations; expected as many, at least one");
  for (const double deviation : std)
    AMP_CHECK(deviation != 0 && deviation == deviation, call, ": a standard deviation is ",
              deviation, ", by which nothing can be divided");
}

}  // namespace detail

AMP_INLINE Tensor normalize(const Tensor& given, const std::vector<double>& mean,
                            const std::vector<double>& std) {
  detail::check_normalization("normalize", mean, std);
  const detail::ImageExtents extents = detail::extents_of("normalize", given);
  AMP_CHECK(is_floating_point(given.dtype()),
            "normalize: the image must be floating-point, but is ", describe(given),
            "; apply ToTensor or ConvertImageDtype before");
  AMP_CHECK(mean.size() == 1 || static_cast<std::int64_t>(mean.size()) == extents.channels,
            "normalize: there are ", mean.size(), " means, but the image is ", describe(given));
  if (given.dtype() != kFloat32) return normalize(given.to(kFloat32), mean, std).to(given.dtype());
  const Tensor image = given.contiguous();
  const Tensor result = empty(image.shape());
  const auto* from = static_cast<const float*>(image.raw_data());
  auto* to = static_cast<float*>(result.raw_data());
  for (std::int64_t p = 0; p < extents.planes(); ++p) {
    const auto c = static_cast<std::size_t>(p % extents.channels);
    const auto middle = static_cast<float>(mean[mean.size() == 1 ? 0 : c]);
    const auto deviation = static_cast<float>(std[mean.size() == 1 ? 0 : c]);
    for (std::int64_t i = 0; i < extents.plane(); ++i) to[i] = (from[i] - middle) / deviation;
    from += extents.plane();
    to += extents.plane();
  }
  return result;
}

AMP_INLINE Tensor rgb_to_grayscale(const Tensor& image, std::int64_t num_output_channels) {
  AMP_CHECK(num_output_channels == 1 || num_output_channels == 3,
            "rgb_to_grayscale: `num_output_channels` is ", num_output_channels,
            "; expected 1 or 3");
  return detail::for_images(
      "rgb_to_grayscale", image, num_output_channels,
      [&]<class T>(const T* from, T* to, const detail::ImageExtents& extents) {
        const std::int64_t plane = extents.plane();
        for (std::int64_t i = 0; i < plane; ++i)
          to[i] =
              extents.channels == 1 ? from[i] : static_cast<T>(detail::grey_of(from + i, plane));
        for (std::int64_t c = 1; c < num_output_channels; ++c)
          std::copy(to, to + plane, to + c * plane);
      });
}

AMP_INLINE Tensor adjust_brightness(const Tensor& image, double factor) {
  detail::check_factor("adjust_brightness", factor);
  return detail::for_images(
      "adjust_brightness", image, 0,
      [&]<class T>(const T* from, T* to, const detail::ImageExtents& extents) {
        for (std::int64_t i = 0; i < extents.channels * extents.plane(); ++i)
          to[i] = detail::pixel_of<T>(static_cast<float>(from[i]) * static_cast<float>(factor));
      });
}

AMP_INLINE Tensor adjust_contrast(const Tensor& image, double factor) {
  detail::check_factor("adjust_contrast", factor);
  return detail::for_images(
      "adjust_contrast", image, 0,
      [&]<class T>(const T* from, T* to, const detail::ImageExtents& extents) {
        const std::int64_t plane = extents.plane();
        double sum = 0;
        for (std::int64_t i = 0; i < plane; ++i)
          sum += static_cast<double>(extents.channels == 1 ? static_cast<float>(from[i])
                                                           : detail::grey_of(from + i, plane));
        const auto mean = static_cast<float>(sum / static_cast<double>(plane));
        const float add = mean * static_cast<float>(1 - factor);
        for (std::int64_t i = 0; i < extents.channels * plane; ++i)
          to[i] =
              detail::pixel_of<T>(static_cast<float>(from[i]) * static_cast<float>(factor) + add);
      });
}

AMP_INLINE Tensor adjust_saturation(const Tensor& image, double factor) {
  detail::check_factor("adjust_saturation", factor);
  return detail::for_images(
      "adjust_saturation", image, 0,
      [&]<class T>(const T* from, T* to, const detail::ImageExtents& extents) {
        const std::int64_t plane = extents.plane();
        if (extents.channels == 1) {
          std::copy(from, from + plane, to);
          return;
        }
        for (std::int64_t i = 0; i < plane; ++i) {
          const float add = detail::grey_of(from + i, plane) * static_cast<float>(1 - factor);
          for (std::int64_t c = 0; c < 3; ++c)
            to[c * plane + i] = detail::pixel_of<T>(
                static_cast<float>(from[c * plane + i]) * static_cast<float>(factor) + add);
        }
      });
}

namespace detail {

/// Turns the hue of a colour with parts in [0, 1].
inline void turn_hue(float (&rgb)[3], float turn) {
  const float most = (std::max)({rgb[0], rgb[1], rgb[2]});
  const float least = (std::min)({rgb[0], rgb[1], rgb[2]});
  const float chroma = most - least;
  if (chroma == 0) return;  // grey
  // The hue in sixths of the circle, from red by green to blue.
  float hue = 0;
  if (most == rgb[0])
    hue = (rgb[1] - rgb[2]) / chroma;
  else if (most == rgb[1])
    hue = 2 + (rgb[2] - rgb[0]) / chroma;
  else
    hue = 4 + (rgb[0] - rgb[1]) / chroma;
  hue += 6 * turn;
  hue -= 6 * std::floor(hue / 6);
  // Each colour is at its most over two sixths, at its least over two, and between them linear.
  for (int c = 0; c < 3; ++c) {
    float away = hue - 2 * static_cast<float>(c);  // from where the colour is pure
    away = std::abs(away);
    away = (std::min)(away, 6 - away);
    rgb[c] = most - chroma * (std::min)((std::max)(away - 1, 0.0F), 1.0F);
  }
}

}  // namespace detail

AMP_INLINE Tensor adjust_hue(const Tensor& image, double factor) {
  AMP_CHECK(factor >= -0.5 && factor <= 0.5, "adjust_hue: `factor` is ", factor,
            "; expected -0.5 to 0.5");
  return detail::for_images(
      "adjust_hue", image, 0,
      [&]<class T>(const T* from, T* to, const detail::ImageExtents& extents) {
        const std::int64_t plane = extents.plane();
        if (extents.channels == 1) {
          std::copy(from, from + plane, to);
          return;
        }
        constexpr float kWhite = detail::kWhite<T>;
        constexpr float kParts = kWhite == 255 ? 256.0F - 1e-3F : 1.0F;
        for (std::int64_t i = 0; i < plane; ++i) {
          float rgb[3];
          for (std::int64_t c = 0; c < 3; ++c)
            rgb[c] = static_cast<float>(from[c * plane + i]) / kWhite;
          detail::turn_hue(rgb, static_cast<float>(factor));
          for (std::int64_t c = 0; c < 3; ++c)
            to[c * plane + i] = detail::pixel_of<T>(rgb[c] * kParts);
        }
      });
}

AMP_COLD Normalize::Normalize(std::vector<double> mean, std::vector<double> std)
    : mean_(std::move(mean)), std_(std::move(std)) {
  detail::check_normalization("Normalize", mean_, std_);
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    std::array<float, 256>& table = tables_.emplace_back();
    for (std::size_t byte = 0; byte < table.size(); ++byte)
      table[byte] = (static_cast<float>(byte) / 255.0F - static_cast<float>(mean_[c])) /
                    static_cast<float>(std_[c]);
  }
}

AMP_INLINE Tensor Normalize::of_bytes(const Tensor& given) const {
  const Tensor bytes = detail::channels_first(given).contiguous();
  const detail::ImageExtents extents = detail::extents_of("Normalize", bytes);
  const bool one = tables_.size() == 1;
  if (bytes.dtype() != kUInt8 || (!one && std::ssize(tables_) != extents.channels))
    return (*this)(to_tensor(bytes));  // refuses it, or computes as always
  const Tensor result = empty(bytes.shape());
  const auto* from = static_cast<const std::uint8_t*>(bytes.raw_data());
  auto* to = static_cast<float*>(result.raw_data());
  for (std::int64_t c = 0; c < extents.channels; ++c) {
    const auto& table = tables_[one ? 0 : static_cast<std::size_t>(c)];
    for (std::int64_t i = 0; i < extents.plane(); ++i) *to++ = table[*from++];
  }
  return result;
}

AMP_COLD Grayscale::Grayscale(std::int64_t num_output_channels) : channels_(num_output_channels) {
  AMP_CHECK(channels_ == 1 || channels_ == 3, "Grayscale: `num_output_channels` is ", channels_,
            "; expected 1 or 3");
}

AMP_COLD RandomGrayscale::RandomGrayscale(double p) : p_(p) {
  detail::check_probability("RandomGrayscale", p);
}
AMP_INLINE Tensor RandomGrayscale::apply(const Tensor& image, Generator& generator) const {
  const std::int64_t channels = detail::colours_of("RandomGrayscale", image).channels;
  return generator.bernoulli(p_) ? rgb_to_grayscale(image, channels) : image;
}

AMP_COLD auto ColorJitter::range_of(const char* name, const Jitter& jitter, double neutral,
                                    double least, double greatest) -> Range {
  Range range{jitter.least, jitter.greatest, neutral};
  if (jitter.is_distance) {
    AMP_CHECK(jitter.greatest >= 0, "ColorJitter: `", name, "` is ", jitter.greatest,
              "; a distance must not be negative");
    range.least = (std::max)(neutral + jitter.least, least);
    range.greatest = neutral + jitter.greatest;
  }
  AMP_CHECK(least <= range.least && range.least <= range.greatest && range.greatest <= greatest,
            "ColorJitter: the factor of `", name, "` is from ", range.least, " to ", range.greatest,
            "; expected a range within ", least, " to ", greatest);
  return range;
}

AMP_COLD ColorJitter::ColorJitter(const ColorJitterOptions& options) {
  constexpr double kMost = (std::numeric_limits<float>::max)();
  ranges_ = {range_of("brightness", options.brightness, 1, 0, kMost),
             range_of("contrast", options.contrast, 1, 0, kMost),
             range_of("saturation", options.saturation, 1, 0, kMost),
             range_of("hue", options.hue, 0, -0.5, 0.5)};
}

AMP_INLINE Tensor ColorJitter::apply(const Tensor& given, Generator& generator) const {
  constexpr Tensor (*kAdjust[])(const Tensor&, double) = {adjust_brightness, adjust_contrast,
                                                          adjust_saturation, adjust_hue};
  (void)detail::colours_of("ColorJitter", given);
  Tensor image = given;
  for (const std::int64_t which : generator.permutation(4)) {
    const auto i = static_cast<std::size_t>(which);
    if (const Range& range = ranges_[i]; range.changes())
      image = kAdjust[i](image, generator.uniform(range.least, range.greatest));
  }
  return image;
}

}  // namespace amp::inline v0::data::transforms
