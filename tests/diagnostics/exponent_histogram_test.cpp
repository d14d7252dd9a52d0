// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The histogram of exponents: exact counts of every format, and shares that agree with rounding.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/kernels/histogram/host.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace exponent_histogram {
namespace {

using amp::DType;
using amp::ExponentHistogram;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

constexpr DType kFloats[] = {amp::kFloat64,  amp::kFloat32,    amp::kFloat16,
                             amp::kBFloat16, amp::kFloat8E4M3, amp::kFloat8E5M2};

/// By the C library, one number at a time.
ExponentHistogram expected(const std::vector<double>& values) {
  std::vector<std::int64_t> counts(ExponentHistogram::kBins);
  for (const double x : values) {
    std::size_t bin = 0;
    if (std::isnan(x)) {
      bin = amp::kernels::kNanBin;
    } else if (std::isinf(x)) {
      bin = amp::kernels::kInfinityBin;
    } else if (x == 0) {
      bin = amp::kernels::kZeroBin;
    } else {
      const int exponent = std::min(std::max(std::ilogb(x), -149), 127);
      bin = static_cast<std::size_t>(exponent + 149);
    }
    ++counts[bin];
  }
  return ExponentHistogram(counts);
}

/// All codes of a format of 16 bits or 8.
template <class T>
Tensor all_codes() {
  constexpr std::size_t kCodes = std::size_t{1} << (8 * sizeof(T));
  std::vector<T> codes;
  for (std::size_t c = 0; c < kCodes; ++c)
    codes.push_back(T::from_bits(static_cast<typename T::bits_type>(c)));
  return amp::tensor(codes, {static_cast<std::int64_t>(kCodes)});
}

TEST_CASE("exponents: crafted numbers have exact counts", "[diagnostics][histogram]") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0,   -0.0, 1,   -1,  1.5,  2,    -3.99, 4,
                                      0.5, 0.49, inf, inf, -inf, 1e-3, 1e3,   std::nan("")};
  for (const DType dtype : kFloats) {
    CAPTURE(dtype);
    const Tensor x = amp::tensor(values, {4, 4}).to(dtype);
    const ExponentHistogram h = amp::exponent_histogram(x);
    CHECK(h == expected(x.to_vector<double>()));
    CHECK(h.total() == 16);
    CHECK(h.count(0) == 3);
    CHECK(h.count(1) + h.count(2) == 3);
    CHECK(h.count(-2) == (dtype == amp::kFloat8E4M3 || dtype == amp::kFloat8E5M2 ? 0 : 1));
  }
  const ExponentHistogram h = amp::exponent_histogram(amp::tensor(values, {16}));
  CHECK(h.zeros() == 2);
  CHECK(h.infs() == 3);
  CHECK(h.nans() == 1);
  CHECK(h.nonzero() == 10);
  CHECK(h.min_exponent() == -10);
  CHECK(h.max_exponent() == 9);
  CHECK(h.count(-150) == 0);
  CHECK(h.count(128) == 0);
}

TEST_CASE("exponents: all codes of the small formats", "[diagnostics][histogram]") {
  for (const Tensor& codes : {all_codes<amp::half>(), all_codes<amp::bfloat16>(),
                              all_codes<amp::float8_e4m3fn>(), all_codes<amp::float8_e5m2>()}) {
    CAPTURE(codes.dtype());
    CHECK(amp::exponent_histogram(codes) == expected(codes.to_vector<double>()));
  }
  const ExponentHistogram half = amp::exponent_histogram(all_codes<amp::half>());
  CHECK(half.total() == 65536);
  CHECK(half.count(-24) == 2);  // the smallest subnormal number of either sign
  CHECK(half.count(-15) == 1024);
  CHECK(half.count(15) == 2048);
  CHECK(half.infs() == 2);
  CHECK(half.nans() == 2046);
}

TEST_CASE("exponents: float32 in all its range, float64 beyond it", "[diagnostics][histogram]") {
  std::vector<float> numbers;
  std::vector<double> wide;
  for (std::uint32_t high = 0; high < 1U << 16; ++high)
    numbers.push_back(std::bit_cast<float>(high << 16 | (high * 40503U & 0xffffU)));
  for (std::uint64_t high = 0; high < 1U << 16; ++high)
    wide.push_back(std::bit_cast<double>(high << 48 | (high * 2654435761U)));
  const Tensor x = amp::tensor(numbers, {65536}), y = amp::tensor(wide, {65536});
  CHECK(amp::exponent_histogram(x) == expected(x.to_vector<double>()));
  CHECK(amp::exponent_histogram(y) == expected(wide));
  CHECK(amp::exponent_histogram(y).count(-149) > 1000);
  CHECK(amp::exponent_histogram(amp::tensor({0x1p-149F, 0x1p-127F, 0x1.8p-126F}, {3})) ==
        expected({0x1p-149, 0x1p-127, 0x1p-126}));
}

