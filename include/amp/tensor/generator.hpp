// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The process' random stream: a seed, and how many blocks of its counter-based sequence are used.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/device.hpp"
#include "amp/device/rng_state.hpp"

namespace amp::inline v0 {

/// The position of the process' random stream. set_rng_state() returns to it, so that the same
/// numbers follow again.
RngState get_rng_state();
void set_rng_state(const RngState& state);

/// Restarts the random stream of the process: the numbers that follow are a function of the seed.
void manual_seed(std::uint64_t seed);

namespace kernels {
struct RandomRange;
}

namespace detail {

/// Takes `blocks` blocks of the stream for a tensor on `device`; returns where they begin. What a
/// graph draws is taken at each replay instead; what a call draws that is repeated, it draws again
/// (tensor/random_tape.hpp).
kernels::RandomRange reserve_random(std::int64_t blocks, Device device);
/// The same, whatever is repeated.
kernels::RandomRange take_random(std::int64_t blocks, Device device);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/generator.ipp"
#endif
