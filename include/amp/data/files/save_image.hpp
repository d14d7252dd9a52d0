// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Images in files, and several images in one: torchvision.utils.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/file_path.hpp"
#include "amp/data/files/jpeg.hpp"
#include "amp/data/files/png.hpp"
#include "amp/data/transforms/image.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// Options of make_grid() and save_image().
struct GridOptions {
  std::int64_t nrow = 8;     ///< images of a row
  std::int64_t padding = 2;  ///< pixels between images
  bool normalize = false;    ///< whether values are shifted and scaled to the range from 0 to 1
  /// The range that becomes 0 to 1, beyond which values are cut off; by default the values' own.
  std::optional<std::array<double, 2>> value_range = {};
  bool scale_each = false;  ///< whether each image has a range of its own
  double pad_value = 0;     ///< of the pixels between images
};

namespace detail {

/// Shifts and scales values to the range from 0 to 1.
[[gnu::cold]] inline void normalize_values(float* values, std::int64_t count,
                                           const std::optional<std::array<double, 2>>& range) {
  if (count == 0) return;
  float low = *std::min_element(values, values + count);
  float high = *std::max_element(values, values + count);
  if (range) {
    low = static_cast<float>((*range)[0]);
    high = static_cast<float>((*range)[1]);
  }
  const float width = (std::max)(high - low, 1e-5F);
  for (std::int64_t i = 0; i < count; ++i)
    values[i] = ((std::min)((std::max)(values[i], low), high) - low) / width;
}

}  // namespace detail

/// Puts images [N, C, H, W] beside each other into one [C, H', W'], in rows of `nrow`; one image
/// [C, H, W] or [H, W] stays as it is. Grey images get three equal channels. float32.
[[gnu::cold]] inline Tensor make_grid(const Tensor& given, const GridOptions& options = {}) {
  AMP_CHECK(given.defined() && given.dim() >= 2 && given.dim() <= 4,
            "make_grid: the images must be [N, C, H, W], [C, H, W] or [H, W], but are ",
            given.defined() ? describe(given) : std::string("undefined"));
  AMP_CHECK(options.nrow > 0 && options.padding >= 0, "make_grid: `nrow` is ", options.nrow,
            " and `padding` ", options.padding, "; expected at least 1 and 0");
  AMP_CHECK(!options.value_range || (*options.value_range)[0] < (*options.value_range)[1],
            "make_grid: `value_range` must be {least, greatest}");
  Tensor images = given.detach().to(kCPU).to(kFloat32);
  while (images.dim() < 4) images = images.unsqueeze(0);
  AMP_CHECK(images.numel() > 0, "make_grid: there are no pixels: ", describe(given));
  const std::int64_t count = images.size(0), height = images.size(2), width = images.size(3);
  const std::int64_t channels = images.size(1) == 1 ? 3 : images.size(1);
  images = images.expand({count, channels, height, width}).clone();
  if (options.normalize) {
    auto* const values = static_cast<float*>(images.raw_data());
    const std::int64_t parts = options.scale_each ? count : 1, size = images.numel() / parts;
    for (std::int64_t i = 0; i < parts; ++i)
      detail::normalize_values(values + i * size, size, options.value_range);
  }
  if (count == 1) return images.squeeze(0);
  const std::int64_t columns = (std::min)(options.nrow, count);
  const std::int64_t rows = (count + columns - 1) / columns;
  const std::int64_t down = height + options.padding, right = width + options.padding;
  const Tensor grid =
      full({channels, down * rows + options.padding, right * columns + options.padding},
           options.pad_value);
  for (std::int64_t i = 0; i < count; ++i) {
    (void)grid.narrow(1, i / columns * down + options.padding, height)
        .narrow(2, i % columns * right + options.padding, width)
        .copy_(images.select(0, i));
  }
  return grid;
}

namespace detail {

/// The file's content, by its ending.
[[gnu::cold]] inline std::string encoded(const std::string& path, const Tensor& pixels) {
  std::string ending = path.substr((std::min)(path.rfind('.'), path.size()));
  for (char& letter : ending)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (ending == ".png") return png_of(pixels);
  if (ending == ".jpg" || ending == ".jpeg") return jpeg_of(pixels);
  AMP_CHECK(ending == ".ppm", "save_image: ", path,
            ": the ending says the format: .png, .jpg or .ppm");
  std::string file =
      "P6\n" + std::to_string(pixels.size(1)) + " " + std::to_string(pixels.size(0)) + "\n255\n";
  return file.append(static_cast<const char*>(pixels.raw_data()),
                     static_cast<std::size_t>(pixels.numel()));
}

}  // namespace detail

/// Writes images with values from 0 to 1, as make_grid() puts them together, as a .png, .jpg or
/// .ppm. Values beyond are cut off. Throws amp::Error if the file cannot be written. Synchronises.
[[gnu::cold]] inline void save_image(const Tensor& images, FilePath path,
                                     const GridOptions& options = {}) {
  const Tensor grid = make_grid(images, options).contiguous();
  AMP_CHECK(grid.size(0) == 3, "save_image: images must have 1 or 3 channels, but are ",
            describe(images));
  const Tensor pixels = empty({grid.size(1), grid.size(2), 3}, {.dtype = kUInt8});
  const auto* from = static_cast<const float*>(grid.raw_data());
  auto* to = static_cast<std::uint8_t*>(pixels.raw_data());
  const std::int64_t plane = grid.size(1) * grid.size(2);
  for (std::int64_t i = 0; i < plane; ++i) {
    for (std::int64_t c = 0; c < 3; ++c) {  // NaN becomes 0
      const float value = from[c * plane + i] * 255.0F + 0.5F;
      *to++ = static_cast<std::uint8_t>((std::min)((std::max)(0.0F, value), 255.0F));
    }
  }
  const std::string name = path.string(), file = detail::encoded(name, pixels);
  std::FILE* const stream = std::fopen(name.c_str(), "wb");
  const int reason = errno;
  AMP_CHECK(stream != nullptr, "save_image: ", name,
            ": cannot be written: ", std::strerror(reason));
  const bool written = std::fwrite(file.data(), 1, file.size(), stream) == file.size();
  const bool closed = std::fclose(stream) == 0;
  AMP_CHECK(written && closed, "save_image: ", name, ": cannot be written to its end");
}

}  // namespace amp::inline v0::data
