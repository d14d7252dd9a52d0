// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sum of the elements that a rank received from several ranks.
#pragma once

#include <cstdint>

#include "amp/kernels/reduce/host.hpp"

namespace amp::inline v0::cuda::detail {

/// Sets sums[i] = rows[0][i] + rows[1][i] + ..., on the current stream. The kernel adds in float64
/// and rounds once.
inline void add_rows(Device device, DType dtype, std::int64_t rows, std::int64_t length, void* data,
                     void* sums) {
  if (length == 0) return;
  const auto matrix = [&](void* memory, std::int64_t count) {
    kernels::Operand operand;
    operand.data = memory;
    operand.dtype = dtype;
    operand.device = device;
    operand.present = true;
    operand.dims = 2;
    operand.sizes[0] = count;
    operand.sizes[1] = operand.strides[0] = length;
    operand.strides[1] = 1;
    return operand;
  };
  const kernels::ReduceArgs args{matrix(data, rows), matrix(sums, 1), 1};
  kernels::sum(device, args);
}

}  // namespace amp::inline v0::cuda::detail
