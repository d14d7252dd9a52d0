// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Copies and fills of any length, which are done in whole registers as far as these go: each
// element is written, and none beside.
#include <amp/amp.hpp>

#include <vector>

#include "support/catch.hpp"

namespace copies {
namespace {

using amp::Tensor;

const std::vector<amp::DType> kSizes = {amp::kUInt8, amp::kFloat16, amp::kFloat32, amp::kInt64};
const std::vector<int> kLengths = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 200, 1100};

int number(int i) { return (i * 7 + 1) % 251; }

Tensor numbers(const amp::Shape& shape, amp::DType dtype) {
  std::vector<int> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = number(static_cast<int>(i));
  return amp::tensor(values, shape, {.dtype = dtype});
}

}  // namespace

TEST_CASE("copy: rows of any length", "[tensor]") {
  for (const amp::DType dtype : kSizes) {
    for (const int length : kLengths) {
      INFO(to_string(dtype) << ", " << length << " elements in a row");
      const Tensor x = numbers({2, 5, 3, length}, dtype);
      const Tensor to = amp::full({2, 3, 5, length + 2}, 252, {.dtype = dtype});
      to.narrow(3, 1, length).copy_(x.transpose(1, 2));
      const std::vector<int> moved = to.to_vector<int>();
      std::size_t at = 0, wrong = 0;
      for (int row = 0; row < 30; ++row) {
        const int a = row / 15, b = row / 5 % 3, c = row % 5;
        for (int i = -1; i <= length; ++i, ++at) {
          const bool inside = i >= 0 && i < length;
          const int expected = inside ? number(((a * 5 + c) * 3 + b) * length + i) : 252;
          wrong += moved[at] == expected ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("copy: rows longer than a piece", "[tensor]") {
  constexpr int kLength = 40000;
  const Tensor x = numbers({2, kLength}, amp::kFloat16);
  const Tensor part = x.narrow(1, 1, kLength - 2).contiguous();
  const std::vector<int> moved = part.to_vector<int>();
  std::size_t at = 0, wrong = 0;
  for (int row = 0; row < 2; ++row) {
    for (int i = 1; i < kLength - 1; ++i, ++at)
      wrong += moved[at] == number(row * kLength + i) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(x.clone().to_vector<int>() == x.to_vector<int>());
}

TEST_CASE("copy: conversions of rows longer than a piece, of any strides", "[tensor]") {
  constexpr int kLength = 40001;
  std::vector<int> expected;
  for (int i = 0; i < 2 * kLength; ++i) expected.push_back(number(i));
  const std::vector<int> first(expected.begin(), expected.begin() + kLength);
  const std::vector<amp::DType> dtypes = {amp::kUInt8, amp::kFloat16, amp::kBFloat16, amp::kFloat32,
                                          amp::kInt64};
  for (const amp::DType from : dtypes) {
    for (const amp::DType to : dtypes) {
      INFO(to_string(from) << " to " << to_string(to));
      const Tensor x = numbers({2, kLength}, from), row = x.select(0, 0);
      const Tensor wide = numbers({kLength, 2}, to), column = wide.select(1, 1);
      CHECK(x.to(to).to_vector<int>() == expected);
      column.copy_(row);
      CHECK(column.to_vector<int>() == first);
      CHECK(numbers({1}, from).expand({kLength}).to(to).to_vector<int>() ==
            std::vector<int>(first.size(), number(0)));
      CHECK(wide.select(1, 1).to(from).to_vector<int>() == first);
      row.copy_(numbers({1}, to).expand({kLength}));
      CHECK(row.to_vector<int>() == std::vector<int>(first.size(), number(0)));
    }
  }
}

TEST_CASE("copy: one element for all", "[tensor]") {
  for (const amp::DType dtype : kSizes) {
    for (const int length : kLengths) {
      INFO(to_string(dtype) << ", " << length << " elements");
      const Tensor to = amp::full({length + 2}, 252, {.dtype = dtype});
      to.narrow(0, 1, length).copy_(numbers({1}, dtype).expand({length}));
      std::vector<int> expected(static_cast<std::size_t>(length) + 2, number(0));
      expected.front() = expected.back() = 252;
      CHECK(to.to_vector<int>() == expected);
      to.narrow(0, 1, length).fill_(9);
      for (int& value : expected) value = value == 252 ? 252 : 9;
      CHECK(to.to_vector<int>() == expected);
    }
  }
}

TEST_CASE("fill: of a view with gaps", "[tensor]") {
  const Tensor x = numbers({3, 2000}, amp::kFloat16);
  x.select(1, 1).fill_(9);
  x.narrow(1, 100, 1500).fill_(8);
  const std::vector<int> values = x.to_vector<int>();
  std::size_t wrong = 0;
  for (int i = 0; i < 6000; ++i) {
    const int column = i % 2000;
    const bool filled = column >= 100 && column < 1600;
    wrong += values[static_cast<std::size_t>(i)] == (column == 1 ? 9
                                                     : filled    ? 8
                                                                 : number(i))
                 ? 0
                 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace copies
