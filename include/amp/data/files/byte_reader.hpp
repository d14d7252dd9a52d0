// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A data file, plain or compressed by gzip, from beginning to end. Errors name the position in it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/input_file.hpp"
#include "amp/data/files/libraries.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

#if AMP_USE_ZLIB
#include <zlib.h>
#endif

namespace amp::inline v0::data::detail {

/// Reads a file, and what gzip has compressed if AMP_USE_ZLIB is 1.
class ByteReader {
 public:
  /// Throws amp::Error if the file cannot be opened, or is a folder, a pipe or a device; it never
  /// waits.
  [[gnu::cold]] explicit ByteReader(const std::string& path)
      : file_("amp::data", path), most_bytes_(file_.size()) {
    open_stream();
  }

  /// Reads the next bytes into a tensor of uint8. Throws amp::Error with `expected` in its text if
  /// there are fewer. A file that cannot have so many takes no memory for them.
  [[gnu::cold]] Tensor read(std::uint64_t count, const std::string& expected) {
    if (count > most_bytes_) {  // only to say where it ends
      std::uint8_t rest[4096];
      while (const std::size_t got = read_some(rest, sizeof rest)) offset_ += got;
      fail(expected, "the end of the file");
    }
    Tensor bytes = empty({count}, {.dtype = kUInt8});
    read(static_cast<std::uint8_t*>(bytes.raw_data()), count, expected);
    return bytes;
  }
  [[gnu::cold]] void read(std::uint8_t* to, std::uint64_t count, const std::string& expected) {
    constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;
    while (count > 0) {
      const std::size_t got =
          read_some(to, static_cast<std::size_t>((std::min)(count, kMostAtOnce)));
      offset_ += got;
      if (got == 0) fail(expected, "the end of the file");
      to += got;
      count -= got;
    }
  }
  /// Reads the next four bytes as an unsigned number, the most significant byte first.
  [[gnu::cold]] std::uint32_t read_big_endian(const std::string& expected) {
    std::uint8_t bytes[4];
    read(bytes, 4, expected);
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
           std::uint32_t{bytes[2]} << 8 | bytes[3];
  }
  /// Throws amp::Error if bytes are left, or if the checksum of a compressed file is wrong.
  [[gnu::cold]] void expect_end() {
    std::uint8_t byte = 0;
    if (read_some(&byte, 1) != 0) fail("the end of the file", "more bytes");
  }

  /// Throws amp::Error about the byte that comes next, or about an earlier one.
  [[noreturn, gnu::cold]] void fail(const std::string& expected, const std::string& found) const {
    fail(offset_, expected, found);
  }
  [[noreturn, gnu::cold]] void fail(std::uint64_t offset, const std::string& expected,
                                    const std::string& found) const {
    amp::detail::fail(path(), ": at byte offset ", offset,
                      path().ends_with(".gz") ? " of the unpacked content" : "", ": expected ",
                      expected, ", found ", found);
  }
  const std::string& path() const { return file_.path(); }
  std::uint64_t offset() const { return offset_; }

 private:
#if AMP_USE_ZLIB
  struct Close {
    void operator()(gzFile stream) const { gzclose_r(stream); }
  };
  [[gnu::cold]] void open_stream() {
    constexpr std::uint64_t kMostInflation = 1040;  // deflate makes at most 1032 bytes of one
    const int own = ::dup(file_.descriptor());      // which the stream closes
    stream_.reset(gzdopen(own, "rb"));
    if (!stream_) {
      if (own >= 0) ::close(own);
      fail("a file that zlib can read", "no memory for it");
    }
    gzbuffer(stream_.get(), 1U << 17);
    if (gzdirect(stream_.get()) == 0) most_bytes_ *= kMostInflation;
  }
  [[gnu::cold]] std::size_t read_some(std::uint8_t* bytes, std::size_t count) {
    const int got = gzread(stream_.get(), bytes, static_cast<unsigned>(count));
    int code = Z_OK;
    const char* reason = gzerror(stream_.get(), &code);
    if (code == Z_BUF_ERROR) {  // the compressed stream ends early: the bytes before are valid
      offset_ += static_cast<std::uint64_t>((std::max)(got, 0));
      fail("more compressed data", "the end of the file (truncated gzip stream)");
    }
    if (got < 0) {
      const std::string why = code == Z_ERRNO ? std::strerror(errno) : reason;
      fail("readable data", "damage: " + why);
    }
    return static_cast<std::size_t>(got);
  }

  std::unique_ptr<gzFile_s, Close> stream_;
#else
  [[gnu::cold]] void open_stream() {
    std::uint8_t magic[2] = {};
    const bool packed =
        ::pread(file_.descriptor(), magic, 2, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
    if (packed)
      fail("a plain file",
           "one that gzip has compressed; to read it, define AMP_USE_ZLIB=1 and link zlib, as the "
           "CMake target amp::data does, or unpack it");
  }
  [[gnu::cold]] std::size_t read_some(std::uint8_t* bytes, std::size_t count) {
    for (;;) {
      const ssize_t got = ::read(file_.descriptor(), bytes, count);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail("readable data", std::strerror(errno));
    }
  }
#endif

  amp::detail::InputFile file_;
  std::uint64_t offset_ = 0, most_bytes_;
};

}  // namespace amp::inline v0::data::detail
