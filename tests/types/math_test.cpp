// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of <cmath> and literals for the small formats, on every value of each.
#include <amp/types.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/catch.hpp"

namespace small_math {
namespace {

using amp::bfloat16;
using amp::half;

/// f(x) for every code of a format.
template <class T, class F>
void for_all(F&& f) {
  for (unsigned code = 0; code <= std::numeric_limits<typename T::bits_type>::max(); ++code)
    f(T::from_bits(static_cast<typename T::bits_type>(code)));
}

/// Equal bits, or both NaN.
template <class T>
bool same(T a, T b) {
  return a.bits() == b.bits() ||
         (amp::is_nan(static_cast<float>(a)) && amp::is_nan(static_cast<float>(b)));
}

template <class T>
bool check_all() {
  bool right = true;
  for_all<T>([&](T x) {
    const auto f = static_cast<float>(x);
    right = right && signbit(x) == std::signbit(f) && isnan(x) == std::isnan(f) &&
            isfinite(x) == std::isfinite(f) && isinf(x) == std::isinf(f);
    right = right && same(abs(x), T(std::fabs(f))) && same(fabs(x), abs(x)) &&
            same(copysign(x, T(-1.0F)), T(std::copysign(f, -1.0F))) &&
            same(copysign(x, T(1.0F)), T(std::copysign(f, 1.0F)));
    right = right && isnormal(x) == (std::isfinite(f) && !(abs(x) < std::numeric_limits<T>::min()));
    right = right && same(sqrt(x), T(std::sqrt(f))) && same(exp(x), T(std::exp(f))) &&
            same(log(x), T(std::log(f))) && same(sin(x), T(std::sin(f))) &&
            same(cos(x), T(std::cos(f))) && same(tanh(x), T(std::tanh(f))) &&
            same(floor(x), T(std::floor(f))) && same(ceil(x), T(std::ceil(f))) &&
            same(round(x), T(std::round(f))) && same(trunc(x), T(std::trunc(f)));
    const T y(0.75F), z(-2.0F);
    right = right && same(pow(x, y), T(std::pow(f, 0.75F))) &&
            same(fmin(x, y), T(std::fmin(f, 0.75F))) && same(fmax(x, y), T(std::fmax(f, 0.75F))) &&
            same(fma(x, y, z), T(std::fma(f, 0.75F, -2.0F)));
  });
  return right;
}

/// Code for any number type finds them by the argument, and float's by the using-declaration.
template <class T>
T length(T a, T b) {
  using std::abs;
  using std::isnan;
  using std::sqrt;
  return isnan(a) ? abs(b) : sqrt(a * a + b * b);
}

}  // namespace

TEST_CASE("small float: functions of <cmath> are float's, rounded") {
  CHECK(check_all<half>());
  CHECK(check_all<bfloat16>());
  CHECK(check_all<amp::float8_e4m3fn>());
  CHECK(check_all<amp::float8_e5m2>());
}

TEST_CASE("small float: generic code finds the functions") {
  CHECK(length(3.0F, 4.0F) == 5);
  CHECK(length(half(3.0F), half(4.0F)) == half(5.0F));
  CHECK(length(std::numeric_limits<half>::quiet_NaN(), half(-4.0F)) == half(4.0F));
}

TEST_CASE("small float: literals") {
  using namespace amp::literals;
  static_assert(1.5_h == half(1.5F) && 3_h == half(3.0F) && -2.5_bf == bfloat16(-2.5F));
  static_assert(0.1_h == half(0.1L) && 65536_h == std::numeric_limits<half>::infinity());
  static_assert(abs(-1.5_h) == 1.5_h && signbit(-0.0_h) && !isnan(1_bf) && isnormal(1_h));
  CHECK(16777217_bf == bfloat16(16777216.0F));
}

}  // namespace small_math
