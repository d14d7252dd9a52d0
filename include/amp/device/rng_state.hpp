// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A place in a stream of random numbers.
#pragma once

#include <cstdint>

namespace amp::inline v0 {

/// A place in the random stream: its seed, and the blocks of four words taken since.
struct RngState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;

  friend bool operator==(const RngState&, const RngState&) = default;
};

}  // namespace amp::inline v0
