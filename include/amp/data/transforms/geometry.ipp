// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "amp/core/error.hpp"
#include "amp/data/transforms/geometry.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::data::transforms {
namespace detail {

/// A part of an image with what lies around it. The image and its border of `room` pixels are all
/// that there is; the part lies within.
struct Window {
  std::int64_t top, left, height, width;
  double fill = 0;
  PaddingMode mode = PaddingMode::kConstant;
};

/// The coordinate of the pixel that one outside of 0, ..., extent - 1 takes.
AMP_INLINE std::int64_t source_of(std::int64_t at, std::int64_t extent, PaddingMode mode) {
  if (mode == PaddingMode::kEdge) return (std::min)((std::max)(at, std::int64_t{0}), extent - 1);
  const std::int64_t shift = mode == PaddingMode::kReflect ? 0 : 1;
  if (at < 0) return -at - shift;
  return at < extent ? at : 2 * extent - 2 + shift - at;
}

/// Copies the window of planes of elements, of which only the size matters.
template <class T>
void copy_window(const T* from, T* to, const ImageExtents& image, const Window& window, T fill) {
  const std::int64_t inside_begin =
      (std::min)((std::max)(-window.left, std::int64_t{0}), window.width);
  const std::int64_t inside_end =
      (std::max)(inside_begin, (std::min)(image.width - window.left, window.width));
  const bool constant = window.mode == PaddingMode::kConstant;
  for (std::int64_t p = 0; p < image.planes(); ++p, from += image.plane()) {
    for (std::int64_t y = 0; y < window.height; ++y, to += window.width) {
      std::int64_t row = window.top + y;
      if (row < 0 || row >= image.height) {
        if (constant) {
          std::fill(to, to + window.width, fill);
          continue;
        }
        row = source_of(row, image.height, window.mode);
      }
      const T* const line = from + row * image.width;
      const auto outside = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t x = begin; x < end; ++x)
          to[x] = constant ? fill : line[source_of(window.left + x, image.width, window.mode)];
      };
      outside(0, inside_begin);
      if (inside_end > inside_begin)
        std::memcpy(to + inside_begin, line + window.left + inside_begin,
                    static_cast<std::size_t>(inside_end - inside_begin) * sizeof(T));
      outside(inside_end, window.width);
    }
  }
}

/// Calls body(T{}) with an unsigned type of the size of the dtype's elements.
template <class Body>
void with_word(DType dtype, const Body& body) {
  switch (item_size(dtype)) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

AMP_INLINE Tensor window_of(const char* call, const Tensor& given, const Window& window) {
  const ImageExtents extents = extents_of(call, given);
  const Tensor image = given.contiguous();
  const Tensor result = empty(resized_shape(image, extents.channels, window.height, window.width),
                              {.dtype = image.dtype()});
  const Tensor fill = full({1}, window.fill, {.dtype = image.dtype()});
  with_word(image.dtype(), [&]<class T>(T) {
    copy_window(static_cast<const T*>(image.raw_data()), static_cast<T*>(result.raw_data()),
                extents, window, *static_cast<const T*>(fill.raw_data()));
  });
  return result;
}

AMP_COLD void check_padding(const char* call, const Padding& padding) {
  const auto& [left, top, right, bottom] = padding;
  AMP_CHECK(left >= 0 && top >= 0 && right >= 0 && bottom >= 0 &&
                (std::max)((std::max)(left, top), (std::max)(right, bottom)) < kFar,
            call, ": the padding must be from 0 to below 2^40, but is {", left, ", ", top, ", ",
            right, ", ", bottom, "}");
}

/// Throws unless the image has the pixels that the padding needs.
AMP_INLINE void check_border(const char* call, const ImageExtents& image, const Padding& padding,
                             PaddingMode mode) {
  if (mode == PaddingMode::kConstant) return;
  const std::int64_t spared = mode == PaddingMode::kReflect ? 1 : 0;
  const auto& [left, top, right, bottom] = padding;
  const std::int64_t across = (std::max)(left, right), along = (std::max)(top, bottom);
  AMP_CHECK(image.plane() > 0 && (mode == PaddingMode::kEdge || (across <= image.width - spared &&
                                                                 along <= image.height - spared)),
            call, ": a padding of {", left, ", ", top, ", ", right, ", ", bottom,
            "} cannot be taken from an image of ", image.height, " x ", image.width);
}

}  // namespace detail

