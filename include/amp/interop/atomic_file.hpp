// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that are written whole or not at all.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "amp/core/error.hpp"

namespace amp::inline v0::detail {

/// A file on its way to `path`. It is written beside it, as `path` with ".partial" appended, and
/// takes its place in one step once all of it is on the disk: whoever opens `path` at any time,
/// also after a crash in between, finds the old file or the new one. Throws amp::Error with the
/// system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    file_ = ::open(partial().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    require(file_ >= 0, "cannot create it");
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(partial().c_str());
  }

  void write(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(file_, bytes, (std::min)(size, kLargestWrite));
      require(written > 0 || errno == EINTR, "cannot write to it");
      if (written <= 0) continue;
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  /// To be called last.
  void commit() {
    require(::fsync(file_) == 0, "cannot write it to the disk");
    require(std::rename(partial().c_str(), path_.c_str()) == 0, "cannot rename the written file");
    ::close(std::exchange(file_, -1));
    // The new name is on the disk when the directory is. Not every file system can be asked.
    const std::filesystem::path parent = path_.parent_path();
    const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);
    ::close(directory);
  }

 private:
  static constexpr std::size_t kLargestWrite = std::size_t{1} << 30;

  std::string partial() const { return path_.string() + ".partial"; }
  void require(bool done, const char* otherwise) const {
    const int reason = errno;
    AMP_CHECK(done, path_.string(), ": ", otherwise, ": ", std::strerror(reason));
  }

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace amp::inline v0::detail
