// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// For programs whose sources are compiled with -fsanitize=thread, but that are linked with
// instrumented.cpp instead of that sanitizer's library: they are told of each access to memory.
#pragma once

#include <cstddef>

namespace instrumented {

struct Access {
  const volatile void* address;
  std::size_t bytes;
  bool reads, writes;
  bool atomic;
  const void* from;  // in the code
};

/// Defined by the program, in a source that is compiled without -fsanitize=thread. Called before the
/// access; may be called before main(), by any thread.
void on_access(const Access& access);

}  // namespace instrumented