AMP_INLINE Tensor pad(const Tensor& image, const Padding& padding, const PadOptions& options) {
  const detail::ImageExtents extents = detail::extents_of("pad", image);
  detail::check_padding("pad", padding);
  detail::check_border("pad", extents, padding, options.padding_mode);
  return detail::window_of("pad", image,
                           {.top = -padding.top,
                            .left = -padding.left,
                            .height = extents.height + padding.top + padding.bottom,
                            .width = extents.width + padding.left + padding.right,
                            .fill = options.fill,
                            .mode = options.padding_mode});
}

AMP_INLINE Tensor crop(const Tensor& image, std::int64_t top, std::int64_t left,
                       std::int64_t height, std::int64_t width) {
  const auto is_near = [](std::int64_t at) { return -detail::kFar < at && at < detail::kFar; };
  AMP_CHECK(height >= 0 && width >= 0 && is_near(top) && is_near(left) && is_near(height) &&
                is_near(width),
            "crop: the part at ", top, ", ", left, " of size ", height, " x ", width,
            " is none of an image");
  return detail::window_of("crop", image,
                           {.top = top, .left = left, .height = height, .width = width});
}

AMP_INLINE Tensor center_crop(const Tensor& image, const ImageSize& size) {
  detail::check_size("center_crop", size);
  const detail::ImageExtents extents = detail::extents_of("center_crop", image);
  // A border that is needed is larger at the end, and what is cut off goes to the even number.
  const auto begin = [](std::int64_t have, std::int64_t want) {
    return want > have ? -((want - have) / 2)
                       : detail::rounded(static_cast<double>(have - want) / 2);
  };
  return crop(image, begin(extents.height, size.height), begin(extents.width, size.width),
              size.height, size.width);
}

AMP_INLINE Tensor hflip(const Tensor& given) {
  const detail::ImageExtents extents = detail::extents_of("hflip", given);
  const Tensor image = given.contiguous();
  const Tensor result = empty(image.shape(), {.dtype = image.dtype()});
  detail::with_word(image.dtype(), [&]<class T>(T) {
    const T* from = static_cast<const T*>(image.raw_data());
    T* to = static_cast<T*>(result.raw_data());
    for (std::int64_t row = 0; row < extents.planes() * extents.height; ++row) {
      for (std::int64_t x = 0; x < extents.width; ++x) to[x] = from[extents.width - 1 - x];
      from += extents.width;
      to += extents.width;
    }
  });
  return result;
}

AMP_INLINE Tensor vflip(const Tensor& given) {
  const detail::ImageExtents extents = detail::extents_of("vflip", given);
  const Tensor image = given.contiguous();
  const Tensor result = empty(image.shape(), {.dtype = image.dtype()});
  const std::int64_t bytes = extents.width * static_cast<std::int64_t>(item_size(image.dtype()));
  if (image.numel() == 0) return result;
  const auto* from = static_cast<const std::byte*>(image.raw_data());
  auto* to = static_cast<std::byte*>(result.raw_data());
  for (std::int64_t p = 0; p < extents.planes(); ++p, from += bytes * extents.height)
    for (std::int64_t y = extents.height - 1; y >= 0; --y, to += bytes)
      std::memcpy(to, from + y * bytes, static_cast<std::size_t>(bytes));
  return result;
}

