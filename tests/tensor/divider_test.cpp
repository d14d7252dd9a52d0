// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include <amp/kernels/traversal/divider.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace divider {
namespace {

TEST_CASE("divider: quotients and remainders are those of division", "[kernels]") {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> numbers = {0, 1, 2, 3, 5, 7, 9, 10, 641, 65535, 65537, 6700417};
  for (int bit = 1; bit < 62; ++bit) {
    for (const std::int64_t near : {-2, -1, 0, 1, 2})
      numbers.push_back((std::int64_t{1} << bit) + near);
  }
  for (int i = 0; i < 200; ++i)
    numbers.push_back(static_cast<std::int64_t>(random() >> (1 + random() % 63)));
  std::int64_t wrong = 0;
  for (const std::int64_t d : numbers) {
    if (d < 1) continue;
    const amp::kernels::Divider divider(d);
    for (const std::int64_t n : numbers) {
      if (n < 0) continue;
      std::int64_t quotient = n;
      const std::int64_t remainder = divider.take_remainder(quotient);
      wrong += quotient != n / d || remainder != n % d || divider.quotient(n) != n / d;
    }
    // Where the quotient steps, as far as numbers are quick.
    for (int i = 0; i < 100; ++i) {
      const auto multiple = static_cast<std::int64_t>(random() % (1u << 31)) / d * d;
      for (const std::int64_t n : {multiple - 1, multiple, multiple + 1})
        wrong += n >= 0 && divider.quotient(n) != n / d;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace divider