TEST_CASE("exponents: any length, few and many different ones, and any strides",
          "[diagnostics][histogram]") {
  for (const DType dtype : kFloats) {
    for (const std::int64_t n : {0, 1, 31, 33, 4095, 4097, 300001}) {
      for (const double spread : {0.0, 1.0, 30.0}) {
        CAPTURE(dtype, n, spread);
        const Tensor x = (amp::randn({n}) * amp::exp(amp::randn({n}) * spread)).to(dtype);
        const ExponentHistogram h = amp::exponent_histogram(x);
        const ExponentHistogram want = expected(x.to_vector<double>());
        CHECK(h == want);
      }
    }
  }
  const Tensor x = amp::randn({60, 50});
  const Tensor part = x.narrow(1, 3, 7).t();
  CHECK(amp::exponent_histogram(part) == expected(part.to_vector<double>()));
  CHECK(amp::exponent_histogram(amp::zeros({0, 3})) == ExponentHistogram());
  CHECK(amp::exponent_histogram(amp::ones({})).count(0) == 1);
}

TEST_CASE("exponents: 400 tensors in one call, empty ones among them", "[diagnostics][histogram]") {
  amp::NamedTensors tensors;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t n = i % 7 == 0 ? 0 : 1 + i * i % 517;
    tensors.emplace_back(std::to_string(i), (amp::randn({n}) * 1e-4).to(kFloats[i % 6]));
  }
  const auto all = amp::diagnostics::exponent_histograms("test", tensors);
  REQUIRE(all.size() == 400);
  for (std::size_t i = 0; i < 400; ++i) {
    CAPTURE(i);
    CHECK(all[i] == expected(tensors[i].second.to_vector<double>()));
  }
  CHECK(amp::diagnostics::exponent_histograms("test", {}).empty());
}

TEST_CASE("exponents: the kernel adds to what is there", "[diagnostics][histogram]") {
  const Tensor x = amp::full({100}, 3);
  const amp::kernels::HistogramSpan span{x.raw_data(), 100, x.dtype()};
  std::vector<std::int64_t> counts(ExponentHistogram::kBins, 5);
  amp::kernels::host::exponent_histogram({{}, &span, 1, counts.data()});
  CHECK(ExponentHistogram(counts).count(1) == 105);
  CHECK(ExponentHistogram(counts).count(2) == 5);
}

TEST_CASE("exponents: shares agree with rounding to the format", "[diagnostics][histogram]") {
  const std::vector<double> values =
      (amp::randn({20000}) * amp::exp(amp::randn({20000}) * 8)).to_vector<double>();
  const ExponentHistogram h = expected(values);
  for (const double scale : {1.0, 0x1p-9, 0x1p16, 0x1p30}) {
    double lost = 0, small = 0, beyond = 0, all = 0;
    for (const double x : values) {
      if (x == 0) continue;
      const double product = std::abs(x * scale);
      const auto rounded = static_cast<double>(amp::half(product));
      ++all;
      // The rule of the bins: 65520 to 2^16 and 2^-25 itself are not seen.
      if (rounded == 0 && product != 0x1p-25) ++lost;
      if (rounded != 0 && product < 0x1p-14) ++small;
      if (std::isinf(rounded) && product >= 65536) ++beyond;
    }
    CAPTURE(scale);
    CHECK(h.flushed_share(scale) == Approx(lost / all).margin(1e-12));
    CHECK(h.subnormal_share(scale) == Approx(small / all).margin(1e-12));
    CHECK(h.overflow_share(scale) == Approx(beyond / all).margin(1e-12));
  }
}

TEST_CASE("exponents: the limits of each format, and scales between powers of two",
          "[diagnostics][histogram]") {
  std::vector<double> powers;
  for (int e = -149; e <= 127; ++e) powers.push_back(std::ldexp(1.5, e));
  const ExponentHistogram h = expected(powers);  // one in each bin
  const auto count = [](double share) { return std::lround(share * 277); };
  CHECK(count(h.flushed_share()) == 149 - 25);
  CHECK(count(h.subnormal_share()) == 11);
  CHECK(count(h.overflow_share()) == 127 - 15);
  CHECK(count(h.flushed_share(1, amp::kBFloat16)) == 149 - 134);
  CHECK(count(h.flushed_share(1, amp::kFloat32)) == 0);
  CHECK(count(h.flushed_share(1, amp::kFloat64)) == 0);
  CHECK(count(h.overflow_share(1, amp::kFloat32)) == 0);
  CHECK(count(h.flushed_share(1, amp::kFloat8E4M3)) == 149 - 10);
  CHECK(count(h.flushed_share(1, amp::kFloat8E5M2)) == 149 - 17);
  CHECK(count(h.overflow_share(1, amp::kFloat8E4M3)) == 127 - 8);
  CHECK(count(h.flushed_share(4)) == 149 - 27);
  CHECK(count(h.flushed_share(3)) == 149 - 27);   // the bin that the limit cuts counts as kept
  CHECK(count(h.overflow_share(3)) == 127 - 14);  // here, too
  CHECK(count(h.share_below(-149)) == 0);
  CHECK(count(h.share_below(-148)) == 1);
  CHECK(count(h.share_below(1000)) == 277);
  CHECK(ExponentHistogram().flushed_share() == 0);
  CHECK(expected({0, 0}).share_below(0) == 0);
}

