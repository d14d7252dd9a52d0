// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Copies of permuted tensors: each element where it belongs, whatever the size of the elements and
// however many are left over by the squares that are moved at once.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace transpose_in_tiles {

TEST_CASE("transpose: a dense copy has each element in its place", "[tensor]") {
  for (const amp::DType dtype : {amp::kUInt8, amp::kFloat16, amp::kInt32, amp::kInt64}) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<int, int>>{{2, 2}, {3, 70}, {8, 8}, {16, 17}, {31, 64}, {65, 130}}) {
      INFO(to_string(dtype) << " of " << rows << " x " << columns);
      const amp::Shape shape(2, rows, 3, columns);
      std::vector<int> numbers(static_cast<std::size_t>(shape.numel()));
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7 % 251);
      const amp::Tensor x = amp::tensor(numbers, shape, {.dtype = dtype});
      const std::vector<int> moved = x.transpose(1, 3).contiguous().to_vector<int>();
      std::size_t at = 0, wrong = 0;
      for (int a = 0; a < 2; ++a) {
        for (int column = 0; column < columns; ++column) {
          for (int b = 0; b < 3; ++b) {
            for (int row = 0; row < rows; ++row, ++at) {
              const int from = ((a * rows + row) * 3 + b) * columns + column;
              wrong += moved[at] == from * 7 % 251 ? 0 : 1;
            }
          }
        }
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace transpose_in_tiles
