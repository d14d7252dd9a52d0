// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Two matrix products, each large enough to be felt without optimization.
#include <amp/kernels/matmul/host.hpp>

#include <cstdint>
#include <vector>

#include "expect.hpp"

namespace {

constexpr std::int64_t kSize = 256;

amp::kernels::Operand matrix(std::vector<float>& values) {
  amp::kernels::Operand operand;
  operand.data = values.data();
  operand.present = true;
  operand.dims = 3;
  operand.sizes[0] = 1;
  operand.sizes[1] = operand.sizes[2] = kSize;
  operand.strides[0] = kSize * kSize;
  operand.strides[1] = kSize;
  operand.strides[2] = 1;
  return operand;
}

}  // namespace

int main() {
  std::vector<float> ones(kSize * kSize, 1.0F), sums(ones.size());
  amp::kernels::MatmulArgs args{};
  args.a = args.b = matrix(ones);
  args.output = matrix(sums);
  for (int i = 0; i < 2; ++i) amp::kernels::host::matmul(args);
  expect(sums.back() == static_cast<float>(kSize), "a row of ones times a column of ones");
}
