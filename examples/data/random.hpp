// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random numbers that are the same with every compiler and standard library.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace examples {

/// The C++ standard defines the output of its engines, but not of its distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }

  /// Uniform among 0, 1, ..., bound - 1. The bias of the remainder, bound / 2^64, is ignored.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
  }

  /// Nearly normal, mean 0 and variance 1: the sum of the eight bytes of one draw. A byte has mean
  /// 127.5 and variance (256^2 - 1) / 12, so the sum has mean 1020 and deviation sqrt(43690).
  double normal() {
    const std::uint64_t draw = engine_();
    std::uint64_t sum = 0;
    for (int shift = 0; shift < 64; shift += 8) sum += (draw >> shift) & 0xFF;
    return (static_cast<double>(sum) - 1020.0) / 209.0215;
  }

  /// 0, 1, ..., count - 1 in random order (Fisher and Yates).
  std::vector<std::int64_t> permutation(std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t i = count - 1; i > 0; --i) {
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
    }
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace examples
