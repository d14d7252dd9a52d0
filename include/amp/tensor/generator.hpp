// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The process' random stream: a seed, and how much of its counter-based sequence is taken.
#pragma once

#include <cstdint>
#include <mutex>

#include "amp/core/globals.hpp"

namespace amp::inline v0 {
namespace detail {

struct AMP_EXPORT GeneratorState {
  std::mutex mutex;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

struct RandomRange {
  std::uint64_t seed, offset;
};

/// Takes `blocks` blocks of four words of the stream.
inline RandomRange reserve_random(std::int64_t blocks) {
  auto& generator = process_state<GeneratorState>();
  const std::lock_guard lock(generator.mutex);
  const RandomRange range{generator.seed, generator.offset};
  generator.offset += static_cast<std::uint64_t>(blocks);
  return range;
}

}  // namespace detail

/// Restarts the random stream of the process: what follows is a function of the seed.
inline void manual_seed(std::uint64_t seed) {
  auto& generator = process_state<detail::GeneratorState>();
  const std::lock_guard lock(generator.mutex);
  generator.seed = seed;
  generator.offset = 0;
}

}  // namespace amp::inline v0
