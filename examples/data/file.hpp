// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A data file, plain or compressed by gzip. Errors name the position in the file.
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

/// Returns whether `directory` contains the file, plain or with ".gz" appended.
bool has_file(const std::filesystem::path& directory, const std::string& name);

/// Returns the file's path; the plain file comes before ".gz". Throws amp::Error if there is
/// neither.
std::filesystem::path find_file(const std::filesystem::path& directory, const std::string& name);

/// Reads a file from beginning to end.
class InputFile {
 public:
  /// Throws amp::Error if the file cannot be opened, or is a folder, a pipe or a device; it never
  /// waits.
  explicit InputFile(std::filesystem::path path);

  /// Reads the next `count` bytes. Throws amp::Error with `expected` in its text if there are
  /// fewer. The memory grows with the bytes that are read, so that a wrong count in a header does
  /// not allocate too much, and without copies.
  std::vector<std::uint8_t> read(std::uint64_t count, const std::string& expected);

  /// Reads the next four bytes as an unsigned number, the most significant byte first.
  std::uint32_t read_big_endian(const std::string& expected);

  /// Throws amp::Error if bytes are left, or if the checksum of a compressed file is wrong.
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

  /// Returns the number of bytes read: fewer than `count` only at the end of the file.
  std::size_t read_some(std::uint8_t* bytes, unsigned count);

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::uint64_t offset_ = 0, most_bytes_ = 0;
};

}  // namespace examples
