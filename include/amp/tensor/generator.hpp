// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The process' random stream: a seed, and how much of its counter-based sequence is taken.
#pragma once

#include <cstdint>
#include <utility>

#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/rng_state.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0 {

namespace detail {

struct AMP_EXPORT GeneratorState {
  RngState next;
};

/// Takes `blocks` blocks of the stream; returns where they begin.
inline RngState reserve_random(std::int64_t blocks) {
  auto& generator = process_state<GeneratorState>();
  const ProcessLock lock(LockOf::kGenerator);
  const RngState begin = generator.next;
  generator.next.offset += static_cast<std::uint64_t>(blocks);
  return begin;
}

/// The same for a tensor on `device`. What a graph draws is taken at each replay instead.
inline kernels::RandomRange reserve_random(std::int64_t blocks, Device device) {
  Capture* const recording = current_recording();
  if (recording == nullptr || device.type == kCPU) return {.begin = reserve_random(blocks)};
  if (blocks != 0 && recording->random_blocks == 0)
    recording->before_replay([recording, device] {
      kernels::backend(device.type)
          ->store_rng_state(device, recording->random_base,
                            reserve_random(recording->random_blocks));
    });
  const std::int64_t before =
      std::exchange(recording->random_blocks, recording->random_blocks + blocks);
  return {.begin = {.offset = static_cast<std::uint64_t>(before)}, .base = recording->random_base};
}

}  // namespace detail

/// Where the random stream of the process is, to be returned to by set_rng_state: what follows then
/// is what followed before.
inline RngState get_rng_state() {
  auto& generator = process_state<detail::GeneratorState>();
  const detail::ProcessLock lock(detail::LockOf::kGenerator);
  return generator.next;
}
inline void set_rng_state(const RngState& state) {
  auto& generator = process_state<detail::GeneratorState>();
  const detail::ProcessLock lock(detail::LockOf::kGenerator);
  generator.next = state;
}

/// Restarts the random stream of the process: what follows is a function of the seed.
inline void manual_seed(std::uint64_t seed) { set_rng_state({.seed = seed}); }

}  // namespace amp::inline v0
