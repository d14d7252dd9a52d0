// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The process' random stream: a seed, and how much of its counter-based sequence is taken.
#pragma once

#include <cstdint>
#include <mutex>

#include "amp/core/globals.hpp"

namespace amp::inline v0 {

/// A place in the random stream: its seed, and the blocks of four words taken since.
struct RngState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;

  friend bool operator==(const RngState&, const RngState&) = default;
};

namespace detail {

struct AMP_EXPORT GeneratorState {
  std::mutex mutex;
  RngState next;
};

/// Takes `blocks` blocks of the stream; returns where they begin.
inline RngState reserve_random(std::int64_t blocks) {
  auto& generator = process_state<GeneratorState>();
  const std::lock_guard lock(generator.mutex);
  const RngState begin = generator.next;
  generator.next.offset += static_cast<std::uint64_t>(blocks);
  return begin;
}

}  // namespace detail

/// Where the random stream of the process is, to be returned to by set_rng_state: what follows then
/// is what followed before.
inline RngState get_rng_state() {
  auto& generator = process_state<detail::GeneratorState>();
  const std::lock_guard lock(generator.mutex);
  return generator.next;
}
inline void set_rng_state(const RngState& state) {
  auto& generator = process_state<detail::GeneratorState>();
  const std::lock_guard lock(generator.mutex);
  generator.next = state;
}

/// Restarts the random stream of the process: what follows is a function of the seed.
inline void manual_seed(std::uint64_t seed) { set_rng_state({.seed = seed}); }

}  // namespace amp::inline v0