namespace detail {

AMP_COLD void check_resize(const char* call, const ImageSize& size, const ResizeOptions& options) {
  check_size(call, size);
  const InterpolateMode mode = options.interpolation;
  AMP_CHECK(mode == InterpolateMode::kNearest || mode == InterpolateMode::kNearestExact ||
                mode == InterpolateMode::kBilinear || mode == InterpolateMode::kBicubic,
            call, ": `interpolation` must be kNearest, kNearestExact, kBilinear or kBicubic");
  AMP_CHECK(!options.max_size || (size.is_one && *options.max_size > size.height), call,
            ": `max_size` is ", options.max_size.value_or(0),
            "; it goes with one number for the shorter side, ", size.height,
            ", and must be greater");
}

/// The height and width that `size` means for an image.
AMP_INLINE ImageSize resized(const ImageExtents& image, const ImageSize& size,
                             const ResizeOptions& options) {
  if (!size.is_one) return size;
  const bool upright = image.width <= image.height;
  const std::int64_t short_side = upright ? image.width : image.height;
  const std::int64_t long_side = upright ? image.height : image.width;
  std::int64_t new_short = size.height, new_long = size.height * long_side / short_side;
  if (options.max_size && new_long > *options.max_size) {
    new_short = *options.max_size * new_short / new_long;
    new_long = *options.max_size;
  }
  return upright ? ImageSize(new_long, new_short) : ImageSize(new_short, new_long);
}

}  // namespace detail

AMP_INLINE Tensor resize(const Tensor& image, const ImageSize& size, const ResizeOptions& options) {
  detail::check_resize("resize", size, options);
  const detail::ImageExtents extents = detail::extents_of("resize", image);
  AMP_CHECK(extents.plane() > 0, "resize: the image has no pixels: ", describe(image));
  const ImageSize target = detail::resized(extents, size, options);
  detail::check_size("resize", target);
  if (target.height == extents.height && target.width == extents.width) return image;
  const InterpolateMode mode = options.interpolation;
  const bool smooth = mode == InterpolateMode::kBilinear || mode == InterpolateMode::kBicubic;
  const bool integers = !is_floating_point(image.dtype());
  AMP_CHECK(!smooth || !integers || image.dtype() == kUInt8,
            "resize: the image must be uint8 or floating-point, but is ", describe(image));
  Tensor planes = image.reshape({-1, extents.channels, extents.height, extents.width});
  if (smooth && integers) planes = planes.to(kFloat32);
  planes = interpolate(planes, {.size = {target.height, target.width},
                                .mode = mode,
                                .antialias = smooth && options.antialias});
  if (smooth && integers) planes = clamp(round(planes), 0, 255).to(kUInt8);
  return planes.reshape(
      detail::resized_shape(image, extents.channels, target.height, target.width));
}

AMP_COLD Resize::Resize(const ImageSize& size, const ResizeOptions& options)
    : size_(size), options_(options) {
  detail::check_resize("Resize", size, options);
}

AMP_COLD CenterCrop::CenterCrop(const ImageSize& size) : size_(size) {
  detail::check_size("CenterCrop", size);
}

AMP_COLD RandomCrop::RandomCrop(const ImageSize& size, const RandomCropOptions& options)
    : size_(size), options_(options) {
  detail::check_size("RandomCrop", size);
  detail::check_padding("RandomCrop", options.padding);
}

