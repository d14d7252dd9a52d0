// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that are mapped into memory.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/error.hpp"
#include "amp/core/input_file.hpp"
#include "amp/core/refcount.hpp"

namespace amp::inline v0::detail {

/// The bytes of an open file, which may be closed afterwards. A page takes memory once it is read
/// or written; a write goes to a private copy of its page, and never to the file. The file must not
/// become shorter: access to a page beyond its end raises SIGBUS.
class AMP_EXPORT FileMapping final : public RefCounted {
 public:
  /// Throws amp::Error with the system's reason. A file of 0 bytes cannot be mapped.
  [[gnu::cold]] explicit FileMapping(const InputFile& file)
      : size_(static_cast<std::size_t>(file.size())) {
    // Without MAP_NORESERVE the system refuses a file that is larger than its memory, as if all
    // pages were to be written.
    bytes_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                    file.descriptor(), 0);
    const int reason = errno;
    AMP_CHECK(bytes_ != MAP_FAILED, file.path(),
              ": cannot be mapped into memory: ", std::strerror(reason));
  }

  /// The address of the byte at `offset`. Offset 0 is aligned to a page.
  std::byte* at(std::uint64_t offset) const { return static_cast<std::byte*>(bytes_) + offset; }

 private:
  ~FileMapping() override { ::munmap(bytes_, size_); }

  std::size_t size_;
  void* bytes_;
};

}  // namespace amp::inline v0::detail
