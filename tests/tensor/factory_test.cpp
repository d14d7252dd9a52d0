// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Making tensors: dtypes, values, and what is refused.
#include <amp/amp.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

TEST_CASE("factory: float32 unless asked otherwise", "[tensor]") {
  CHECK(amp::empty({2}).dtype() == amp::kFloat32);
  CHECK(amp::zeros({2}).dtype() == amp::kFloat32);
  CHECK(amp::ones({2}).dtype() == amp::kFloat32);
  CHECK(amp::full({2}, 3).dtype() == amp::kFloat32);
  CHECK(amp::rand({2}).dtype() == amp::kFloat32);
  CHECK(amp::randn({2}).dtype() == amp::kFloat32);
  CHECK(amp::zeros({2}, {.dtype = amp::kBFloat16}).dtype() == amp::kBFloat16);
}

TEST_CASE("factory: what was asked for", "[tensor]") {
  const amp::Tensor x = amp::ones({2, 3}, {.dtype = amp::kFloat64, .requires_grad = true});
  CHECK(x.shape() == amp::Shape(2, 3));
  CHECK(x.device() == amp::Device());
  CHECK(x.requires_grad());
  CHECK(x.is_leaf());
  CHECK(x.is_contiguous());
  CHECK_FALSE(amp::ones({2}).requires_grad());
}

TEST_CASE("factory: full in every dtype", "[tensor]") {
  for (int i = 0; i < amp::kDTypeCount; ++i) {
    const auto dtype = static_cast<amp::DType>(i);
    CAPTURE(amp::name(dtype));
    const double wanted = dtype == amp::kBool ? 1 : 3;
    CHECK(amp::full({2, 2}, 3, {.dtype = dtype}).to_vector<double>() ==
          std::vector<double>(4, wanted));
    CHECK(amp::zeros({3}, {.dtype = dtype}).to_vector<double>() == std::vector<double>(3, 0.0));
    CHECK(amp::ones({1}, {.dtype = dtype}).item<double>() == 1);
  }
}

TEST_CASE("tensor: lists have torch's dtypes", "[tensor]") {
  CHECK(amp::tensor({1, 2}, {2}).dtype() == amp::kInt64);
  CHECK(amp::tensor({1u, 2u}, {2}).dtype() == amp::kInt64);
  CHECK(amp::tensor({std::int8_t{1}}, {1}).dtype() == amp::kInt64);
  CHECK(amp::tensor({1.0F, 2.0F}, {2}).dtype() == amp::kFloat32);
  CHECK(amp::tensor({1.0, 2.0}, {2}).dtype() == amp::kFloat32);
  CHECK(amp::tensor({true, false}, {2}).dtype() == amp::kBool);
  CHECK(amp::tensor({amp::half(1.0F)}, {1}).dtype() == amp::kFloat16);
  CHECK(amp::tensor({1, 2}, {2}, {.dtype = amp::kFloat16}).dtype() == amp::kFloat16);
}

TEST_CASE("tensor: ranges keep their type", "[tensor]") {
  CHECK(amp::tensor(std::vector<double>{1, 2}, {2}).dtype() == amp::kFloat64);
  CHECK(amp::tensor(std::vector<std::int32_t>{1, 2}, {2}).dtype() == amp::kInt32);
  CHECK(amp::tensor(std::array<amp::bfloat16, 2>{}, {2}).dtype() == amp::kBFloat16);
  const std::uint8_t bytes[] = {1, 2};
  CHECK(amp::tensor(std::span(bytes), {2}).dtype() == amp::kUInt8);
  CHECK(amp::tensor(std::vector<float>{1}, {1}, {.dtype = amp::kFloat16}).dtype() == amp::kFloat16);
}

TEST_CASE("tensor: values lie row-major", "[tensor]") {
  const amp::Tensor x = amp::tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(x.select(0, 1).to_vector<int>() == std::vector<int>{4, 5, 6});
  CHECK(x.const_data<std::int64_t>()[3] == 4);
}

TEST_CASE("tensor: values convert with one rounding", "[tensor]") {
  const double above_a_tie = 2049 + 0x1p-40;
  const amp::Tensor x = amp::tensor({above_a_tie}, {1}, {.dtype = amp::kFloat16});
  CHECK(x.item<float>() == 2050);
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  CHECK(amp::tensor({big}, {1}).item<std::int64_t>() == big);
}

