// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Counts what kernels read and write of device memory, every access of them
// (support/instrumented.hpp).
#pragma once

#include <cstdint>
#include <unordered_set>

namespace traffic {

/// Bytes of all launches since the last reset.
struct Bytes {
  std::int64_t asked_read = 0, asked_written = 0;  // by instructions
  // What memory has to move, in 32-byte sectors: each counts once per launch and direction, for
  // what a launch asks again its caches have.
  std::int64_t read = 0, written = 0;

  std::int64_t moved() const { return read + written; }
  std::int64_t asked() const { return asked_read + asked_written; }
};

class Meter {
 public:
  static Meter& instance();
  void reset();
  Bytes bytes();

  /// Called by the instrumented program.
  void access(const void* address, std::int64_t size, bool write);

 private:
  struct Set {
    std::unordered_set<std::uintptr_t> sectors;
  };
  void close_launch();

  bool busy_ = false;
  std::int64_t launch_ = -1;
  Bytes bytes_;
  Set read_, written_;
  const char* block_begin_ = nullptr;  // the block of device memory of the last access
  const char* block_end_ = nullptr;
};

}  // namespace traffic
