// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PNG: libpng reads it. To write it takes no library; zlib makes the files smaller.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/data/files/libraries.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

#if AMP_USE_PNG
#include <png.h>

#include <csetjmp>
#include <cstring>
#endif
#if AMP_USE_ZLIB
#include <zlib.h>
#endif

namespace amp::inline v0::data::detail {

#if AMP_USE_PNG

/// What libpng's functions share with read_png().
struct PngSource {
  std::string_view rest;
  std::string message = {};
};

/// Reads the header, or, with rows, the pixels. libpng leaves errors by longjmp, past no object that
/// has a destructor. Returns whether there was none.
struct PngReading {
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngReading(PngSource& source) {
    const auto fail = [](png_structp png_, png_const_charp text) {
      static_cast<PngSource*>(png_get_error_ptr(png_))->message = text;
      png_longjmp(png_, 1);
    };
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, fail,
                                 [](png_structp, png_const_charp) {});
    if (png != nullptr) info = png_create_info_struct(png);
    if (info != nullptr)
      png_set_read_fn(png, &source, [](png_structp png_, png_bytep to, std::size_t count) {
        auto& from = *static_cast<PngSource*>(png_get_io_ptr(png_));
        if (from.rest.size() < count) png_error(png_, "the end of the file");
        std::memcpy(to, from.rest.data(), count);
        from.rest.remove_prefix(count);
      });
  }
  PngReading(const PngReading&) = delete;
  PngReading& operator=(const PngReading&) = delete;
  ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }

  bool read_header() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_read_info(png, info);
    png_set_expand(png);    // palettes to RGB, fewer bits to 8, transparency to a channel
    png_set_strip_16(png);  // 16 bits to 8
    (void)png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return true;
  }
  bool read_rows(png_bytep* rows) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_read_image(png, rows);
    png_read_end(png, nullptr);
    return true;
  }
};

/// Pixels [H, W, C].
[[gnu::cold]] inline Tensor read_png(const std::string& path, std::string_view bytes) {
  PngSource source{bytes};
  PngReading reading(source);
  AMP_CHECK(reading.info != nullptr, "read_image: ", path, ": libpng has no memory");
  AMP_CHECK(reading.read_header(), "read_image: ", path, ": damaged PNG: ", source.message);
  const std::int64_t height = png_get_image_height(reading.png, reading.info);
  const std::int64_t width = png_get_image_width(reading.png, reading.info);
  const std::int64_t channels = png_get_channels(reading.png, reading.info);
  // deflate makes at most 1032 bytes of one: so a small file takes no memory for what it claims.
  constexpr std::int64_t kMostInflation = 1040;
  AMP_CHECK(height * width / kMostInflation / 8 <= static_cast<std::int64_t>(bytes.size()),
            "read_image: ", path, ": damaged PNG: ", bytes.size(), " bytes are no image of ", width,
            " x ", height, " pixels");
  const Tensor pixels = empty({height, width, channels}, {.dtype = kUInt8});
  std::vector<png_bytep> rows;
  for (std::int64_t y = 0; y < height; ++y)
    rows.push_back(static_cast<png_bytep>(pixels.raw_data()) + y * width * channels);
  AMP_CHECK(reading.read_rows(rows.data()), "read_image: ", path,
            ": damaged PNG: ", source.message);
  return pixels;
}

#else

[[gnu::cold]] inline Tensor read_png(const std::string& path, std::string_view) {
  amp::detail::fail("read_image: ", path,
                    ": is a PNG; to read it, define AMP_USE_PNG=1 and link "
                    "libpng, as the CMake target amp::data does");
}

#endif

/// The checksum of a PNG's chunks: CRC-32.
[[gnu::cold]] inline std::uint32_t crc32_of(std::string_view bytes) {
#if AMP_USE_ZLIB
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
#else
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB8'8320 : 0);
  }
  return ~crc;
#endif
}

[[gnu::cold]] inline std::string big_endian(std::uint32_t number) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xFF);
  return text;
}

/// The bytes in zlib's format: compressed, or in stored blocks.
[[gnu::cold]] inline std::string deflated(const std::string& bytes) {
#if AMP_USE_ZLIB
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  const int status =
      compress(reinterpret_cast<Bytef*>(packed.data()), &size,
               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
  AMP_CHECK(status == Z_OK, "save_image: zlib has no memory");
  packed.resize(size);
  return packed;
#else
  constexpr std::size_t kMostStored = 65535;
  std::string packed = "\x78\x01";
  std::uint32_t low = 1, high = 0;  // Adler-32
  for (const char byte : bytes) {
    low = (low + static_cast<std::uint8_t>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  for (std::size_t at = 0; at < bytes.size(); at += kMostStored) {
    const std::size_t size = (std::min)(kMostStored, bytes.size() - at);
    packed += static_cast<char>(at + size == bytes.size());
    for (const std::size_t word : {size, ~size}) {
      packed += static_cast<char>(word & 0xFF);
      packed += static_cast<char>(word >> 8 & 0xFF);
    }
    packed.append(bytes, at, size);
  }
  return packed + big_endian(high << 16 | low);
#endif
}

/// A PNG of pixels [H, W, C] with 1 or 3 channels.
[[gnu::cold]] inline std::string png_of(const Tensor& pixels) {
  const auto height = static_cast<std::uint32_t>(pixels.size(0));
  const auto width = static_cast<std::uint32_t>(pixels.size(1));
  const auto channels = static_cast<std::size_t>(pixels.size(2));
  std::string file = "\x89PNG\r\n\x1a\n";
  const auto chunk = [&](const char* type, const std::string& content) {
    const std::string body = type + content;
    file +=
        big_endian(static_cast<std::uint32_t>(content.size())) + body + big_endian(crc32_of(body));
  };
  chunk("IHDR", big_endian(width) + big_endian(height) +
                    std::string{8, static_cast<char>(channels == 3 ? 2 : 0), 0, 0, 0});
  std::string lines;
  const char* row = static_cast<const char*>(pixels.raw_data());
  for (std::uint32_t y = 0; y < height; ++y, row += width * channels) {
    lines += '\0';  // the filter: none
    lines.append(row, width * channels);
  }
  chunk("IDAT", deflated(lines));
  chunk("IEND", "");
  return file;
}

}  // namespace amp::inline v0::data::detail