TEST_CASE("exponents: histograms add up and are shifted", "[diagnostics][histogram]") {
  const ExponentHistogram a = expected({1, 2, 0}), b = expected({2, 1e-30, std::nan("")});
  const ExponentHistogram sum = a + b;
  CHECK(sum == expected({1, 2, 0, 2, 1e-30, std::nan("")}));
  CHECK(sum.shifted(3) == expected({8, 16, 0, 16, 8e-30, std::nan("")}));
  CHECK(sum.shifted(3).shifted(-3) == sum);
  CHECK(a.shifted(std::numeric_limits<int>::max()).count(127) == 2);
  CHECK(a.shifted(std::numeric_limits<int>::min()).count(-149) == 2);
  CHECK(ExponentHistogram(sum.counts()) == sum);
}

TEST_CASE("exponents: the recommended scale keeps the largest finite, its double would not",
          "[diagnostics][histogram]") {
  for (const DType format : {amp::kFloat16, amp::kFloat8E4M3, amp::kFloat8E5M2}) {
    for (const int exponent : {-60, -20, -3, 0, 7}) {
      CAPTURE(format, exponent);
      const float largest = std::ldexp(0x1.fffffep0F, exponent);  // the end of its bin
      const ExponentHistogram h = amp::exponent_histogram(amp::full({3}, largest));
      const amp::ScaleRecommendation advice = h.recommended_scale(format);
      const auto finite = [&](double scale) {
        const Tensor x = amp::full({}, largest * scale * 8, {.dtype = amp::kFloat64}).to(format);
        return std::isfinite(x.item<double>());
      };
      CHECK(finite(advice.scale));
      CHECK_FALSE(finite(2 * advice.scale));
      CHECK(advice.flushed_share == h.flushed_share(advice.scale, format));
    }
  }
  const amp::ScaleRecommendation advice =
      expected({0x1p-4, 0x1p-40, 0, HUGE_VAL}).recommended_scale();
  CHECK(advice.scale == 0x1p15);
  CHECK(advice.flushed_share == 0);
  CHECK_THAT(advice.reason, ContainsSubstring("below 2^-3: times 2^15, and a headroom of 8, they "
                                              "stay finite in float16. 0.00 %") &&
                                ContainsSubstring("50.00 % without a scale"));
  CHECK(expected({0x1p-4}).recommended_scale(amp::kFloat16, 1).scale == 0x1p18);
  CHECK(expected({0x1p-4}).recommended_scale(amp::kFloat16, 5).scale == 0x1p15);
  CHECK(expected({0x1p-149}).recommended_scale().scale == 0x1p126);
  CHECK(expected({0x1p120}).recommended_scale().scale == 0x1p-64);
  CHECK(expected({0}).recommended_scale().scale == 1);
  CHECK_THAT(ExponentHistogram().recommended_scale().reason, ContainsSubstring("no finite value"));
}

TEST_CASE("exponents: what cannot be counted is refused", "[diagnostics][histogram]") {
  using amp_test::error_of;
  CHECK_THAT(error_of([] { return amp::exponent_histogram(Tensor()); }),
             ContainsSubstring("exponent_histogram: tensor \"tensor\" is undefined"));
  for (const DType dtype : {amp::kInt64, amp::kInt32, amp::kUInt8, amp::kBool}) {
    CHECK_THAT(error_of([&] { return amp::exponent_histogram(amp::ones({2}, {.dtype = dtype})); }),
               ContainsSubstring("must be of a floating-point dtype"));
    CHECK_THAT(error_of([&] { return ExponentHistogram().flushed_share(1, dtype); }),
               ContainsSubstring("flushed_share: `format` must be a floating-point dtype"));
  }
  for (const double scale : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    const ExponentHistogram h;
    CHECK_THAT(error_of([&] { return h.flushed_share(scale); }), ContainsSubstring("above 0"));
    CHECK_THAT(error_of([&] { return h.subnormal_share(scale); }), ContainsSubstring("above 0"));
    CHECK_THAT(error_of([&] { return h.overflow_share(scale); }), ContainsSubstring("above 0"));
    CHECK_THAT(error_of([&] { return h.recommended_scale(amp::kFloat16, scale); }),
               ContainsSubstring("`headroom` must be finite and at least 1"));
  }
  CHECK_THAT(error_of([] { return ExponentHistogram(std::vector<std::int64_t>(3)); }),
             ContainsSubstring("expected 280 counts, but got 3"));
  std::vector<std::int64_t> counts(ExponentHistogram::kBins);
  counts[7] = -1;
  CHECK_THAT(error_of([&] { return ExponentHistogram(counts); }),
             ContainsSubstring("counts[7] is -1"));
}

}  // namespace
}  // namespace exponent_histogram
