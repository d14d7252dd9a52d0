// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gradients of 16 bits unscaled in place: every code of a format, in arrays of any length.
#include <amp/amp.hpp>
#include <amp/kernels/unscale/host.hpp>
#include <amp/kernels/unscale/host/scale_codes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace scale_codes {

namespace {

/// Unscales in place; whether something was found that is not finite.
template <class T>
bool unscale(std::vector<T>& values, float inverse) {
  const amp::kernels::GradientSpan span{.data = values.data(),
                                        .numel = static_cast<std::int64_t>(values.size()),
                                        .dtype = amp::dtype_of<T>};
  float found = 0;
  amp::kernels::host::unscale({.device = {},
                               .gradients = &span,
                               .count = 1,
                               .inverse_scale = &inverse,
                               .found_inf = &found,
                               .write = true});
  return found != 0;
}

template <class T>
void check_all_codes() {
  for (const float inverse : {1.0F, 1 / 65536.0F, 0.3F, 0.0F, 3.0F}) {
    std::vector<T> values;
    for (unsigned code = 0; code < 0x10000; ++code)
      values.push_back(T::from_bits(static_cast<std::uint16_t>(code)));
    std::vector<T> before = values;
    CHECK(unscale(values, inverse));
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      wrong += values[i].bits() != T(static_cast<float>(before[i]) * inverse).bits() ? 1 : 0;
    CAPTURE(amp::to_string(amp::dtype_of<T>), inverse);
    CHECK(wrong == 0);
  }
}

/// One infinity at each place of arrays around the width of vectors.
template <class T>
void check_lengths() {
  int missed = 0, wrong = 0;
  for (std::size_t n = 1; n < 40; ++n) {
    for (std::size_t at = 0; at <= n; ++at) {
      std::vector<T> values(n, T(2.0F));
      if (at < n) values[at] = -std::numeric_limits<T>::infinity();
      const bool found = unscale(values, 0.5F);
      missed += found != (at < n) ? 1 : 0;
      for (std::size_t i = 0; i < n; ++i) wrong += i != at && values[i] != T(1.0F) ? 1 : 0;
    }
  }
  CHECK(missed == 0);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("unscale: every code of 16 bits is rounded once, what is not finite is found",
          "[scaler]") {
  check_all_codes<amp::half>();
  check_all_codes<amp::bfloat16>();
  check_lengths<amp::half>();
  check_lengths<amp::bfloat16>();
}

}  // namespace scale_codes
