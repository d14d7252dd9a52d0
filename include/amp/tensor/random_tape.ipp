// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/tensor/generator.hpp"
#include "amp/tensor/random_tape.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace detail {

inline constexpr std::string_view kOtherNumbers =
    "checkpoint: `fn` is not deterministic: it draws other random numbers in backward than in "
    "forward";

AMP_INLINE RandomScope::RandomScope(RandomTape& tape, RandomTapeUse use)
    : tape_(&tape),
      use_(use),
      outer_(std::exchange(thread_state<CurrentRandomScope>().innermost, this)) {}
AMP_INLINE RandomScope::RandomScope(RngState& stream)
    : stream_(&stream), outer_(std::exchange(thread_state<CurrentRandomScope>().innermost, this)) {}
AMP_INLINE RandomScope::~RandomScope() { thread_state<CurrentRandomScope>().innermost = outer_; }

AMP_INLINE kernels::RandomRange RandomScope::take(std::int64_t blocks, Device device) {
  if (stream_ != nullptr) {
    const RngState begin = *stream_;
    stream_->offset += static_cast<std::uint64_t>(blocks);
    return {.begin = begin};
  }
  if (use_ == RandomTapeUse::kReplay) {
    AMP_CHECK(next_ < tape_->size(), kOtherNumbers, ": a draw more than the ", tape_->size(),
              " of the forward pass");
    const RandomDraw& draw = (*tape_)[next_];
    AMP_CHECK(draw.blocks == blocks && draw.device == device, kOtherNumbers, ": draw ", next_,
              " takes ", blocks, " blocks of four on ", device, ", and took ", draw.blocks, " on ",
              draw.device, " in the forward pass");
    ++next_;
    return draw.range;
  }
  const kernels::RandomRange range =
      outer_ != nullptr ? outer_->take(blocks, device) : take_random(blocks, device);
  tape_->push_back({blocks, device, range});
  return range;
}

AMP_INLINE void RandomScope::require_all_taken() const {
  AMP_CHECK(next_ == tape_->size(), kOtherNumbers, ": ", next_, " draws, and ", tape_->size(),
            " in the forward pass");
}

}  // namespace detail

AMP_THREAD_STATE(detail::CurrentRandomScope);

}  // namespace amp::inline v0
