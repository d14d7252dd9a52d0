// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A position in a stream of random numbers.
#pragma once

#include <cstdint>

namespace amp::inline v0 {

/// A position in the random stream: its seed, and the number of blocks of four words used so far.
struct RngState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;

  friend bool operator==(const RngState&, const RngState&) = default;
};

}  // namespace amp::inline v0
