// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The random numbers of one call, to be drawn again: the tape notes in order where each draw of the
// call began, and gives these places in that order when the call is repeated. The repetition
// changes neither the process' stream nor that of another thread. A scope may also have a stream of
// its own, for work whose random numbers must not depend on what other threads draw.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/device/device.hpp"
#include "amp/device/rng_state.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0::detail {

struct RandomDraw {
  std::int64_t blocks;
  Device device;
  kernels::RandomRange range;
};
using RandomTape = PoolVector<RandomDraw>;

enum class RandomTapeUse { kRecord, kReplay };

/// For its lifetime, the draws of this thread are noted on `tape`, or taken from it. Scopes nest. A
/// recording scope draws through the scope around it, which notes the draw too or takes it from its
/// own tape; a replaying scope takes its draws from its tape alone, and one with a stream of its own
/// from that.
class AMP_EXPORT RandomScope {
 public:
  [[nodiscard]] RandomScope(RandomTape& tape, RandomTapeUse use);
  /// Draws go on from `stream`, which must outlive the scope.
  [[nodiscard]] explicit RandomScope(RngState& stream);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

  /// Throws if the draw differs from the one on the tape.
  kernels::RandomRange take(std::int64_t blocks, Device device);
  /// Throws if the tape has more.
  void require_all_taken() const;

 private:
  RandomTape* tape_ = nullptr;
  RandomTapeUse use_ = RandomTapeUse::kRecord;
  RngState* stream_ = nullptr;  // of a scope without a tape
  std::size_t next_ = 0;
  RandomScope* outer_;
};

struct AMP_EXPORT CurrentRandomScope {
  RandomScope* innermost = nullptr;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/tensor/random_tape.ipp"
#endif
