// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What becomes of numbers that an integer dtype does not hold, by every way of converting them: on
// every device the nearest integer there is, and 0 of NaN.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace cuda_to_integer {
namespace {

using amp::DType;
using amp::Tensor;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// As many as a kernel takes at once, and one more.
const std::vector<double> kNumbers = {-1.5, 300.75, 3e10, -3e10, 1e20, -1e20, kInf, -kInf, kNaN};

template <class I>
std::vector<I> expected(bool half) {
  constexpr I kMost = std::numeric_limits<I>::max(), kLeast = std::numeric_limits<I>::min();
  const bool is_byte = kMost == 255, is_long = sizeof(I) == 8;
  const I minus_one = is_byte ? I{0} : static_cast<I>(-1);
  const I large = is_long && !half ? static_cast<I>(30'000'000'000) : kMost;
  const I low = is_long && !half ? static_cast<I>(-30'000'000'000) : kLeast;
  return {
      minus_one, is_byte ? kMost : static_cast<I>(300), large, low, kMost, kLeast, kMost, kLeast,
      I{0}};
}

template <class I>
void check(DType from, amp::Device device) {
  INFO(name(from) << " on " << to_string(device));
  const Tensor x = amp::tensor(kNumbers, {9}, {.dtype = from}).to(device);
  const std::vector<I> whole = expected<I>(from == amp::kFloat16);
  CHECK(x.to(amp::dtype_of<I>).template to_vector<I>() == whole);
  Tensor strided = amp::zeros({9, 2}, {.dtype = amp::dtype_of<I>, .device = device}).select(1, 1);
  strided.copy_(x);
  CHECK(strided.to_vector<I>() == whole);
  CHECK(x.to_vector<I>() == whole);
  for (std::int64_t i = 0; i < 9; ++i)
    CHECK(x.select(0, i).item<I>() == whole[static_cast<std::size_t>(i)]);
}

}  // namespace

TEST_CASE("to integers: beyond their range, and NaN, by to, copy_, to_vector and item", "[cuda]") {
  for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(amp::kCUDA)}) {
    for (const DType from : {amp::kFloat64, amp::kFloat16}) {
      check<std::int64_t>(from, device);
      check<std::int32_t>(from, device);
      check<std::uint8_t>(from, device);
    }
    check<std::int32_t>(amp::kFloat32, device);
    check<std::uint8_t>(amp::kFloat32, device);
  }
}

TEST_CASE("to integers: bounds, from every type of C++", "[cuda]") {
  const auto to_int = [](auto x) { return amp::convert_one<std::int32_t>(x); };
  CHECK(to_int(2147483647.0) == 2147483647);
  CHECK(to_int(2147483647.9L) == 2147483647);
  CHECK(to_int(2147483648.0F) == 2147483647);
  CHECK(to_int(-2147483648.9) == -2147483647 - 1);
  CHECK(to_int(std::nanl("")) == 0);
  CHECK(amp::convert_one<std::uint8_t>(-0.9F) == 0);
  CHECK(amp::convert_one<std::uint8_t>(255.9F) == 255);
  CHECK(static_cast<std::int64_t>(amp::bfloat16(-1e30F)) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(static_cast<int>(std::numeric_limits<amp::half>::quiet_NaN()) == 0);
  CHECK(static_cast<int>(std::numeric_limits<amp::half>::infinity()) ==
        std::numeric_limits<int>::max());
  std::vector<std::int32_t> bulk(kNumbers.size());
  amp::convert(kNumbers, bulk);
  CHECK(bulk == expected<std::int32_t>(false));
  static_assert(amp::convert_one<int>(1e30) == 2147483647);
}

}  // namespace cuda_to_integer
