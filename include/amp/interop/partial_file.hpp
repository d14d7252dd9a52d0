// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that are not complete yet, and what is left of them if the process is killed.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// A new file in the folder of another one, which it is to replace. It is removed if it has not
/// been renamed when this object is destroyed.
///
/// Its name says who writes it: "run.safetensors.cd33cd80-4711-0.partial" has the running system,
/// by the beginning of its boot id, the process and a count. As long as it is written it is locked
/// (flock). The system drops the lock with the process, however that ends, so a file of this system
/// without a lock is abandoned. Process ids say less: they are used again, and differ between
/// containers. Files of other systems, on a shared file system, are never touched, since their
/// locks may not reach this one.
class PartialFile {
 public:
  /// Creates nothing yet. `folder` ends with a slash or is empty; `target` is a name in it.
  PartialFile(const std::string& folder, std::string_view target)
      : folder_(folder.empty() ? "./" : folder), stem_(target.substr(0, kLongestStem)) {
    stem_ += '.';
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() {
    if (file_ < 0) return;
    ::unlink(path_.c_str());
    ::close(file_);
  }

  const std::string& folder() const { return folder_; }
  /// The file descriptor, once it is created.
  int file() const { return file_; }

  /// Returns whether the file could be created; else errno has the reason. If a file or a link with
  /// its name exists, another name is tried.
  [[gnu::cold]] bool create(mode_t mode) {
    static std::atomic<unsigned> count = 0;
    std::string system = running_system();
    for (int tries = 0; tries < kMostNames; ++tries) {
      path_ = folder_ + stem_ + system + '-' + std::to_string(::getpid()) + '-' +
              std::to_string(count++) + kEnd;
      const int file =
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      if (file < 0 && errno == EEXIST) continue;
      if (file < 0 || system == kNoSystem || (locked(file) && is_at(file, path_))) {
        file_ = file;
        return file >= 0;
      }
      // Another process took it for abandoned before it was locked, or there are no locks here.
      if (errno != EWOULDBLOCK && errno != ENOENT) {
        system = kNoSystem;
        ::unlink(path_.c_str());
      }
      ::close(file);
    }
    return false;
  }

  /// Renames the file. Returns whether that was possible; else errno has the reason.
  [[gnu::cold]] bool rename(const std::string& to) {
    if (std::rename(path_.c_str(), to.c_str()) != 0) return false;
    ::close(std::exchange(file_, -1));
    return true;
  }

  /// Removes the files that killed processes of this system have left for the same target, as far
  /// as this process may.
  [[gnu::cold]] void remove_abandoned() const {
    const std::string system = running_system(), start = stem_ + system + '-';
    if (system == kNoSystem) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(folder_.c_str()), &::closedir);
    if (folder == nullptr) return;
    while (const dirent* const entry = ::readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name.starts_with(start) && name.ends_with(kEnd)) remove_if_abandoned(entry->d_name);
    }
  }

 private:
  static constexpr std::size_t kLongestStem = 200;  // file systems allow names of 255 bytes
  static constexpr int kMostNames = 10'000;
  static constexpr const char *kEnd = ".partial", *kNoSystem = "0";

  /// The beginning of the system's boot id, which is random; "0" if there is none.
  [[gnu::cold]] static std::string running_system() {
    char text[9] = {};
    const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : ::read(file, text, sizeof text - 1);
    if (file >= 0) ::close(file);
    return got == sizeof text - 1 ? text : kNoSystem;
  }
  /// Locks an open file without waiting. If another process holds the lock, errno is EWOULDBLOCK.
  [[gnu::cold]] static bool locked(int file) {
    int result = 0;
    do {
      result = ::flock(file, LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result == 0;
  }
  /// Whether the open file is still the one at the path; else errno is ENOENT.
  [[gnu::cold]] static bool is_at(int file, const std::string& path) {
    struct stat open {
    }, there{};
    const bool is = ::fstat(file, &open) == 0 && S_ISREG(open.st_mode) &&
                    ::lstat(path.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
                    open.st_ino == there.st_ino;
    if (!is) errno = ENOENT;
    return is;
  }
  /// Who holds the lock of a file may remove it: the writer renames it before giving up the lock,
  /// and others that want to remove it hold no lock.
  [[gnu::cold]] void remove_if_abandoned(const char* name) const {
    const std::string path = folder_ + name;
    constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    // Some file systems lock only what is open for writing, but a file may be read-only.
    int file = ::open(path.c_str(), O_WRONLY | kFlags);
    if (file < 0) file = ::open(path.c_str(), O_RDONLY | kFlags);
    if (file < 0) return;
    if (locked(file) && is_at(file, path)) ::unlink(path.c_str());
    ::close(file);
  }

  std::string folder_, stem_, path_;
  int file_ = -1;
};

}  // namespace amp::inline v0::detail
