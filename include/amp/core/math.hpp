// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Integer arithmetic on sizes.
#pragma once

#include <cstdint>

#include "amp/core/error.hpp"

namespace amp::inline v0 {

/// Of any a and a positive b, without overflow.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}
constexpr std::int64_t round_up(std::int64_t a, std::int64_t multiple) {
  return ceil_div(a, multiple) * multiple;
}

/// a * b for non-negative counts; throws where the product does not fit.
inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  AMP_CHECK(!__builtin_mul_overflow(a, b, &product), "size overflow: ", a, " * ", b,
            " does not fit into 63 bits");
  return product;
}

}  // namespace amp::inline v0
