// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Weights as parameter and auxiliary state, bit by bit, and weights rounded at random.
#include <amp/amp.hpp>
#include <amp/core/simd/on_widest.hpp>
#include <amp/kernels/optim/host/stochastic.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/instruction_sets.hpp"

namespace split_weight {
namespace {

namespace k = amp::kernels;
using amp::bfloat16;
using amp::half;

float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
bfloat16 parameter_of(k::SplitWeight parts) { return bfloat16::from_bits(parts.parameter); }

}  // namespace

TEST_CASE("remainder: every float comes back bit for bit, beside the nearest bfloat16",
          "[values]") {
  std::size_t wrong = 0, far = 0, nans = 0;
  for (std::uint64_t code = 0; code < (std::uint64_t{1} << 32);
       code += (code & 0x7fff) < 2 || (code & 0x7fff) > 0x7ffd ? 1 : 37) {
    const float weight = from_bits(static_cast<std::uint32_t>(code));
    const k::SplitWeight parts = k::split_remainder(weight);
    const float joined = k::join_remainder(parts);
    if (std::isnan(weight)) {
      ++nans;
      wrong += !std::isnan(joined) || !amp::is_nan(parameter_of(parts));
      continue;
    }
    wrong += bits_of(joined) != code;
    // Halfway cases go away from zero instead of to even.
    const bool tie = (code & 0xffff) == 0x8000;
    far += !tie && parameter_of(parts).bits() != bfloat16(weight).bits();
    far += tie && std::fabs(static_cast<float>(parameter_of(parts))) < std::fabs(weight);
  }
  CHECK(wrong == 0);
  CHECK(far == 0);
  CHECK(nans > 1000);
}

TEST_CASE("remainder: NaN of any bits stays NaN, infinities stay, what overflows comes back") {
  for (const std::uint32_t bits :
       {0x7fffffffU, 0xffffffffU, 0x7f800001U, 0x7fc00000U, 0x7fff8000U}) {
    const k::SplitWeight parts = k::split_remainder(from_bits(bits));
    CHECK(amp::is_nan(parameter_of(parts)));
    CHECK(std::isnan(k::join_remainder(parts)));
  }
  for (const float weight : {HUGE_VALF, -HUGE_VALF, std::numeric_limits<float>::max(), -0.0F}) {
    const k::SplitWeight parts = k::split_remainder(weight);
    CHECK(bits_of(k::join_remainder(parts)) == bits_of(weight));
  }
  const k::SplitWeight largest = k::split_remainder(std::numeric_limits<float>::max());
  CHECK(!amp::is_finite(parameter_of(largest)));
}

TEST_CASE("kahan: parameter and compensation keep 16 bits of significand") {
  double worst = 0;
  for (std::uint32_t code = 0x20000000; code < 0x7f000000; code += 9973) {
    const float weight = from_bits(code);
    const k::SplitWeight parts = k::split_kahan(weight);
    CHECK(parameter_of(parts).bits() == bfloat16(weight).bits());
    worst = std::fmax(worst, std::fabs(k::join_kahan(parts) - weight) / std::fabs(weight));
    if (worst > 0x1p-16) break;
  }
  CHECK(worst > 0x1p-18);
  CHECK(worst <= 0x1p-16);
}

TEST_CASE("kahan: what is not finite has no compensation, which would make it NaN") {
  for (const float weight : {HUGE_VALF, -HUGE_VALF, std::numeric_limits<float>::max()}) {
    const k::SplitWeight parts = k::split_kahan(weight);
    CHECK(parts.aux_state == 0);
    CHECK(std::isinf(k::join_kahan(parts)));
  }
  CHECK(std::isnan(k::join_kahan(k::split_kahan(from_bits(0x7fffffffU)))));
}

TEMPLATE_TEST_CASE("stochastic: the mean of many draws is the number", "", half, bfloat16) {
  constexpr int kDraws = 40000;
  for (const double value : {1.001, -1.001, 0.3, 1e-3, -777.7, 3.1e-5, 1e-6, 2e-7, -3.3e-8}) {
    const auto weight = static_cast<float>(value);
    double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < kDraws; ++i) {
      std::uint32_t word[1];
      k::RoundingBits::of(9, 3, i, k::RoundingBits::kWeights).get(i % 61, word);
      const double drawn = static_cast<double>(k::round_stochastically<TestType>(weight, word[0]));
      sum += drawn;
      low = std::fmin(low, drawn);
      high = std::fmax(high, drawn);
    }
    INFO(value);
    CHECK(low <= static_cast<double>(weight));
    CHECK(high >= static_cast<double>(weight));
    const double gap = high - low, share = (static_cast<double>(weight) - low) / gap;
    REQUIRE(gap > 0);
    // Each draw is low or high: the deviation of the mean is that of a coin.
    const double sigma = gap * std::sqrt(share * (1 - share) / kDraws);
    CHECK(std::fabs(sum / kDraws - static_cast<double>(weight)) < 5 * sigma);
    // Neighbours: nothing between.
    const auto below = TestType(static_cast<float>(low)),
               above = TestType(static_cast<float>(high));
    CHECK(std::abs(static_cast<int>(below.bits() & 0x7fff) -
                   static_cast<int>(above.bits() & 0x7fff)) == 1);
  }
}

