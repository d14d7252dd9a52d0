// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every format against its definition (types/reference.hpp): all codes, all rounding boundaries,
// and some millions of numbers between them.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <type_traits>
#include <unordered_set>

#include "support/catch.hpp"
#include "types/reference.hpp"

namespace {

using amp::bfloat16;
using amp::float8_e4m3fn;
using amp::float8_e5m2;
using amp::half;
using reference::Format;
using reference::kFormat;

template <class T>
T from_code(unsigned code) {
  return T::from_bits(static_cast<typename T::bits_type>(code));
}
template <class T>
bool is_nan_code(unsigned code) {
  return std::isnan(kFormat<T>.decode(code));
}

/// What went wrong, counted; the first is shown.
struct Failures {
  std::int64_t count = 0;
  std::string first;

  template <class Input>
  void expect(unsigned got, unsigned wanted, Input input) {
    if (got == wanted || count++ != 0) return;
    std::ostringstream text;
    text << std::hexfloat << input << ": code " << std::hex << got << ", not " << wanted;
    first = text.str();
  }
};

#define CHECK_NONE(failures)      \
  do {                            \
    INFO((failures).first);       \
    CHECK((failures).count == 0); \
  } while (false)

}  // namespace

TEMPLATE_TEST_CASE("small_float: every code decodes by definition", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  Failures failures;
  for (unsigned code = 0; code < format.codes(); ++code) {
    const double wanted = format.decode(code);
    const auto value = static_cast<float>(from_code<TestType>(code));
    const bool same = std::isnan(wanted)
                          ? std::isnan(value)
                          : value == wanted && std::signbit(value) == std::signbit(wanted);
    failures.expect(same, true, code);
    const auto wide = static_cast<double>(from_code<TestType>(code));
    failures.expect(std::isnan(wanted)
                        ? std::isnan(wide)
                        : wide == wanted && std::signbit(wide) == std::signbit(wanted),
                    true, code);
    failures.expect(
        static_cast<long double>(from_code<TestType>(code)) == wanted || std::isnan(wanted), true,
        code);
  }
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: every code survives a round trip", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  Failures failures;
  for (unsigned code = 0; code < kFormat<TestType>.codes(); ++code) {
    const auto through_float = TestType(static_cast<float>(from_code<TestType>(code)));
    const auto through_double = TestType(static_cast<double>(from_code<TestType>(code)));
    if (is_nan_code<TestType>(code)) {
      failures.expect(is_nan_code<TestType>(through_float.bits()), true, code);
      failures.expect(is_nan_code<TestType>(through_double.bits()), true, code);
      failures.expect(through_float.bits() >> (sizeof(TestType) * 8 - 1),
                      code >> (sizeof(TestType) * 8 - 1), code);
    } else {
      failures.expect(through_float.bits(), code, code);
      failures.expect(through_double.bits(), code, code);
    }
  }
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: float rounds to nearest even at every boundary", "[types]", half,
                   bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  constexpr float kHuge = std::numeric_limits<float>::infinity();
  Failures failures;
  for (unsigned code = 0; code <= format.max_finite(); ++code) {
    const auto middle = static_cast<float>(format.midpoint(code));
    REQUIRE(middle == format.midpoint(code));
    const float below = std::nextafter(middle, 0.0F), above = std::nextafter(middle, kHuge);
    failures.expect(TestType(below).bits(), code, below);
    failures.expect(TestType(middle).bits(), code + code % 2, middle);
    failures.expect(TestType(above).bits(), code + 1, above);
    failures.expect(TestType(-below).bits(), code | format.sign_bit(), -below);
    failures.expect(TestType(-middle).bits(), (code + code % 2) | format.sign_bit(), -middle);
    failures.expect(TestType(-above).bits(), (code + 1) | format.sign_bit(), -above);
  }
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: double rounds once at every boundary", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  constexpr double kHuge = std::numeric_limits<double>::infinity();
  Failures failures;
  int different_through_float = 0;
  for (unsigned code = 0; code <= format.max_finite(); ++code) {
    const double middle = format.midpoint(code);
    const double below = std::nextafter(middle, 0.0), above = std::nextafter(middle, kHuge);
    failures.expect(TestType(below).bits(), code, below);
    failures.expect(TestType(middle).bits(), code + code % 2, middle);
    failures.expect(TestType(above).bits(), code + 1, above);
    failures.expect(TestType(-below).bits(), code | format.sign_bit(), -below);
    failures.expect(TestType(-above).bits(), (code + 1) | format.sign_bit(), -above);
    different_through_float += TestType(static_cast<float>(below)).bits() != code;
    different_through_float += TestType(static_cast<float>(above)).bits() != code + 1;
  }
  CHECK_NONE(failures);
  CHECK(different_through_float == static_cast<int>(format.max_finite()) + 1);
}

