// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/capture.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/random/philox.hpp"
#include "amp/tensor/generator.hpp"
#include "amp/tensor/random_tape.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {

namespace detail {

struct AMP_EXPORT GeneratorState {
  RngState next;
};

/// Takes `blocks` blocks of the stream; returns where they begin.
AMP_INLINE RngState reserve_random(std::int64_t blocks) {
  auto& generator = process_state<GeneratorState>();
  const ProcessLock lock(LockOf::kGenerator);
  const RngState begin = generator.next;
  generator.next.offset += static_cast<std::uint64_t>(blocks);
  return begin;
}

AMP_INLINE kernels::RandomRange take_random(std::int64_t blocks, Device device) {
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

AMP_INLINE kernels::RandomRange reserve_random(std::int64_t blocks, Device device) {
  RandomScope* const scope = thread_state<CurrentRandomScope>().innermost;
  return scope == nullptr ? take_random(blocks, device) : scope->take(blocks, device);
}

}  // namespace detail

AMP_COLD RngState get_rng_state() {
  auto& generator = process_state<detail::GeneratorState>();
  const detail::ProcessLock lock(detail::LockOf::kGenerator);
  return generator.next;
}
AMP_COLD void set_rng_state(const RngState& state) {
  auto& generator = process_state<detail::GeneratorState>();
  const detail::ProcessLock lock(detail::LockOf::kGenerator);
  generator.next = state;
}

AMP_COLD void manual_seed(std::uint64_t seed) { set_rng_state({.seed = seed}); }

AMP_PROCESS_STATE(detail::GeneratorState);

}  // namespace amp::inline v0