TEST_CASE("stochastic: subnormals of bfloat16 are rounded without bias") {
  const float unit = from_bits(0x00010000);  // the smallest bfloat16
  const float weight = from_bits(0x00014000);
  int ups = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    std::uint32_t word[1];
    k::RoundingBits::of(1, 0, i, k::RoundingBits::kWeights).get(0, word);
    const auto drawn = k::round_stochastically<bfloat16>(weight, word[0]);
    REQUIRE((drawn.bits() == 1 || drawn.bits() == 2));
    ups += drawn.bits() == 2;
  }
  CHECK(unit > 0);
  CHECK(std::fabs(ups - 0.25 * kDraws) < 5 * std::sqrt(kDraws * 0.25 * 0.75));
}

TEMPLATE_TEST_CASE("stochastic: infinite only where the nearest is", "", half, bfloat16) {
  const auto largest = TestType::from_bits(TestType::kMaxFinite);
  const auto top = static_cast<double>(largest);
  const double gap = top - static_cast<double>(TestType::from_bits(TestType::kMaxFinite - 1));
  for (const std::uint32_t random : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    for (const double sign : {1.0, -1.0}) {
      const auto drawn = [&](double w) {
        return static_cast<float>(
            k::round_stochastically<TestType>(static_cast<float>(sign * w), random));
      };
      CHECK(drawn(top) == static_cast<float>(sign * top));
      CHECK(drawn(top + 0.49 * gap) == static_cast<float>(sign * top));
      CHECK(std::isinf(drawn(top + 0.5 * gap)));
      CHECK(std::isinf(drawn(HUGE_VAL)));
    }
    CHECK(amp::is_nan(k::round_stochastically<TestType>(from_bits(0x7fffffffU), random)));
  }
}

TEST_CASE("stochastic: words are those of element, parameter, step, seed and array alone") {
  const auto word = [](std::uint64_t seed, std::uint32_t number, std::int64_t applied,
                       k::RoundingBits::Array array, std::int64_t i) {
    std::uint32_t one[1];
    k::RoundingBits::of(seed, number, applied, array).get(i, one);
    return one[0];
  };
  using enum k::RoundingBits::Array;
  std::set<std::uint32_t> seen;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::uint32_t number = 0; number < 5; ++number) {
      for (std::int64_t applied = 0; applied < 7; ++applied) {
        for (const auto array : {kWeights, kState}) {
          for (std::int64_t i = 0; i < 9; ++i, ++drawn)
            seen.insert(word(seed, number, applied, array, i));
        }
      }
    }
  }
  CHECK(seen.size() == drawn);  // 1890 of 2^32: two alike are one chance in 2400
  std::uint32_t eight[8];
  k::RoundingBits::of(2, 4, 6, kState).get(16, eight);
  for (int l = 0; l < 8; ++l) CHECK(eight[l] == word(2, 4, 6, kState, 16 + l));
  CHECK(k::philox(3, 4).word[0] == k::philox(3, 4, 0).word[0]);
  CHECK(k::philox(3, 4).word[0] != k::philox(3, 4, 1).word[0]);
}

TEST_CASE("round_stochastically: vectors give what single numbers give", "[optim]") {
  std::vector<float> values;
  for (const std::uint32_t bits :
       {0x0000'0000U, 0x0000'0001U, 0x0000'ffffU, 0x007f'ffffU, 0x0080'0000U, 0x3f80'0001U,
        0x3f80'ffffU, 0x7f7f'0000U, 0x7f7f'7fffU, 0x7f7f'8000U, 0x7f7f'ffffU, 0x7f80'0000U,
        0x7f80'0001U, 0x7fc1'2345U, 0x7fff'ffffU}) {
    values.push_back(from_bits(bits));
    values.push_back(from_bits(bits | 0x8000'0000U));
  }
  for (int i = 0; i < 40; ++i) values.push_back(std::ldexp(static_cast<float>(i) - 19.7F, i - 20));
  const auto n = static_cast<std::int64_t>(values.size());  // 70
  for (const std::uint32_t random : {0U, 0xffffU, 0x1'0000U, 0x8000'0000U, 0xffff'ffffU}) {
    const std::vector<std::uint32_t> words(values.size(), random);
    for (const auto set : instruction_sets()) {
      std::vector<bfloat16> drawn(values.size());
      amp::simd::on_set<k::host::detail::StochasticBFloat16>(set, values.data(), words.data(),
                                                             drawn.data(), n);
      for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(values[i], random, static_cast<int>(set));
        CHECK(drawn[i].bits() == k::round_stochastically<bfloat16>(values[i], random).bits());
      }
    }
  }
}

}  // namespace split_weight
