// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random numbers on the host: the same with every compiler, standard library and number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/device/rng_state.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0::data {

/// A stream of random numbers of its own. It is cheap to make, so that each example of a data set
/// has one. Only one thread at a time may use it.
class Generator {
 public:
  /// Begins at a place that the process' stream determines: amp::manual_seed() repeats it. Within
  /// a DataLoader, the stream of the example takes the place of that of the process.
  Generator();
  /// The numbers are a function of the seed.
  explicit Generator(std::uint64_t seed) : next_{.seed = seed} {}
  /// Those of one of 2^64 streams for each of 2^64 epochs of this seed.
  Generator(std::uint64_t seed, std::uint64_t epoch, std::uint64_t stream);

  /// 32 random bits.
  std::uint32_t bits() {
    if (used_ == 4) refill();
    return block_.word[used_++];
  }
  /// Uniform in [low, high), of 2^53 values.
  double uniform(double low = 0, double high = 1);
  /// Uniform among the integers low, ..., high - 1. Throws amp::Error if there are none.
  std::int64_t randint(std::int64_t low, std::int64_t high);
  /// Normal.
  double normal(double mean = 0, double deviation = 1);
  /// True with probability p.
  bool bernoulli(double p = 0.5) { return uniform() < p; }
  /// Beta-distributed, for positive parameters: X / (X + Y) of two gamma-distributed numbers.
  double beta(double a, double b);
  /// 0, ..., count - 1 in random order.
  std::vector<std::int64_t> permutation(std::int64_t count);

  /// The next block of four words. What draws from it, such as amp::rand in a transform, moves it.
  RngState& state() { return next_; }

 private:
  void refill();
  double gamma(double shape);

  RngState next_;
  kernels::PhiloxBlock block_{};
  unsigned used_ = 4;  // words of the block
};

}  // namespace amp::inline v0::data

#if AMP_HEADER_ONLY
#include "amp/data/generator.ipp"
#endif
