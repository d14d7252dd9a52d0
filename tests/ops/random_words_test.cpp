// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random bits and dropout in vectors, on all instruction sets: the bits of philox() and of the
// formula for one element.
#include <amp/core/simd/on_widest.hpp>
#include <amp/kernels/random/host/loops.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/instruction_sets.hpp"

namespace {

namespace k = amp::kernels;
namespace detail = amp::kernels::host::detail;
namespace simd = amp::simd;

constexpr std::int64_t kBlocks = 3 * simd::kMostLanes;

std::vector<std::uint32_t> words_of(amp::detail::InstructionSet set, std::uint64_t seed,
                                    std::uint64_t counter, std::uint64_t branch = 0) {
  std::vector<std::uint32_t> words(4 * kBlocks);
  simd::on_set<detail::WordsOfBlocks>(set, seed, counter, branch, words.data(),
                                      std::int64_t{kBlocks});
  return words;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& x) {
  std::vector<std::uint32_t> bits;
  for (const float v : x) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

}  // namespace

TEST_CASE("random bits: vectors of them are those of philox()", "[ops]") {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  for (const auto set : instruction_sets()) {
    for (const std::uint64_t seed :
         {std::uint64_t{0}, std::uint64_t{0x1234'5678'9abc'def0}, kAll}) {
      // Counters that carry into the upper word, and that wrap.
      for (const std::uint64_t counter :
           {std::uint64_t{0}, std::uint64_t{0xffff'fff5}, kAll - 20}) {
        for (const std::uint64_t branch : {std::uint64_t{0}, std::uint64_t{5} << 32 | 3, kAll}) {
          CAPTURE(static_cast<int>(set), seed, counter, branch);
          std::vector<std::uint32_t> wanted;
          for (std::uint64_t n = 0; n < kBlocks; ++n) {
            for (const std::uint32_t word : k::philox(seed, counter + n, branch).word)
              wanted.push_back(word);
          }
          CHECK(words_of(set, seed, counter, branch) == wanted);
        }
      }
    }
  }
}

TEST_CASE("dropout: vectors give what the formula gives, for any length", "[ops]") {
  std::vector<float> x, residual;
  for (int i = 0; i < 70; ++i) {
    x.push_back(static_cast<float>(i) * 0.37F - 9);
    residual.push_back(1 / (static_cast<float>(i) + 3));
  }
  for (const auto set : instruction_sets()) {
    const std::vector<std::uint32_t> words = words_of(set, 11, 3);
    for (const double p : {0.0, 0.3, 1.0}) {
      for (const bool adds : {false, true}) {
        k::DropoutArgs args{};
        args.p = p;
        args.residual.present = adds;
        const k::Dropout<float> dropout(args);
        for (const std::int64_t n : {1, 3, 4, 15, 16, 17, 33, 70}) {
          CAPTURE(static_cast<int>(set), p, adds, n);
          std::vector<float> y(x.size(), 7.0F), wanted(x.size(), 7.0F);
          for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            wanted[i] = dropout(words[i], x[i], adds ? residual[i] : 0.0F);
          simd::on_set<detail::DropoutOfFloats>(
              set, dropout, words.data(), static_cast<const float*>(x.data()),
              static_cast<const float*>(adds ? residual.data() : nullptr), y.data(), n);
          CHECK(bits_of(y) == bits_of(wanted));
        }
      }
    }
  }
}
