// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// JPEG, which libjpeg reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/data/files/libraries.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

#if AMP_USE_JPEG
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <jerror.h>
#endif

namespace amp::inline v0::data::detail {

#if AMP_USE_JPEG

/// libjpeg's errors, which it leaves by longjmp, past no object that has a destructor.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg knows only this
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];

  jpeg_error_mgr* start() {
    jpeg_error_mgr* const errors = jpeg_std_error(&manager);
    errors->error_exit = [](j_common_ptr info) {
      auto* const self = reinterpret_cast<JpegErrors*>(info->err);
      info->err->format_message(info, self->message);
      std::longjmp(self->jump, 1);
    };
    errors->emit_message = [](j_common_ptr info, int level) {
      // Of a file that ends early, libjpeg would make the rest up. Other damage is of no weight.
      if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) info->err->error_exit(info);
    };
    return errors;
  }
};

struct JpegReading {
  jpeg_decompress_struct info{};
  JpegErrors errors{};

  JpegReading() { info.err = errors.start(); }
  JpegReading(const JpegReading&) = delete;
  JpegReading& operator=(const JpegReading&) = delete;
  ~JpegReading() { jpeg_destroy_decompress(&info); }

  bool read_header(std::string_view bytes) {
    if (setjmp(errors.jump) != 0) return false;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    (void)jpeg_read_header(&info, TRUE);
    info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    (void)jpeg_start_decompress(&info);
    return true;
  }
  bool read_rows(unsigned char* to, std::size_t row_bytes) {
    if (setjmp(errors.jump) != 0) return false;
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = to + info.output_scanline * row_bytes;
      (void)jpeg_read_scanlines(&info, &row, 1);
    }
    (void)jpeg_finish_decompress(&info);
    return true;
  }
};

/// Pixels [H, W, C] with 1 or 3 channels.
[[gnu::cold]] inline Tensor read_jpeg(const std::string& path, std::string_view bytes) {
  JpegReading reading;
  AMP_CHECK(reading.read_header(bytes), "read_image: ", path, ": JPEG: ", reading.errors.message);
  const std::int64_t height = reading.info.output_height, width = reading.info.output_width;
  const std::int64_t channels = reading.info.output_components;
  const Tensor pixels = empty({height, width, channels}, {.dtype = kUInt8});
  AMP_CHECK(reading.read_rows(static_cast<unsigned char*>(pixels.raw_data()),
                              static_cast<std::size_t>(width * channels)),
            "read_image: ", path, ": JPEG: ", reading.errors.message);
  return pixels;
}

struct JpegWriting {
  jpeg_compress_struct info{};
  JpegErrors errors{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  JpegWriting() { info.err = errors.start(); }
  JpegWriting(const JpegWriting&) = delete;
  JpegWriting& operator=(const JpegWriting&) = delete;
  ~JpegWriting() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }

  bool write(unsigned char* pixels, std::int64_t height, std::int64_t width, int channels,
             int quality) {
    if (setjmp(errors.jump) != 0) return false;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_height = static_cast<JDIMENSION>(height);
    info.image_width = static_cast<JDIMENSION>(width);
    info.input_components = channels;
    info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
      JSAMPROW row = pixels + static_cast<std::int64_t>(info.next_scanline) * width * channels;
      (void)jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
  }
};

/// A JPEG of pixels [H, W, C] with 1 or 3 channels, in the quality that Pillow takes by default.
[[gnu::cold]] inline std::string jpeg_of(const Tensor& pixels) {
  constexpr int kQuality = 75;
  JpegWriting writing;
  const bool written = writing.write(static_cast<unsigned char*>(pixels.raw_data()), pixels.size(0),
                                     pixels.size(1), static_cast<int>(pixels.size(2)), kQuality);
  AMP_CHECK(written, "save_image: JPEG: ", writing.errors.message);
  return {reinterpret_cast<const char*>(writing.bytes), writing.size};
}

#else

[[gnu::cold]] inline Tensor read_jpeg(const std::string& path, std::string_view) {
  amp::detail::fail("read_image: ", path,
                    ": is a JPEG; to read it, define AMP_USE_JPEG=1 and link "
                    "libjpeg, as the CMake target amp::data does");
}
[[gnu::cold]] inline std::string jpeg_of(const Tensor&) {
  amp::detail::fail(
      "save_image: to write a JPEG, define AMP_USE_JPEG=1 and link libjpeg, as the "
      "CMake target amp::data does; a .png needs no library");
}

#endif

}  // namespace amp::inline v0::data::detail
