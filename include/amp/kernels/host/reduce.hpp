// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums. Partial sums are kept in double (integers modulo 2^64), so that a 16-bit sum
// is rounded once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/kernels/host/lanes.hpp"
#include "amp/kernels/host/loop.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Floats in vectors: their sum, and to[i] += x[i].
struct SumOfFloats {
  template <class Isa>
  AMP_ALWAYS_INLINE static double run(const float* x, std::int64_t n) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    typename Isa::F v;
    lanes::Sum<Isa> even, odd;
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      lanes::load(v, x + i);
      even.add(v, kLanes);
      lanes::load(v, x + i + kLanes);
      odd.add(v, kLanes);
    }
    even.add(odd.low, odd.high);
    double total = even.total();
    for (; i < n; ++i) total += static_cast<double>(x[i]);
    return total;
  }
};
struct AddFloats {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, double* to, std::int64_t n) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      typename Isa::F v;
      typename Isa::D low, high;
      lanes::load(v, x + i);
      lanes::widen<Isa>(v, low, high);
      lanes::add_to<Isa>(to + i, low, high);
    }
    for (; i < n; ++i) to[i] += static_cast<double>(x[i]);
  }
};

/// Eight lanes: a fixed order that the compiler can vectorise.
template <class Sum, class C>
Sum sum_block(const C* values, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) return lanes::OnWidest<SumOfFloats>::run(values, n);
  Sum lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += static_cast<Sum>(values[i + l]);
  }
  for (; i < n; ++i) lanes[i % 8] += static_cast<Sum>(values[i]);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/// sums[i] += values[i], the sums `stride` apart.
template <class Sum, class C>
void add_block(const C* values, Sum* sums, std::int64_t stride, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    if (stride == 1) return lanes::OnWidest<AddFloats>::run(values, sums, n);
  }
  for (std::int64_t i = 0; i < n; ++i) sums[i * stride] += static_cast<Sum>(values[i]);
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
        add_block(x, out + at[1], loop.inner_stride(1), n);
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