TEST_CASE("tensor: too few or too many values throw and show the shape", "[tensor]") {
  CHECK_THAT(error_of([] {
               return amp::tensor({1, 2, 3}, {2, 2});
             }),
             ContainsSubstring("3") && ContainsSubstring("[2, 2]") && ContainsSubstring("4"));
  CHECK_THROWS_AS((void)amp::tensor(std::vector<float>{}, {1}), amp::Error);
  CHECK_THROWS_AS((void)amp::tensor({1, 2}, {}), amp::Error);
}

TEST_CASE("tensor: an empty range and a single number", "[tensor]") {
  CHECK(amp::tensor(std::vector<float>{}, {0, 3}).numel() == 0);
  CHECK(amp::tensor({7}, {}).item<int>() == 7);
}

TEST_CASE("tensor: copies its values", "[tensor]") {
  std::vector<float> values = {1, 2};
  const amp::Tensor x = amp::tensor(values, {2});
  values[0] = 9;
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("factory: gradients of integers are refused", "[tensor]") {
  CHECK_THAT(error_of([] { return amp::tensor({1}, {1}, {.requires_grad = true}); }),
             ContainsSubstring("int64[1]"));
  CHECK_THROWS_AS((void)amp::zeros({1}, {.dtype = amp::kBool, .requires_grad = true}), amp::Error);
}

TEST_CASE("factory: sizes that no memory holds throw amp::Error", "[tensor]") {
  CHECK_THROWS_AS((void)amp::empty({INT64_MAX}), amp::Error);
  CHECK_THROWS_AS((void)amp::from_blob(nullptr, {INT64_MAX}), amp::Error);
  if (kSanitized) return;  // sanitizers end the program where operator new would throw
  CHECK_THROWS_AS((void)amp::empty({std::int64_t{1} << 59}), amp::Error);
  CHECK_THROWS_AS((void)amp::empty({std::int64_t{1} << 60}), amp::Error);
  CHECK_THROWS_AS((void)amp::empty({INT64_MAX}, {.dtype = amp::kUInt8}), amp::Error);
}

TEST_CASE("arange: as in Python", "[tensor]") {
  CHECK(amp::arange(4).to_vector<int>() == std::vector<int>{0, 1, 2, 3});
  CHECK(amp::arange(2, 9, 3).to_vector<int>() == std::vector<int>{2, 5, 8});
  CHECK(amp::arange(3, 0, -1).to_vector<int>() == std::vector<int>{3, 2, 1});
  CHECK(amp::arange(0.0, 1.0, 0.25).to_vector<double>() == std::vector<double>{0, 0.25, 0.5, 0.75});
  CHECK(amp::arange(5, 5, 1).shape() == amp::Shape(0));
  CHECK(amp::arange(0).shape() == amp::Shape(0));
}

TEST_CASE("arange: int64 for integers, float32 otherwise", "[tensor]") {
  CHECK(amp::arange(3).dtype() == amp::kInt64);
  CHECK(amp::arange(3u).dtype() == amp::kInt64);
  CHECK(amp::arange(3.0).dtype() == amp::kFloat32);
  CHECK(amp::arange(3, {.dtype = amp::kFloat16}).dtype() == amp::kFloat16);
}

TEST_CASE("arange: no step, the wrong direction, no end", "[tensor]") {
  CHECK_THROWS_AS((void)amp::arange(0, 3, 0), amp::Error);
  CHECK_THAT(error_of([] { return amp::arange(0, 3, -1); }), ContainsSubstring("direction"));
  CHECK_THROWS_AS((void)amp::arange(-1), amp::Error);
  CHECK_THROWS_AS((void)amp::arange(0.0, std::numeric_limits<double>::infinity(), 1.0), amp::Error);
  CHECK_THROWS_AS((void)amp::arange(0.0, std::nan(""), 1.0), amp::Error);
  CHECK_THROWS_AS(amp::arange(1.0, 0.5, 1.0), amp::Error);  // by less than a step
  CHECK_THROWS_AS(amp::arange(0.5, 1.0, -1.0), amp::Error);
}

TEST_CASE("arange: neither counts nor values overflow", "[tensor]") {
  using I = std::int64_t;
  constexpr I kMost = std::numeric_limits<I>::max(), kLeast = std::numeric_limits<I>::min();
  constexpr int kLeastInt = std::numeric_limits<int>::min();
  const auto values = [](const amp::Tensor& x) { return x.to_vector<I>(); };
  CHECK(values(amp::arange(kLeastInt, std::numeric_limits<int>::max(), 1 << 30)) ==
        std::vector<I>{kLeastInt, -(1 << 30), 0, 1 << 30});
  CHECK(values(amp::arange(kLeast, kMost, I{1} << 62)) ==
        std::vector<I>{kLeast, -(I{1} << 62), 0, I{1} << 62});
  CHECK(values(amp::arange(kMost, kLeast, kLeast)) == std::vector<I>{kMost, -1});
  CHECK(values(amp::arange(I{0}, kMost - 1, (kMost - 1) / 3)).size() == 3);  // a double counts 4
  CHECK(values(amp::arange(std::uint64_t{5}, std::uint64_t{8})) == std::vector<I>{5, 6, 7});
}

TEST_CASE("arange: refuses what has no answer, saying why", "[tensor]") {
  using I = std::int64_t;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = HUGE_VAL;
  constexpr auto kUnsigned = std::numeric_limits<std::uint64_t>::max();
  CHECK_THAT(error_of([] { return amp::arange(0.0, 1.0, 0.0); }), ContainsSubstring("`step`"));
  CHECK_THAT(error_of([] { return amp::arange(kNaN); }), ContainsSubstring("finite"));
  CHECK_THAT(error_of([] { return amp::arange(0.0, 1.0, kInf); }), ContainsSubstring("finite"));
  CHECK_THAT(error_of([] { return amp::arange(0.0, 1.0, kNaN); }), ContainsSubstring("finite"));
  CHECK_THAT(error_of([] { return amp::arange(-1e308, 1e308); }), ContainsSubstring("memory"));
  CHECK_THAT(error_of([] { return amp::arange(0.0, 1.0, 1e-300); }), ContainsSubstring("memory"));
  CHECK_THAT(error_of([] { return amp::arange(I{1} << 62); }), ContainsSubstring("memory"));
  CHECK_THAT(error_of([] { return amp::arange(1U, 0U); }), ContainsSubstring("direction"));
  CHECK_THAT(error_of([] { return amp::arange(0, 300, {.dtype = amp::kUInt8}); }),
             ContainsSubstring("uint8") && ContainsSubstring("299"));
  CHECK_THAT(error_of([] { return amp::arange(0.0, 1e10, 1e9, {.dtype = amp::kInt32}); }),
             ContainsSubstring("int32"));
  CHECK_THAT(error_of([] { return amp::arange(kUnsigned - 1, kUnsigned); }),
             ContainsSubstring("int64"));
  CHECK(amp::arange(0, 256, {.dtype = amp::kUInt8}).numel() == 256);
}

TEST_CASE("arange: integers beyond 2^53 are exact", "[tensor]") {
  const std::int64_t start = std::int64_t{1} << 53;
  CHECK(amp::arange(start, start + 3, std::int64_t{1}).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{start, start + 1, start + 2});
}

TEST_CASE("factory: like another tensor", "[tensor]") {
  const amp::Tensor x = amp::ones({2, 3}, {.dtype = amp::kFloat16}).t();
  CHECK(amp::empty_like(x).shape() == amp::Shape(3, 2));
  CHECK(amp::empty_like(x).dtype() == amp::kFloat16);
  CHECK(amp::zeros_like(x).to_vector<float>() == std::vector<float>(6, 0.0F));
}

TEST_CASE("tensor: without a shape, the values are one dimension, and a number is none") {
  CHECK(amp::tensor({1, 2, 3}).shape() == amp::Shape(3));
  CHECK(amp::tensor({1, 2, 3}).dtype() == amp::kInt64);
  CHECK(amp::tensor({0.5, 1.5}).to_vector<float>() == std::vector<float>{0.5F, 1.5F});
  CHECK(amp::tensor(std::vector<double>{1, 2}).dtype() == amp::kFloat64);
  CHECK(amp::tensor(2.5).shape() == amp::Shape());
  CHECK(amp::tensor(2.5).item() == 2.5);
  CHECK(amp::tensor(true).dtype() == amp::kBool);
}
