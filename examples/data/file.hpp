// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A data file, plain or compressed by gzip, whose every surprise becomes an error that says where.
#pragma once

#include <amp/core/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Throws amp::Error: "FILE: at byte offset N: expected A, found B". Offsets in a compressed file
/// count the unpacked bytes.
[[noreturn]] inline void fail_at(const std::filesystem::path& file, std::uint64_t offset,
                                 const std::string& expected, const std::string& found) {
  const char* unpacked = file.extension() == ".gz" ? " of the unpacked content" : "";
  throw amp::Error(file.string() + ": at byte offset " + std::to_string(offset) + unpacked +
                   ": expected " + expected + ", found " + found);
}

/// Whether `directory` holds the file, plain or with ".gz" appended.
inline bool has_file(const std::filesystem::path& directory, const std::string& name) {
  return std::filesystem::exists(directory / name) ||
         std::filesystem::exists(directory / (name + ".gz"));
}

/// The file's path, plain before ".gz". Throws amp::Error when there is neither.
inline std::filesystem::path find_file(const std::filesystem::path& directory,
                                       const std::string& name) {
  if (std::filesystem::exists(directory / name)) return directory / name;
  if (std::filesystem::exists(directory / (name + ".gz"))) return directory / (name + ".gz");
  fail_at(directory / name, 0, "this file or " + name + ".gz",
          std::filesystem::is_directory(directory) ? "neither" : "no such directory");
}

/// Reads a file from its first byte to its last.
class InputFile {
 public:
  /// Throws amp::Error when the file cannot be opened, or is a folder, a pipe or a device: nothing
  /// is waited for.
  explicit InputFile(std::filesystem::path path) : path_(std::move(path)) {
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) fail("a file that can be read", std::strerror(errno));
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      stream_.reset(gzdopen(file, "rb"));
    }
    if (!stream_) {
      ::close(file);
      fail("a regular file", S_ISDIR(status.st_mode) ? "a directory" : "a pipe or a device");
    }
    gzbuffer(stream_.get(), 1U << 17);
    most_bytes_ = static_cast<std::uint64_t>(status.st_size) *
                  (gzdirect(stream_.get()) != 0 ? 1 : kMostInflation);
  }

  /// The next `count` bytes. `expected` describes them in the error thrown when there are fewer.
  /// Memory grows with what is there, so that a wrong count in a header allocates nothing huge, and
  /// without copies, so that it is hardly more than the bytes.
  std::vector<std::uint8_t> read(std::uint64_t count, const std::string& expected) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(std::min(count, most_bytes_));
    while (bytes.size() < count) {
      const auto chunk = std::min<std::uint64_t>(count - bytes.size(), 1U << 20);
      const std::size_t begin = bytes.size();
      bytes.resize(begin + chunk);
      const std::size_t got = read_some(bytes.data() + begin, static_cast<unsigned>(chunk));
      offset_ += got;
      if (got < chunk) fail(expected, "the end of the file");
    }
    return bytes;
  }

  /// The next four bytes as an unsigned number, the most significant first.
  std::uint32_t read_big_endian(const std::string& expected) {
    std::uint32_t number = 0;
    for (const std::uint8_t byte : read(4, expected)) number = number << 8 | byte;
    return number;
  }

  /// Throws amp::Error when bytes are left, or when the checksum of a compressed file is wrong.
  void expect_end() {
    std::uint8_t byte = 0;
    if (read_some(&byte, 1) != 0) fail("the end of the file", "more bytes");
  }

  /// Throws amp::Error about the byte that comes next, or about an earlier one.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    fail_at(path_, offset_, expected, found);
  }
  [[noreturn]] void fail(std::uint64_t offset, const std::string& expected,
                         const std::string& found) const {
    fail_at(path_, offset, expected, found);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  static constexpr std::uint64_t kMostInflation = 1040;  // deflate makes at most 1032 of a byte

  struct Close {
    void operator()(gzFile stream) const { gzclose_r(stream); }
  };

  /// How many bytes were read: fewer than `count` only at the end of the file.
  std::size_t read_some(std::uint8_t* bytes, unsigned count) {
    const int got = gzread(stream_.get(), bytes, count);
    int code = Z_OK;
    const char* reason = gzerror(stream_.get(), &code);
    if (code == Z_BUF_ERROR) {  // the compressed stream stops early: what came is still good
      offset_ += static_cast<std::uint64_t>(std::max(got, 0));
      fail("more compressed data", "the end of the file (truncated gzip stream)");
    }
    if (got < 0) {
      const std::string why = code == Z_ERRNO ? std::strerror(errno) : reason;
      fail("readable data", "damage: " + why);
    }
    return static_cast<std::size_t>(got);
  }

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::uint64_t offset_ = 0, most_bytes_ = 0;
};

}  // namespace examples
