// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The number formats alone: range, precision, rounding and overflow of each; the named casts
// (saturating, stochastic); and the conversion of whole arrays.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace {

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "01_formats: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

// Formats convert in constant expressions: sign, exponent, fraction.
static_assert(amp::half(1.0F).bits() == 0b0'01111'0000000000);
static_assert(amp::bfloat16(1.0F).bits() == 0b0'01111111'0000000);
static_assert(amp::float8_e4m3fn(1.0F).bits() == 0b0'0111'000);
static_assert(amp::float8_e5m2(1.0F).bits() == 0b0'01111'00);

template <class Format>
void print_row(const char* name) {
  using Limits = std::numeric_limits<Format>;
  const double largest{Limits::max()};
  const Format beyond(static_cast<float>(largest) * 2);
  std::printf("%-14s %4zu  %12.6g  %12.6g  %12.6g  2^%-4d %4g\n", name, 8 * sizeof(Format), largest,
              double{Limits::min()}, double{Limits::denorm_min()},
              std::ilogb(double{Limits::epsilon()}), double{beyond});
}

void print_table() {
  std::printf("%-14s %4s  %12s  %12s  %12s  %-6s %4s\n", "format", "bits", "largest",
              "least normal", "least", "gap", "over");
  print_row<float>("float");
  print_row<amp::half>("half");
  print_row<amp::bfloat16>("bfloat16");
  print_row<amp::float8_e4m3fn>("float8_e4m3fn");
  print_row<amp::float8_e5m2>("float8_e5m2");
  std::printf("(gap: from 1 to the next number; over: what twice the largest becomes)\n\n");
}

void show_rounding() {
  const amp::half below(2049.0F), above(2051.0F);  // halfway between the even numbers around them
  std::printf("half: 2049 is stored as %g and 2051 as %g\n", double{below}, double{above});
  expect(below == amp::half(2048) && above == amp::half(2052), "ties go to the even neighbour");

  const amp::half tiny(0x1p-26F);
  std::printf("half: 2^-26 is stored as %g, bfloat16: as %g\n", double{tiny},
              double{amp::bfloat16(0x1p-26F)});
  expect(tiny == amp::half(0) && amp::bfloat16(0x1p-26F) != amp::bfloat16(0),
         "half flushes what bfloat16 keeps");
}

void show_overflow() {
  const float large = 1000;
  const amp::float8_e4m3fn plain(large);
  const auto saturated = amp::saturate_cast<amp::float8_e4m3fn>(large);
  std::printf("float8_e4m3fn: 1000 is stored as %g, and saturated as %g\n", double{plain},
              double{saturated});
  expect(plain != plain, "e4m3fn, which has no infinity, overflows to NaN");
  expect(saturated == std::numeric_limits<amp::float8_e4m3fn>::max(), "saturation stops at 448");
  expect(std::isinf(float{amp::half(1e6F)}), "half overflows to infinity");
}

/// Adds 2^-10 to a bfloat16 weight of 1 for 1024 times. Neighbouring numbers are 2^-7 apart.
void show_stochastic_rounding() {
  std::mt19937 random(0);  // uniform on 32 bits, as stochastic_cast needs
  amp::bfloat16 nearest(1), stochastic(1);
  for (int i = 0; i < 1024; ++i) {
    nearest += amp::bfloat16(0x1p-10F);
    stochastic = amp::stochastic_cast<amp::bfloat16>(float{stochastic} + 0x1p-10F,
                                                     static_cast<std::uint32_t>(random()));
  }
  std::printf("bfloat16: 1 + 1024 x 2^-10 is %g to nearest, and %g stochastically\n",
              double{nearest}, double{stochastic});
  expect(nearest == amp::bfloat16(1), "each update is rounded away");
  expect(std::abs(float{stochastic} - 2) < 0.25F, "on average nothing is lost");
}

void show_bulk_conversion() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(100'000), back(values.size());
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  std::vector<amp::half> halves(values.size());
  amp::convert(values, halves);
  amp::convert(halves, back);

  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Below the least normal number the gap is constant, so that errors are no longer relative.
    if (std::abs(values[i]) < float{std::numeric_limits<amp::half>::min()}) continue;
    worst = std::max(worst, std::abs(double{back[i]} / double{values[i]} - 1));
  }
  std::printf("convert: %zu floats to half and back, relative error at most %.3g\n", values.size(),
              worst);
  expect(worst <= double{std::numeric_limits<amp::half>::epsilon()} / 2,
         "an error is at most half the gap");
}

}  // namespace

int main() try {
  print_table();
  show_rounding();
  show_overflow();
  show_stochastic_rounding();
  show_bulk_conversion();
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