TEMPLATE_TEST_CASE("small_float: overflow, infinities and zeros keep their sign", "[types]", half,
                   bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  const unsigned overflow = format.overflow(), sign = format.sign_bit();
  CHECK(TestType(std::numeric_limits<float>::infinity()).bits() == overflow);
  CHECK(TestType(-std::numeric_limits<float>::infinity()).bits() == (overflow | sign));
  CHECK(TestType(std::numeric_limits<float>::max()).bits() == overflow);
  CHECK(TestType(std::numeric_limits<float>::lowest()).bits() == (overflow | sign));
  CHECK(TestType(std::numeric_limits<double>::infinity()).bits() == overflow);
  CHECK(TestType(std::numeric_limits<double>::lowest()).bits() == (overflow | sign));
  CHECK(TestType(0.0F).bits() == 0);
  CHECK(TestType(-0.0F).bits() == sign);
  CHECK(TestType(-0.0).bits() == sign);
  CHECK(TestType(std::numeric_limits<double>::denorm_min()).bits() == 0);
  CHECK(TestType(-std::numeric_limits<double>::denorm_min()).bits() == sign);
}

TEMPLATE_TEST_CASE("small_float: NaNs become quiet and keep sign and leading payload", "[types]",
                   half, bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  Failures failures;
  for (unsigned payload = 1; payload < 1u << 23; payload = payload * 5 / 3 + 1) {
    for (const unsigned sign : {0u, 1u}) {
      const auto nan = std::bit_cast<float>((sign << 31) | 0x7f80'0000u | payload);
      const std::uint64_t wide_payload = static_cast<std::uint64_t>(payload) << 29;
      const auto wide_nan = std::bit_cast<double>((static_cast<std::uint64_t>(sign) << 63) |
                                                  0x7ff0'0000'0000'0000u | wide_payload);
      unsigned wanted = format.overflow();
      if (format.infinities)
        wanted |= (payload >> (23 - format.mantissa_bits)) | 1u << (format.mantissa_bits - 1);
      wanted |= sign != 0 ? format.sign_bit() : 0u;
      failures.expect(TestType(nan).bits(), wanted, payload);
      failures.expect(TestType(wide_nan).bits(), wanted, payload);
    }
  }
  // A payload below the format's bits must not round to infinity.
  CHECK(is_nan_code<TestType>(TestType(std::bit_cast<float>(0x7f80'0001u)).bits()));
  CHECK(is_nan_code<TestType>(TestType(std::bit_cast<double>(0x7ff0'0000'0000'0001u)).bits()));
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: random floats agree with the reference", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  const reference::Rounding<TestType> rounding;
  std::mt19937 random(1);
  Failures failures;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(x)) failures.expect(TestType(x).bits(), rounding(x), x);
  }
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: structured doubles agree with the reference", "[types]", half,
                   bfloat16, float8_e4m3fn, float8_e5m2) {
  const reference::Rounding<TestType> rounding;
  std::mt19937_64 random(2);
  Failures failures;
  // All exponents around the format's range, fractions with long runs of equal bits.
  for (std::uint64_t exponent = 1023 - 160; exponent < 1023 + 140; ++exponent) {
    for (int i = 0; i < 800; ++i) {
      const std::uint64_t kept = ~std::uint64_t{0} << (random() % 53);
      std::uint64_t fraction = random();
      fraction = (i % 2 == 0 ? fraction & kept : fraction | ~kept) + random() % 3 - 1;
      const auto x = std::bit_cast<double>((random() & 1) << 63 | exponent << 52 |
                                           (fraction & 0x000f'ffff'ffff'ffffu));
      failures.expect(TestType(x).bits(), rounding(x), x);
      const auto f = static_cast<float>(x);
      failures.expect(TestType(f).bits(), rounding(f), f);
    }
  }
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: 64-bit integers round once", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "the reference is long double");
  const reference::Rounding<TestType> rounding;
  std::mt19937_64 random(3);
  Failures failures;
  const auto expect = [&](std::int64_t i) {
    failures.expect(TestType(i).bits(), rounding(static_cast<long double>(i)), i);
    const auto u = static_cast<std::uint64_t>(i);
    failures.expect(TestType(u).bits(), rounding(static_cast<long double>(u)), u);
  };
  for (std::int64_t i = -70000; i <= 70000; ++i) expect(i);
  for (const std::int64_t i : {INT64_MAX, INT64_MIN, INT64_MIN + 1}) expect(i);
  for (int i = 0; i < 50000; ++i) expect(static_cast<std::int64_t>(random() >> (random() % 64)));
  // The midpoint of two neighbours beyond 2^53, and one beside it: a double cannot tell them apart.
  for (int exponent = 54; exponent < 63; ++exponent) {
    const std::int64_t power = std::int64_t{1} << exponent;
    for (int bits = 2; bits <= 11; ++bits) {
      const std::int64_t middle = power + (power >> bits);
      for (const std::int64_t i : {middle - 1, middle, middle + 1}) expect(i), expect(-i);
    }
  }
  CHECK_NONE(failures);
}

TEMPLATE_TEST_CASE("small_float: long double rounds once", "[types]", half, bfloat16, float8_e4m3fn,
                   float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  Failures failures;
  for (unsigned code = 0; code <= format.max_finite(); ++code) {
    const long double middle = format.midpoint(code);
    const long double below = std::nextafter(middle, 0.0L),
                      above = std::nextafter(middle, 1e38L * 4);
    failures.expect(TestType(below).bits(), code, code);
    failures.expect(TestType(middle).bits(), code + code % 2, code);
    failures.expect(TestType(above).bits(), code + 1, code);
    failures.expect(TestType(-below).bits(), code | format.sign_bit(), code);
    failures.expect(TestType(-above).bits(), (code + 1) | format.sign_bit(), code);
  }
  CHECK_NONE(failures);
  CHECK(TestType(std::numeric_limits<long double>::max()).bits() == format.overflow());
  CHECK(TestType(-std::numeric_limits<long double>::infinity()).bits() ==
        (format.overflow() | format.sign_bit()));
  CHECK(TestType(-std::numeric_limits<long double>::denorm_min()).bits() == format.sign_bit());
  CHECK(is_nan_code<TestType>(TestType(std::numeric_limits<long double>::quiet_NaN()).bits()));
}

TEST_CASE("small_float: small integers, bool and negative ones convert exactly", "[types]") {
  CHECK(half(true).bits() == 0x3c00);
  CHECK(half(std::int8_t{-128}).bits() == 0xd800);
  CHECK(half(65519).bits() == 0x7bff);
  CHECK(half(65520u).bits() == 0x7c00);
  CHECK(half(std::uint64_t{0}).bits() == 0);
  CHECK(static_cast<int>(half(-3.75F)) == -3);
  CHECK(static_cast<std::int64_t>(bfloat16(0x1p40F)) == std::int64_t{1} << 40);
  CHECK(static_cast<bool>(half(0.5F)));
  CHECK_FALSE(static_cast<bool>(half(-0.0F)));
}

TEST_CASE("small_float: documented values", "[types]") {
  const auto through_half = [](double x) { return static_cast<float>(half(x)); };
  const auto through_bfloat16 = [](double x) { return static_cast<float>(bfloat16(x)); };
  CHECK(through_half(65519) == 65504);
  CHECK(std::isinf(through_half(65520)));
  CHECK(through_half(0x1p-25) == 0);
  CHECK(through_half(0x1.000002p-25) == 0x1p-24F);
  CHECK(through_half(2049) == 2048);
  CHECK(through_half(2051) == 2052);
  CHECK(through_bfloat16(257) == 256);
  CHECK(through_bfloat16(259) == 260);
  CHECK(std::isinf(through_bfloat16(3.4e38)));
  CHECK(static_cast<float>(float8_e4m3fn(448.0F)) == 448);
  CHECK(static_cast<float>(float8_e4m3fn(464.0F)) == 448);
  CHECK(std::isnan(static_cast<float>(float8_e4m3fn(464.0F + 0x1p-15F))));
  CHECK(static_cast<float>(float8_e5m2(61439.0F)) == 57344);
  CHECK(std::isinf(static_cast<float>(float8_e5m2(61440.0F))));
}

TEMPLATE_TEST_CASE("small_float: arithmetic is float's, rounded", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  std::mt19937 random(4);
  const auto same = [](TestType a, TestType b) {
    return a.bits() == b.bits() ||
           (is_nan_code<TestType>(a.bits()) && is_nan_code<TestType>(b.bits()));
  };
  for (int i = 0; i < 2000; ++i) {
    const auto a = from_code<TestType>(static_cast<unsigned>(random()));
    const auto b = from_code<TestType>(static_cast<unsigned>(random()));
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    CAPTURE(x, y);
    REQUIRE(same(a + b, TestType(x + y)));
    REQUIRE(same(a - b, TestType(x - y)));
    REQUIRE(same(a * b, TestType(x * y)));
    REQUIRE(same(a / b, TestType(x / y)));
    REQUIRE((-a).bits() == (a.bits() ^ kFormat<TestType>.sign_bit()));
    REQUIRE((+a).bits() == a.bits());
    TestType c = a;
    c += b;
    REQUIRE(same(c, a + b));
    c = a, c -= b;
    REQUIRE(same(c, a - b));
    c = a, c *= b;
    REQUIRE(same(c, a * b));
    c = a, c /= b;
    REQUIRE(same(c, a / b));
  }
}

TEMPLATE_TEST_CASE("small_float: comparisons are float's", "[types]", half, bfloat16, float8_e4m3fn,
                   float8_e5m2) {
  constexpr float kValues[] = {
      -2.0F, -1.0F, -0.0F, 0.0F, 1.0F, 1.5F, std::numeric_limits<float>::quiet_NaN()};
  for (const float x : kValues) {
    for (const float y : kValues) {
      CAPTURE(x, y);
      const TestType a(x), b(y);
      CHECK((a == b) == (x == y));
      CHECK((a != b) == (x != y));
      CHECK((a < b) == (x < y));
      CHECK((a <= b) == (x <= y));
      CHECK((a > b) == (x > y));
      CHECK((a >= b) == (x >= y));
    }
  }
}

TEMPLATE_TEST_CASE("small_float: is_finite by code", "[types]", half, bfloat16, float8_e4m3fn,
                   float8_e5m2) {
  Failures failures;
  for (unsigned code = 0; code < kFormat<TestType>.codes(); ++code) {
    failures.expect(amp::is_finite(from_code<TestType>(code)),
                    std::isfinite(kFormat<TestType>.decode(code)), code);
  }
  CHECK_NONE(failures);
}

TEST_CASE("small_float: is_finite of float and double", "[types]") {
  CHECK(amp::is_finite(std::numeric_limits<float>::max()));
  CHECK(amp::is_finite(-std::numeric_limits<float>::denorm_min()));
  CHECK_FALSE(amp::is_finite(-std::numeric_limits<float>::infinity()));
  CHECK_FALSE(amp::is_finite(std::numeric_limits<float>::quiet_NaN()));
  CHECK_FALSE(amp::is_finite(std::bit_cast<float>(0xff80'0001u)));
  CHECK(amp::is_finite(std::numeric_limits<double>::lowest()));
  CHECK_FALSE(amp::is_finite(std::numeric_limits<double>::infinity()));
  CHECK_FALSE(amp::is_finite(std::numeric_limits<double>::quiet_NaN()));
}

TEMPLATE_TEST_CASE("small_float: equal values hash equally and different ones rarely", "[types]",
                   half, bfloat16, float8_e4m3fn, float8_e5m2) {
  const std::hash<TestType> hash;
  CHECK(hash(TestType(0.0F)) == hash(TestType(-0.0F)));
  std::unordered_set<std::size_t> hashes;
  unsigned values = 0;
  for (unsigned code = 0; code < kFormat<TestType>.codes(); ++code) {
    if (is_nan_code<TestType>(code) || code == kFormat<TestType>.sign_bit()) continue;
    hashes.insert(hash(from_code<TestType>(code)));
    ++values;
  }
  CHECK(hashes.size() > values * 99 / 100);
}

TEST_CASE("small_float: prints as the float it is", "[types]") {
  std::ostringstream text;
  text << half(0.5F) << ' ' << bfloat16(-3.0F) << ' ' << float8_e5m2(1024.0F);
  CHECK(text.str() == "0.5 -3 1024");
}

TEST_CASE("small_float: one format converts to another", "[types]") {
  CHECK(bfloat16(half(65504.0F)).bits() == bfloat16(65504.0F).bits());
  CHECK(half(bfloat16(0x1p20F)).bits() == 0x7c00);
  CHECK(float8_e4m3fn(half(17.0F)).bits() == float8_e4m3fn(16.0F).bits());
}

TEST_CASE("small_float: usable in constant expressions", "[types]") {
  static_assert(half(1.0F).bits() == 0x3c00);
  static_assert(half(65520.0F).bits() == 0x7c00);
  static_assert(half(0x1p-24).bits() == 1);
  static_assert(half(std::int64_t{1} << 62).bits() == 0x7c00);
  static_assert(static_cast<float>(half::from_bits(0x3555)) == 0x1.554p-2F);
  static_assert(static_cast<float>(half::from_bits(0x8001)) == -0x1p-24F);
  static_assert(bfloat16(257.0F).bits() == 0x4380);
  static_assert(float8_e4m3fn(1e6F).bits() == 0x7f);
  static_assert(half(1.5F) + half(2.0F) == half(3.5F) && -half(1.0F) < half(0.0F));
  static_assert(amp::is_finite(half(65504.0F)) && !amp::is_finite(half(1e9F)));
  static_assert(amp::is_finite(1.0F) && amp::is_finite(1.0));
  static_assert(std::is_trivially_copyable_v<half> &&
                std::is_trivially_default_constructible_v<half>);
  static_assert(!std::is_convertible_v<float, half> && !std::is_convertible_v<half, float>);
  static_assert(amp::is_small_float<half> && !amp::is_small_float<float>);
  SUCCEED();
}
