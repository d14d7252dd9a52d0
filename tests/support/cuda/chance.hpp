// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What CUDA leaves open, the stand-in decides by a seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace standin {

/// Numbers that are a function of the seed. With seed 0, nothing is left to chance.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : seed_(seed), state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t seed() const { return seed_; }

  /// From 0 to n - 1 (SplitMix64); 1 with seed 0.
  std::uint64_t draw(std::uint64_t n) {
    if (seed_ == 0) return 1;
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % n;
  }
  /// Sets `order` to the numbers from 0 to n - 1: forwards, backwards or mixed.
  void order(std::vector<unsigned>& order, unsigned n) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0u);
    if (seed_ == 0) return;
    const std::uint64_t kind = draw(3);
    if (kind == 1) std::reverse(order.begin(), order.end());
    for (unsigned i = n; kind == 2 && i > 1; --i) std::swap(order[i - 1], order[draw(i)]);
  }

 private:
  std::uint64_t seed_, state_;
};

}  // namespace standin
