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

/// The random numbers of a graph: each replay takes as many blocks as the recording did, and tells
/// the kernels where they begin.
class AMP_EXPORT GraphRandom final : public Replayable {
 public:
  GraphRandom(Capture& call, Device device)
      : device_(device),
        begin_(static_cast<RngState*>(call.memory(
            device, sizeof(RngState), "draws random numbers, which its warm-ups did not do"))) {}

  kernels::RandomRange take(std::int64_t blocks) {
    const auto before = static_cast<std::uint64_t>(std::exchange(blocks_, blocks_ + blocks));
    return {.begin = {.offset = before}, .base = begin_};
  }
  void before_replay() override {
    if (blocks_ == 0) return;
    kernels::backend(device_.type)->store_rng_state(device_, begin_, reserve_random(blocks_));
  }

 private:
  Device device_;
  RngState* begin_;  // on the device
  std::int64_t blocks_ = 0;
};

AMP_INLINE kernels::RandomRange take_random(std::int64_t blocks, Device device) {
  Capture* const call = device.type == kCPU ? nullptr : Capture::current();
  if (call == nullptr) [[likely]]
    return {.begin = reserve_random(blocks)};
  GraphRandom& random = call->single<GraphRandom>(*call, device);
  return call->is_recording() ? random.take(blocks)
                              : kernels::RandomRange{.begin = reserve_random(blocks)};
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
