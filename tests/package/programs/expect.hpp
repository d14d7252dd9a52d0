// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Enough of a test framework for a program that one command compiles.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}
