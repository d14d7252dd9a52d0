// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/data/generator.hpp"
#include "amp/device/device.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0::data {

namespace detail {

AMP_INLINE std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace detail

AMP_INLINE Generator::Generator() {
  const kernels::PhiloxBlock block = amp::detail::reserve_random(1, kCPU).block(0);
  next_.seed = detail::joined(block.word[0], block.word[1]);
}

AMP_INLINE Generator::Generator(std::uint64_t seed, std::uint64_t epoch, std::uint64_t stream) {
  const kernels::PhiloxBlock block = kernels::philox(seed, epoch, stream);
  next_.seed = detail::joined(block.word[0], block.word[1]);
}

AMP_INLINE void Generator::refill() {
  block_ = kernels::philox(next_.seed, next_.offset++);
  used_ = 0;
}

AMP_INLINE double Generator::uniform(double low, double high) {
  const std::uint64_t word = detail::joined(bits(), bits()) >> 11;
  return low + (high - low) * (static_cast<double>(word) * 0x1p-53);
}

AMP_INLINE std::int64_t Generator::randint(std::int64_t low, std::int64_t high) {
  AMP_CHECK(low < high, "Generator::randint: there is no integer from ", low, " to below ", high);
  const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  // Numbers below 2^64 modulo `count` would make the first remainders more frequent.
  const std::uint64_t refused = (0 - count) % count;
  std::uint64_t word = 0;
  do {
    word = detail::joined(bits(), bits());
  } while (word < refused);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + word % count);
}

AMP_INLINE double Generator::normal(double mean, double deviation) {
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));  // Box and Muller
  return mean + deviation * radius * std::cos(2 * 3.14159265358979323846 * uniform());
}

AMP_INLINE double Generator::gamma(double shape) {
  if (shape < 1)  // G(shape) = G(shape + 1) U^(1 / shape)
    return gamma(shape + 1) * std::pow(1 - uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);  // Marsaglia and Tsang, 2000
  for (;;) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log1p(-uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

AMP_INLINE double Generator::beta(double a, double b) {
  AMP_CHECK(a > 0 && b > 0, "Generator::beta: the parameters must be positive, but are ", a,
            " and ", b);
  const double x = gamma(a), y = gamma(b);
  if (x + y > 0) return x / (x + y);
  return bernoulli(a / (a + b)) ? 1 : 0;  // both underflow: nearly all weight is at the ends
}

AMP_INLINE std::vector<std::int64_t> Generator::permutation(std::int64_t count) {
  AMP_CHECK(count >= 0, "Generator::permutation: `count` is ", count);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = count - 1; i > 0; --i)  // Fisher and Yates
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(randint(0, i + 1))]);
  return order;
}

}  // namespace amp::inline v0::data
