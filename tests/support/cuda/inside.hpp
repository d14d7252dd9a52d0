// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether amp or the stand-in toolkit is running, and how the stand-in stops a program whose use of
// CUDA is undefined.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "support/cuda/races.hpp"

namespace standin {

/// While one exists, its thread is inside of the toolkit: what happens there is not amp's doing.
class Inside {
 public:
  Inside() { ++depth(); }
  ~Inside() { --depth(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  static int& depth() {
    static thread_local int depth = 0;
    return depth;
  }

 private:
  races::Quiet quiet_;
};

[[noreturn]] inline void stop(const char* why) {
  std::fprintf(stderr, "stand-in CUDA: %s\n", why);
  std::abort();
}

}  // namespace standin
