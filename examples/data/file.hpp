// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A data file, plain or compressed by gzip, whose every surprise becomes an error that says where.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace examples {

/// Throws amp::Error: "FILE: at byte offset N: expected A, found B". Offsets in a compressed file
/// count the unpacked bytes.
[[noreturn]] void fail_at(const std::filesystem::path& file, std::uint64_t offset,
                          const std::string& expected, const std::string& found);

/// Whether `directory` holds the file, plain or with ".gz" appended.
bool has_file(const std::filesystem::path& directory, const std::string& name);

/// The file's path, plain before ".gz". Throws amp::Error when there is neither.
std::filesystem::path find_file(const std::filesystem::path& directory, const std::string& name);

/// Reads a file from its first byte to its last.
class InputFile {
 public:
  /// Throws amp::Error when the file cannot be opened, or is a folder, a pipe or a device: nothing
  /// is waited for.
  explicit InputFile(std::filesystem::path path);

  /// The next `count` bytes. `expected` describes them in the error thrown when there are fewer.
  /// Memory grows with what is there, so that a wrong count in a header allocates nothing huge, and
  /// without copies, so that it is hardly more than the bytes.
  std::vector<std::uint8_t> read(std::uint64_t count, const std::string& expected);

  /// The next four bytes as an unsigned number, the most significant first.
  std::uint32_t read_big_endian(const std::string& expected);

  /// Throws amp::Error when bytes are left, or when the checksum of a compressed file is wrong.
  void expect_end();

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
  struct Close {
    void operator()(gzFile stream) const { gzclose_r(stream); }
  };

  /// How many bytes were read: fewer than `count` only at the end of the file.
  std::size_t read_some(std::uint8_t* bytes, unsigned count);

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::uint64_t offset_ = 0, most_bytes_ = 0;
};

}  // namespace examples