AMP_INLINE Tensor RandomCrop::apply(const Tensor& image, Generator& generator) const {
  const detail::ImageExtents extents = detail::extents_of("RandomCrop", image);
  Padding padding = options_.padding;
  std::int64_t height = extents.height + padding.top + padding.bottom;
  std::int64_t width = extents.width + padding.left + padding.right;
  if (options_.pad_if_needed) {
    const std::int64_t along = (std::max)(std::int64_t{0}, size_.height - height);
    const std::int64_t across = (std::max)(std::int64_t{0}, size_.width - width);
    padding = Padding(padding.left + across, padding.top + along, padding.right + across,
                      padding.bottom + along);
    height += 2 * along;
    width += 2 * across;
  }
  detail::check_border("RandomCrop", extents, padding, options_.padding_mode);
  AMP_CHECK(height >= size_.height && width >= size_.width, "RandomCrop: a part of ", size_.height,
            " x ", size_.width, " is larger than the padded image, ", height, " x ", width,
            "; add padding, or set `pad_if_needed`");
  const std::int64_t top = generator.randint(0, height - size_.height + 1);
  const std::int64_t left = generator.randint(0, width - size_.width + 1);
  return detail::window_of("RandomCrop", image,
                           {.top = top - padding.top,
                            .left = left - padding.left,
                            .height = size_.height,
                            .width = size_.width,
                            .fill = options_.fill,
                            .mode = options_.padding_mode});
}

AMP_COLD RandomHorizontalFlip::RandomHorizontalFlip(double p) : p_(p) {
  detail::check_probability("RandomHorizontalFlip", p);
}
AMP_INLINE Tensor RandomHorizontalFlip::apply(const Tensor& image, Generator& generator) const {
  return generator.bernoulli(p_) ? hflip(image) : image;
}
AMP_COLD RandomVerticalFlip::RandomVerticalFlip(double p) : p_(p) {
  detail::check_probability("RandomVerticalFlip", p);
}
AMP_INLINE Tensor RandomVerticalFlip::apply(const Tensor& image, Generator& generator) const {
  return generator.bernoulli(p_) ? vflip(image) : image;
}

AMP_COLD RandomResizedCrop::RandomResizedCrop(const ImageSize& size,
                                              const RandomResizedCropOptions& options)
    : size_(size), options_(options) {
  detail::check_resize("RandomResizedCrop", size, {.interpolation = options.interpolation});
  size_.is_one = false;  // one number means a square
  const auto require = [](const char* name, const std::array<double, 2>& range) {
    AMP_CHECK(range[0] > 0 && range[0] <= range[1] && std::isfinite(range[1]),
              "RandomResizedCrop: `", name, "` must be {least, greatest}, both positive, but is {",
              range[0], ", ", range[1], "}");
  };
  require("scale", options.scale);
  require("ratio", options.ratio);
}

AMP_INLINE auto RandomResizedCrop::draw(std::int64_t height, std::int64_t width,
                                        Generator& generator) const -> Part {
  const auto& [least, greatest] = options_.ratio;
  const auto area = static_cast<double>(height * width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * generator.uniform(options_.scale[0], options_.scale[1]);
    const double ratio = std::exp(generator.uniform(std::log(least), std::log(greatest)));
    const std::int64_t w = detail::rounded(std::sqrt(target * ratio));
    const std::int64_t h = detail::rounded(std::sqrt(target / ratio));
    if (w <= 0 || w > width || h <= 0 || h > height) continue;
    const std::int64_t top = generator.randint(0, height - h + 1);
    return {top, generator.randint(0, width - w + 1), h, w};
  }
  // The largest part in the middle with a proportion in the range.
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  std::int64_t h = height, w = width;
  if (ratio < least) h = detail::rounded(static_cast<double>(w) / least);
  if (ratio > greatest) w = detail::rounded(static_cast<double>(h) * greatest);
  return {(height - h) / 2, (width - w) / 2, h, w};
}

AMP_INLINE Tensor RandomResizedCrop::apply(const Tensor& image, Generator& generator) const {
  const detail::ImageExtents extents = detail::extents_of("RandomResizedCrop", image);
  AMP_CHECK(extents.plane() > 0, "RandomResizedCrop: the image has no pixels: ", describe(image));
  const Part part = draw(extents.height, extents.width, generator);
  return resize(crop(image, part.top, part.left, part.height, part.width), size_,
                {.interpolation = options_.interpolation, .antialias = options_.antialias});
}

}  // namespace amp::inline v0::data::transforms
