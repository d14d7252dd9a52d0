// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Printing and parsing: every code survives, every decimal number rounds once.
#include <amp/types.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "types/reference.hpp"

namespace {

using amp::bfloat16;
using amp::float8_e4m3fn;
using amp::float8_e5m2;
using amp::half;
using amp::parse;
using reference::Format;
using reference::kFormat;

/// All decimal digits of a finite double.
std::string exact_text(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1100) << value;
  std::string digits = text.str();
  return digits.substr(0, digits.find_last_not_of('0') + 1);
}

}  // namespace

TEMPLATE_TEST_CASE("text: every code survives printing and reading", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  std::int64_t wrong = 0;
  unsigned first = 0;
  for (unsigned code = 0; code < kFormat<TestType>.codes(); ++code) {
    const auto value = TestType::from_bits(static_cast<typename TestType::bits_type>(code));
    std::stringstream stream;
    stream << value;
    const auto parsed = parse<TestType>(stream.str());
    TestType read = TestType(-17.0F);
    stream >> read;
    bool right = parsed && parsed->bits() == read.bits() && !stream.fail();
    right = right && (amp::is_nan(value) ? amp::is_nan(read) : read.bits() == code);
    std::ostringstream shortest;
    shortest << std::setprecision(std::numeric_limits<TestType>::max_digits10) << value;
    right = right && parse<TestType>(shortest.str())->bits() == read.bits();
    if (!right && wrong++ == 0) first = code;
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("parse: ties and what lies hundreds of digits beside them", "[types]", half,
                   bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  std::int64_t wrong = 0;
  unsigned first = 0;
  for (unsigned code = 0; code <= format.max_finite(); ++code) {
    const bool near_end = code < 40 || code + 40 > format.max_finite();
    if (sizeof(TestType) == 2 && code % 61 != 0 && !near_end) continue;
    const std::string tie = exact_text(format.midpoint(code));
    std::string below = tie;  // one in the last place less, then nines
    if (below.back() == '.') below.pop_back();
    for (auto at = below.rbegin();; ++at) {
      if (*at == '.') continue;
      if (*at != '0') {
        --*at;
        break;
      }
      *at = '9';
    }
    below += (below.find('.') == std::string::npos ? "." : "") + std::string(400, '9');
    const std::string above =
        tie + (tie.find('.') == std::string::npos ? "." : "") + std::string(400, '0') + "1";
    const bool right = parse<TestType>(below)->bits() == code &&
                       parse<TestType>(tie)->bits() == code + code % 2 &&
                       parse<TestType>(above)->bits() == code + 1 &&
                       parse<TestType>("-" + above)->bits() == ((code + 1) | format.sign_bit()) &&
                       parse<TestType>("-" + below)->bits() == (code | format.sign_bit());
    if (!right && wrong++ == 0) first = code;
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("parse: doubles written out round as the double does", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  std::mt19937_64 random(10);
  std::int64_t wrong = 0;
  double first = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t exponent = 1023 - 150 + random() % 290;
    const auto value =
        std::bit_cast<double>((random() & 1) << 63 | exponent << 52 | random() >> 12);
    std::ostringstream scientific;
    scientific << std::scientific << std::setprecision(17) << value;
    const unsigned wanted = TestType(value).bits();
    const bool right = parse<TestType>(scientific.str())->bits() == wanted &&
                       parse<TestType>(exact_text(value))->bits() == wanted;
    if (!right && wrong++ == 0) first = value;
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

TEST_CASE("parse: spellings", "[types]") {
  for (const char* one : {"1", "+1", "1.", "1.0", "01", "0001.000", "1e0", "1E+0", "10e-1", ".1e1",
                          "0.001e3", "1000e-00003"}) {
    CAPTURE(one);
    REQUIRE(parse<half>(one).has_value());
    CHECK(parse<half>(one)->bits() == 0x3c00);
  }
  CHECK(parse<half>("-0")->bits() == 0x8000);
  CHECK(parse<half>("0e999999999999999999999999")->bits() == 0);
  CHECK(parse<half>("0.000")->bits() == 0);
  CHECK(parse<half>("-inf")->bits() == 0xfc00);
  CHECK(parse<half>("Infinity")->bits() == 0x7c00);
  CHECK(amp::is_nan(*parse<half>("NaN")));
  CHECK(amp::is_nan(*parse<half>("-nan")));
  CHECK(parse<float8_e4m3fn>("inf")->bits() == 0x7f);
  CHECK(parse<half>("1e999999999999999999999999")->bits() == 0x7c00);
  CHECK(parse<half>("-1e-999999999999999999999999")->bits() == 0x8000);
  CHECK(parse<half>("0." + std::string(5000, '0') + "1e5001")->bits() == 0x3c00);
  CHECK(parse<half>("1" + std::string(5000, '0') + "e-5000")->bits() == 0x3c00);
}

TEST_CASE("parse: refuses what is no number", "[types]") {
  for (const char* text : {"", "+", "-", ".", "e5", "1e", "1e+", "1.2.3", " 1", "1 ", "1f", "0x1",
                           "in", "infi", "infinityy", "nan0", "--1", "1,5", "-.e1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse<half>(text).has_value());
  }
}

TEST_CASE("operator>>: reads as far as the number goes", "[types]") {
  std::istringstream stream("  1.5 -2e1,inf;nanx");
  half value{};
  char next = 0;
  CHECK((stream >> value && static_cast<float>(value) == 1.5F));
  CHECK((stream >> value && static_cast<float>(value) == -20));
  CHECK((stream >> next && next == ','));
  CHECK((stream >> value && value.bits() == 0x7c00));
  CHECK((stream >> next && next == ';'));
  CHECK((stream >> value && amp::is_nan(value)));
  value = half(3.0F);
  CHECK_FALSE(stream >> value);
  CHECK(static_cast<float>(value) == 3);
  std::istringstream empty("   ");
  CHECK_FALSE(empty >> value);
  CHECK(empty.eof());
  std::wistringstream wide(L"0.25 1e");
  CHECK((wide >> value && static_cast<float>(value) == 0.25F));
  CHECK_FALSE(wide >> value);
}

TEST_CASE("operator<<: follows the stream", "[types]") {
  std::ostringstream text;
  text << std::setw(7) << std::setfill('*') << half(0.5F) << std::showpos << bfloat16(3.0F)
       << std::noshowpos << std::fixed << std::setprecision(2) << ' ' << half(0.1F) << ' '
       << std::scientific << float8_e5m2(1024.0F);
  CHECK(text.str() == "****0.5+3 0.10 1.02e+03");
  std::wostringstream wide;
  wide << half(0.5F);
  CHECK(wide.str() == L"0.5");
}

TEST_CASE("parse: constant expressions", "[types]") {
  static_assert(parse<half>("6.1e-5")->bits() == half(6.1e-5).bits());
  static_assert(parse<bfloat16>("-1e-40")->bits() == bfloat16(-1e-40).bits());
  static_assert(!parse<half>("half"));
  SUCCEED();
}
