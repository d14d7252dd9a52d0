// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that are written completely or not at all.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/file_path.hpp"
#include "amp/interop/partial_file.hpp"

namespace amp::inline v0::detail {

/// A file that replaces the one at `path` when it is complete. It is written in the same folder,
/// under a name of its own, and renamed once all of it is on the disk. A reader that opens `path`
/// at any time, even after a crash or while several processes write to it, reads one complete file:
/// the old one or one of the new ones. A link at `path` is followed; the group and permissions of
/// an existing file are preserved. Throws amp::Error with the system's reason, and removes its
/// partial file. A process that is killed leaves it behind; the next writer to `path` on the same
/// system removes it (partial_file.hpp), and it may be deleted.
class AtomicFile {
 public:
  [[gnu::cold]] explicit AtomicFile(FilePath path) : AtomicFile(path, followed(path.string())) {
    struct stat old {};
    const bool replaces = ::stat(target_.c_str(), &old) == 0;
    require(replaces || errno == ENOENT, "cannot be written");
    AMP_CHECK(!replaces || S_ISREG(old.st_mode), path_, ": cannot be replaced: it is ",
              S_ISDIR(old.st_mode) ? "a directory" : "no regular file");
    const mode_t mode = replaces ? old.st_mode & 0777 : 0666;
    partial_.remove_abandoned();
    require(partial_.create(mode), "cannot create a file beside it");
    if (!replaces) return;
    // Errors are ignored: the process may lack the right, or the file system the feature. fchmod
    // restores the bits that the umask removed.
    [[maybe_unused]] const int group =
        ::fchown(partial_.file(), static_cast<uid_t>(-1), old.st_gid);
    (void)::fchmod(partial_.file(), mode);
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[gnu::cold]] void write(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(partial_.file(), bytes, (std::min)(size, kLargestWrite));
      require(written > 0 || errno == EINTR, "cannot write to it");
      if (written <= 0) continue;
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  /// Replaces the file at `path`. Call it last.
  [[gnu::cold]] void commit() {
    require(synced(partial_.file()), "cannot write it to the disk");
    require(partial_.rename(target_), "cannot rename the written file");
    // The new name is on the disk when the folder is. Not every file system supports this.
    const int folder = ::open(partial_.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)synced(folder);
    ::close(folder);
  }

 private:
  static constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
  static constexpr int kMostLinks = 40;  // the system's own limit

  AtomicFile(FilePath path, std::string target)
      : path_(path.string()),
        target_(std::move(target)),
        partial_(folder_of(target_), target_.substr(folder_of(target_).size())) {}

  /// The folder of a path, with its last slash; empty if there is no slash.
  [[gnu::cold]] static std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
  }

  /// Returns the file to which the links at `path` lead. If they form a circle, the result is still
  /// a link, which stat refuses.
  [[gnu::cold]] static std::string followed(std::string path) {
    for (int links = 0; links < kMostLinks; ++links) {
      const std::string next = target_of_link(path);
      if (next.empty()) return path;
      path = next.front() == '/' ? next : folder_of(path) + next;
    }
    return path;
  }
  /// Returns the target of a link; empty if `path` is no link.
  [[gnu::cold]] static std::string target_of_link(const std::string& path) {
    for (std::size_t room = 256;; room *= 2) {
      std::string target(room, '\0');
      const ssize_t length = ::readlink(path.c_str(), target.data(), room);
      if (length < 0) return {};
      if (static_cast<std::size_t>(length) == room) continue;  // perhaps cut short
      target.resize(static_cast<std::size_t>(length));
      return target;
    }
  }

  [[gnu::cold]] static bool synced(int file) {
    int result = 0;
    do {
      result = ::fsync(file);
    } while (result != 0 && errno == EINTR);
    return result == 0;
  }
  [[gnu::cold]] void require(bool done, const char* otherwise) const {
    const int reason = errno;
    AMP_CHECK(done, path_, ": ", otherwise, ": ", std::strerror(reason));
  }

  std::string path_;  // as it was given, for messages
  std::string target_;
  PartialFile partial_;
};

}  // namespace amp::inline v0::detail
