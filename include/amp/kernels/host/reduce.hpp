// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums. Partial sums are kept in double (integers modulo 2^64), so that a 16-bit sum
// is rounded once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/kernels/host/loop.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Eight lanes: a fixed order that the compiler can vectorise.
template <class Sum, class C>
Sum sum_block(const C* values, std::int64_t n) {
  Sum lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += static_cast<Sum>(values[i + l]);
  }
  for (; i < n; ++i) lanes[i % 8] += static_cast<Sum>(values[i]);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

template <class C>
void sum(const ReduceArgs& args) {
  using Sum = std::conditional_t<std::is_same_v<C, std::int64_t>, std::uint64_t, double>;  // wraps
  const std::int64_t outputs = args.output.numel();
  if (outputs == 0) return;
  // The output as the loop sees it: dense sums, stride 0 along what is reduced.
  Operand sums = args.output;
  std::int64_t stride = 1;
  for (int d = sums.dims - 1; d >= 0; --d) {
    sums.strides[d] = sums.sizes[d] == 1 ? 0 : stride;
    stride *= sums.sizes[d];
  }
  const auto loop = Loop<2>::over(args.input, {&args.input, &sums});
  const std::int64_t blocks = args.input.numel() == 0 ? 0 : loop.blocks();
  const auto accumulate = [&](std::int64_t begin, std::int64_t end, Sum* out) {
    loop.run(begin, end, [&](const std::int64_t* at, std::int64_t n) {
      C buffer[kBlock];
      const C* const x = fetch(args.input, at[0], loop.inner_stride(0), n, buffer);
      if (loop.inner_stride(1) == 0) {
        out[at[1]] += sum_block<Sum>(x, n);
      } else {
        for (std::int64_t i = 0; i < n; ++i)
          out[at[1] + i * loop.inner_stride(1)] += static_cast<Sum>(x[i]);
      }
    });
  };
  // Parts of fixed size, each with its own sums, added in order: the result does not depend on the
  // number of threads.
  const std::int64_t rows_per_block = (std::max)(
      std::int64_t{1},
      (std::int64_t{1} << 16) / (std::min)(kBlock, (std::max)(loop.inner_size(), std::int64_t{1})));
  const std::int64_t part =
      (std::max)(rows_per_block, ceil_div(blocks * outputs, std::int64_t{1} << 22));
  const std::int64_t parts = (std::max)(std::int64_t{1}, ceil_div(blocks, part));
  const HostBuffer<Sum> partial(parts * outputs);
  parallel_for(parts, [&](std::int64_t p) {
    std::fill_n(partial.data() + p * outputs, outputs, Sum{0});
    accumulate(p * part, (std::min)(blocks, (p + 1) * part), partial.data() + p * outputs);
  });
  for (std::int64_t p = 1; p < parts; ++p) {
    for (std::int64_t i = 0; i < outputs; ++i) partial[i] += partial[p * outputs + i];
  }
  if constexpr (std::is_same_v<Sum, double>) {  // integers have no mean
    for (std::int64_t i = 0; i < outputs; ++i) partial[i] *= args.scale;
  }
  using Stored = std::conditional_t<std::is_same_v<Sum, double>, double, std::int64_t>;
  store(reinterpret_cast<const Stored*>(partial.data()), args.output, 0, 1, outputs);
}

}  // namespace detail

/// The output is contiguous.
inline void sum(const ReduceArgs& args) {
  visit_compute_type(args.input.dtype,
                     [&](auto tag) { detail::sum<typename decltype(tag)::type>(args); });
}

}  // namespace amp::inline v0::kernels::host
