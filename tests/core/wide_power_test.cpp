// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Powers of floats as doubles on each instruction set, against those of C.
#include <amp/core/simd/on_widest.hpp>
#include <amp/core/simd/power.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/instruction_sets.hpp"

namespace wide_power_test {
namespace {

namespace simd = amp::simd;

struct Powers {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, double* y, std::int64_t n, double e) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>)
      simd::store(simd::wide_power(simd::load<Isa>(x + i), e), y + i);
  }
};

bool is_close(double y, double exact) {
  if (std::isnan(exact)) return std::isnan(y);
  if (exact < 0x1p-1021) return y >= 0 && y <= 0x1p-1020;
  return y == exact || std::abs(y - exact) <= 1e-9 * exact;
}

TEST_CASE("powers of floats as doubles", "[simd]") {
  std::vector<float> x{0.0F, 1.0F, std::numeric_limits<float>::infinity()};
  for (std::uint32_t bits = 1; bits < 0x7fc0'0000; bits += 300'007)
    x.push_back(std::bit_cast<float>(bits));
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  while (x.size() % 16 != 0) x.push_back(0.5F);
  std::vector<double> y(x.size());
  for (const auto set : instruction_sets()) {
    for (const double e : {3.0, 2.5, 0.5, 0.001, 7.9, 30.0, -0.5, -1.0, -3.0, -30.0}) {
      const float* const from = x.data();
      double* const to = y.data();
      simd::on_set<Powers>(set, from, to, static_cast<std::int64_t>(x.size()), e);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        wrong += !is_close(y[i], std::pow(static_cast<double>(x[i]), e));
      INFO("set " << static_cast<int>(set) << ", exponent " << e);
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace wide_power_test
