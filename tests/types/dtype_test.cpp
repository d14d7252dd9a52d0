// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The run-time element type: sizes, names, and the promotion table of torch.
#include <amp/types.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>

#include "support/catch.hpp"

namespace {

amp::DType dtype(int i) { return static_cast<amp::DType>(i); }

}  // namespace

TEST_CASE("dtype: sizes and C++ types agree", "[types]") {
  for (int i = 0; i < amp::kDTypeCount; ++i) {
    CAPTURE(amp::name(dtype(i)));
    amp::visit_dtype(dtype(i), [&](auto tag) {
      using T = typename decltype(tag)::type;
      CHECK(amp::dtype_of<T> == dtype(i));
      CHECK(amp::item_size(dtype(i)) == static_cast<std::int64_t>(sizeof(T)));
      CHECK(amp::is_floating_point(dtype(i)) == !std::is_integral_v<T>);
    });
  }
}

TEST_CASE("dtype: names are torch's", "[types]") {
  const char* const names[] = {"float64",     "float32", "float16", "bfloat16", "float8_e4m3fn",
                               "float8_e5m2", "int64",   "int32",   "uint8",    "bool"};
  for (int i = 0; i < amp::kDTypeCount; ++i) CHECK(to_string(dtype(i)) == names[i]);
}

TEST_CASE("dtype: low precision is float16 and bfloat16", "[types]") {
  for (int i = 0; i < amp::kDTypeCount; ++i) {
    const bool low = dtype(i) == amp::kFloat16 || dtype(i) == amp::kBFloat16;
    CHECK(amp::is_low_precision(dtype(i)) == low);
  }
}

TEST_CASE("dtype: a value that is none throws", "[types]") {
  CHECK_THROWS_AS(amp::visit_dtype(static_cast<amp::DType>(77), [](auto) {}), amp::Error);
}

TEST_CASE("promote_types: symmetric, idempotent and associative with bool", "[types]") {
  for (int a = 0; a < amp::kDTypeCount; ++a) {
    CHECK(amp::promote_types(dtype(a), dtype(a)) == dtype(a));
    CHECK(amp::promote_types(dtype(a), amp::kBool) == dtype(a));
    for (int b = 0; b < amp::kDTypeCount; ++b)
      CHECK(amp::promote_types(dtype(a), dtype(b)) == amp::promote_types(dtype(b), dtype(a)));
  }
}

TEST_CASE("promote_types: torch's table", "[types]") {
  using amp::DType;
  constexpr DType kTypes[] = {amp::kUInt8,   amp::kInt32,   amp::kInt64, amp::kFloat16,
                              amp::kFloat32, amp::kFloat64, amp::kBool,  amp::kBFloat16};
  constexpr DType u1 = amp::kUInt8, i4 = amp::kInt32, i8 = amp::kInt64, f2 = amp::kFloat16,
                  f4 = amp::kFloat32, f8 = amp::kFloat64, b1 = amp::kBool, bf = amp::kBFloat16;
  constexpr DType kTable[8][8] = {
      // u1  i4  i8  f2  f4  f8  b1  bf
      {u1, i4, i8, f2, f4, f8, u1, bf},  // uint8
      {i4, i4, i8, f2, f4, f8, i4, bf},  // int32
      {i8, i8, i8, f2, f4, f8, i8, bf},  // int64
      {f2, f2, f2, f2, f4, f8, f2, f4},  // float16
      {f4, f4, f4, f4, f4, f8, f4, f4},  // float32
      {f8, f8, f8, f8, f8, f8, f8, f8},  // float64
      {u1, i4, i8, f2, f4, f8, b1, bf},  // bool
      {bf, bf, bf, f4, f4, f8, bf, bf},  // bfloat16
  };
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      CAPTURE(amp::name(kTypes[a]), amp::name(kTypes[b]));
      CHECK(amp::promote_types(kTypes[a], kTypes[b]) == kTable[a][b]);
    }
  }
}

TEST_CASE("promote_types: two small formats meet in float32", "[types]") {
  CHECK(amp::promote_types(amp::kFloat8E4M3, amp::kFloat8E5M2) == amp::kFloat32);
  CHECK(amp::promote_types(amp::kFloat8E4M3, amp::kFloat16) == amp::kFloat32);
  CHECK(amp::promote_types(amp::kFloat8E5M2, amp::kFloat64) == amp::kFloat64);
  CHECK(amp::promote_types(amp::kFloat8E5M2, amp::kInt64) == amp::kFloat8E5M2);
}
