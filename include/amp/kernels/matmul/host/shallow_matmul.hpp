// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls whose sums have few terms, as those of a weight's gradient in a small batch: they wait
// for the output, which is written row by row. Sums are in float32.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/host/thin_matmul.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

/// Whether this file multiplies the matrices. With more terms, the engine is faster (measured).
inline bool is_shallow(const MatmulArgs& args) {
  constexpr std::int64_t kFewTerms = 6, kLongRow = 64;
  const std::int64_t k = args.a.sizes[2];
  return k > 0 && k <= kFewTerms && args.output.sizes[2] >= kLongRow &&
         args.output.strides[2] == 1 && args.a.dtype != kFloat64 && args.b.dtype != kFloat64 &&
         args.output.dtype != kFloat64;
}
/// Writes the output row by row, each from all rows of b.
AMP_LAZY inline void shallow_matmul(const MatmulArgs& args) {
  const Operand &a = args.a, &output = args.output;
  const std::int64_t batches = output.sizes[0], m = output.sizes[1], n = output.sizes[2],
                     k = a.sizes[2];
  const HostBuffer<float> memory(n + batches * k * n);
  float *const bias = memory.data(), *const rows = bias + n;
  copy({args.bias.present ? args.bias : Operand::scalar(0, output.device),
        Operand::array(bias, kFloat32, {n}, {1})});
  copy({args.b, Operand::array(rows, kFloat32, {batches, k, n}, {k * n, n, 1})});
  parallel_ranges(batches * m, ceil_div(8 * kBlock, n), [&](std::int64_t i, std::int64_t end) {
    const HostBuffer<float> factors(k), sums(n);
    for (; i < end; ++i) {
      const std::int64_t batch = i / m, row = i % m,
                         at = batch * output.strides[0] + row * output.strides[1];
      const float* const x =
          fetch(a, batch * a.strides[0] + row * a.strides[1], a.strides[2], k, factors.data());
      float* const y = target(output, at, 1, n, sums.data());
      std::copy_n(bias, n, y);
      simd::on_widest<thin::AddMultiples>(static_cast<const float*>(rows + batch * k * n), n, x, k,
                                          y, n);
      store(y, output, at, 1, n);
    }
  });
}

}  // namespace amp::inline v0::kernels::host
