// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The random numbers of one call, to be had again: where each of its draws began is noted in their
// order, and handed out in that order when the call is repeated. Neither the process' stream nor
// another thread sees the repetition.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/device/device.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0::detail {

struct RandomDraw {
  std::int64_t blocks;
  Device device;
  kernels::RandomRange range;
};
using RandomTape = PoolVector<RandomDraw>;

enum class RandomTapeUse { kRecord, kReplay };

/// Until its end, what this thread draws is noted on `tape`, or taken from it. Scopes nest. What is
/// noted inside of another scope is drawn there, so that it is noted by both, or taken from the
/// other's tape; what is taken from a tape reaches no other scope.
class AMP_EXPORT RandomScope {
 public:
  [[nodiscard]] RandomScope(RandomTape& tape, RandomTapeUse use);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

  /// Throws if the tape says that the call drew otherwise before.
  kernels::RandomRange take(std::int64_t blocks, Device device);
  /// Throws if the tape has more.
  void require_all_taken() const;

 private:
  RandomTape& tape_;
  RandomTapeUse use_;
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
