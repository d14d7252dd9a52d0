// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Image files: PNG through libpng, JPEG through libjpeg, if the build links them, and the formats PPM
// and PGM, which need no library.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/file_path.hpp"
#include "amp/core/input_file.hpp"
#include "amp/data/files/jpeg.hpp"
#include "amp/data/files/libraries.hpp"
#include "amp/data/files/png.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// What read_image() makes of an image file.
enum class ImageMode : std::uint8_t {
  kUnchanged,  ///< as many channels as the file has: 1 to 4
  kGray,       ///< one channel
  kRGB,        ///< three channels, without transparency
};

namespace detail {

/// Reads what stands between blanks and comments in the header of a PPM.
[[gnu::cold]] inline std::int64_t header_number(std::string_view& rest, const std::string& path) {
  while (!rest.empty() &&
         (std::isspace(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == '#'))
    rest.remove_prefix(rest[0] == '#' ? (std::min)(rest.find('\n'), rest.size() - 1) + 1 : 1);
  std::int64_t number = 0;
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 9 && rest[digits] >= '0' && rest[digits] <= '9')
    number = 10 * number + (rest[digits++] - '0');
  AMP_CHECK(digits > 0, "read_image: ", path, ": its header has no width, height or maximum");
  rest.remove_prefix(digits);
  return number;
}

/// Pixels [H, W, C] of a binary PPM or PGM.
[[gnu::cold]] inline Tensor read_ppm(const std::string& path, std::string_view bytes) {
  const std::int64_t channels = bytes[1] == '6' ? 3 : 1;
  std::string_view rest = bytes.substr(2);
  const std::int64_t width = header_number(rest, path), height = header_number(rest, path);
  const std::int64_t most = header_number(rest, path);
  AMP_CHECK(most == 255 && width > 0 && height > 0, "read_image: ", path, ": an image of ", width,
            " x ", height, " pixels with a maximum of ", most,
            "; expected pixels with a maximum of 255");
  const std::int64_t size = width * height * channels;
  AMP_CHECK(static_cast<std::int64_t>(rest.size()) == size + 1, "read_image: ", path, ": has ",
            rest.size(), " bytes behind its header; expected a blank and ", size);
  const Tensor pixels = empty({height, width, channels}, {.dtype = kUInt8});
  rest.copy(static_cast<char*>(pixels.raw_data()), rest.size() - 1, 1);
  return pixels;
}

/// Pixels [H, W, C] with other channels.
[[gnu::cold]] inline Tensor in_mode(const Tensor& pixels, ImageMode mode) {
  const std::int64_t channels = pixels.size(2), count = pixels.size(0) * pixels.size(1);
  const std::int64_t wanted = mode == ImageMode::kGray ? 1 : 3;
  if (mode == ImageMode::kUnchanged || channels == wanted) return pixels;
  const Tensor result = empty({pixels.size(0), pixels.size(1), wanted}, {.dtype = kUInt8});
  const auto* from = static_cast<const std::uint8_t*>(pixels.raw_data());
  auto* to = static_cast<std::uint8_t*>(result.raw_data());
  for (std::int64_t i = 0; i < count; ++i, from += channels) {
    if (channels <= 2) {
      for (std::int64_t c = 0; c < wanted; ++c) *to++ = from[0];
    } else if (wanted == 3) {
      for (std::int64_t c = 0; c < 3; ++c) *to++ = from[c];
    } else {  // the luminance of ITU-R 601 in 16 bits, rounded
      *to++ = static_cast<std::uint8_t>(
          (19595 * from[0] + 38470 * from[1] + 7471 * from[2] + 0x8000) >> 16);
    }
  }
  return result;
}

}  // namespace detail

/// The pixels of an image file as uint8 [C, H, W]; the format follows from its content. Throws
/// amp::Error if it is damaged, or of a format that this program cannot read.
[[gnu::cold]] inline Tensor read_image(FilePath path, ImageMode mode = ImageMode::kUnchanged) {
  amp::detail::InputFile file("read_image", path);
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  file.read(bytes.data(), bytes.size());
  Tensor pixels;
  if (bytes.starts_with("P6") || bytes.starts_with("P5")) {
    pixels = detail::read_ppm(file.path(), bytes);
  } else if (bytes.starts_with("\x89PNG\r\n\x1a\n")) {
    pixels = detail::read_png(file.path(), bytes);
  } else if (bytes.starts_with("\xff\xd8\xff")) {
    pixels = detail::read_jpeg(file.path(), bytes);
  } else {
    amp::detail::fail("read_image: ", file.path(), ": is no PNG, JPEG, or binary PPM or PGM");
  }
  return detail::in_mode(pixels, mode).permute({2, 0, 1}).contiguous();
}

}  // namespace amp::inline v0::data
