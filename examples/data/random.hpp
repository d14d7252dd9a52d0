// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random numbers that are the same with every compiler and standard library.
#pragma once

#include <cstdint>
#include <random>

namespace examples {

/// The C++ standard defines the output of its engines, but not of its distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }

  /// Nearly normal, mean 0 and variance 1: the sum of the eight bytes of one draw. A byte has mean
  /// 127.5 and variance (256^2 - 1) / 12, so the sum has mean 1020 and deviation sqrt(43690).
  double normal() {
    const std::uint64_t draw = engine_();
    std::uint64_t sum = 0;
    for (int shift = 0; shift < 64; shift += 8) sum += (draw >> shift) & 0xFF;
    return (static_cast<double>(sum) - 1020.0) / 209.0215;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace examples
