// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The initial numbers of every implementation, computed by a formula, so that all have the same.
#pragma once

#include <cstdint>
#include <vector>

namespace cpu_benchmark {

/// Returns a pseudo-random number of 32 bits.
inline std::uint32_t mixed(std::uint32_t x) {
  constexpr std::uint32_t kFactor = 0x1E3779B1;
  x = (x ^ (x >> 16)) * kFactor;
  x = (x ^ (x >> 15)) * kFactor;
  return x ^ (x >> 16);
}

/// Returns numbers in [-bound, bound).
inline std::vector<float> numbers_in(std::int64_t count, std::uint32_t seed, float bound = 1) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint32_t i = mixed(seed);
  for (float& value : values) value = (static_cast<float>(mixed(i++) >> 8) * 0x1p-23F - 1) * bound;
  return values;
}

/// Returns whole numbers in [0, limit).
inline std::vector<std::int64_t> classes_in(std::int64_t count, std::uint32_t seed,
                                            std::uint32_t limit) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::uint32_t i = mixed(seed);
  for (std::int64_t& value : values) value = (mixed(i++) >> 8) % limit;
  return values;
}

/// Returns the indices of the elements of a large result that are compared.
inline std::vector<std::int64_t> some_of(std::int64_t count) {
  std::vector<std::int64_t> indices;
  for (std::uint32_t i = 0; i < 64; ++i) indices.push_back(mixed(i) % count);
  return indices;
}

}  // namespace cpu_benchmark
