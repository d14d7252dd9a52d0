// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that are read from beginning to end.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/file_path.hpp"

namespace amp::inline v0::detail {

/// An open regular file: size and bytes belong to one file, even if another file replaces it at its
/// path. Throws amp::Error with the system's reason, also for folders, pipes and devices, without
/// waiting for them.
class InputFile {
 public:
  InputFile(std::string_view call, FilePath path) : InputFile(path.string()) {
    // The delegated constructor has ended: from here on the destructor runs if something throws.
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    const bool opened = file_ >= 0 && ::fstat(file_, &status) == 0;
    const int reason = errno;
    AMP_CHECK(opened, call, ": ", path_, ": cannot be read: ", std::strerror(reason));
    AMP_CHECK(S_ISREG(status.st_mode), call, ": ", path_, ": cannot be read: it is ",
              S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    if (file_ >= 0) ::close(file_);
  }

  /// The size in bytes when the file was opened.
  std::uint64_t size() const { return size_; }

  /// Reads the next `count` bytes. Throws if the file has fewer.
  [[gnu::cold]] void read(void* to, std::uint64_t count) {
    auto* bytes = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t got =
          ::read(file_, bytes, static_cast<std::size_t>((std::min)(count, kLargestRead)));
      const int reason = got < 0 ? errno : 0;
      if (reason == EINTR) continue;
      AMP_CHECK(got > 0, path_, ": cannot be read to its end: ",
                got < 0 ? std::strerror(reason) : "it became shorter meanwhile");
      bytes += got;
      count -= static_cast<std::uint64_t>(got);
    }
  }
  [[gnu::cold]] void skip(std::uint64_t count) {
    AMP_CHECK(::lseek(file_, static_cast<off_t>(count), SEEK_CUR) >= 0, path_,
              ": cannot be read to its end");
  }

  const std::string& path() const { return path_; }
  int descriptor() const { return file_; }

 private:
  static constexpr std::uint64_t kLargestRead = std::uint64_t{1} << 30;

  explicit InputFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::uint64_t size_ = 0;
  int file_ = -1;
};

}  // namespace amp::inline v0::detail
