// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/reduce/args.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/kernels/reduce/host/accumulate.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Sums a block; floats until the lanes are added.
struct ShortSumOfFloats {
  template <class Isa>
  AMP_ALWAYS_INLINE static double run(const float* x, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    simd::Vec<float, Isa> a = 0, b = 0, c = 0, d = 0;
    std::int64_t i = 0;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      a += simd::load<Isa>(x + i);
      b += simd::load<Isa>(x + i + kLanes);
      c += simd::load<Isa>(x + i + 2 * kLanes);
      d += simd::load<Isa>(x + i + 3 * kLanes);
    }
    double total = simd::sum_of(simd::to_double(a) + simd::to_double(b) + simd::to_double(c) +
                                simd::to_double(d));
    for (; i < n; ++i) total += static_cast<double>(x[i]);
    return total;
  }
};
/// to[i] += x[i]
struct AddFloats {
  template <class Isa, class To>
  AMP_ALWAYS_INLINE static void run(const float* x, To* to, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      if constexpr (std::is_same_v<To, float>)
        simd::store(simd::load<Isa>(to + i) + simd::load<Isa>(x + i), to + i);
      else
        simd::add_to(to + i, simd::load_doubles<Isa>(x + i));
    }
    for (; i < n; ++i) to[i] += static_cast<To>(x[i]);
  }
};

/// sums[i] += values[i]; the sums are `stride` apart.
template <class Sum, class C>
void add_block(const C* values, Sum* sums, std::int64_t stride, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    if (stride == 1) return simd::on_widest<AddFloats>(values, sums, n);
  }
  for (std::int64_t i = 0; i < n; ++i) sums[i * stride] += static_cast<Sum>(values[i]);
}

/// Returns the sum of a block of an array of `dtype`.
template <class Sum, class C>
Sum sum_block_of(DType dtype, const C* values, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    if (dtype != kFloat32) {
      const double sum = simd::on_widest<ShortSumOfFloats>(values, n);
      if (is_finite(sum)) return sum;  // else computed again in double
    }
  }
  return sum_block<Sum>(values, n);
}

/// sums[c] = the sum of column c of dense rows. Short rows are joined into wider ones, whose
/// columns are added at the end.
AMP_LAZY void sum_columns(const Operand& input, std::int64_t rows, std::int64_t columns,
                          double* sums) {
  const std::int64_t together = (std::max)(std::int64_t{1}, kBlock / columns);
  const std::int64_t width = together * columns, lines = rows / together;
  const std::int64_t block = (std::min)(width, kBlock), blocks = ceil_div(width, block);
  const std::int64_t in_float = input.dtype == kFloat32 ? 1 : 8;
  // Uses parts of fixed size, each with its own sums, added in order: the result does not depend on
  // the number of threads.
  const std::int64_t part = (std::max)(ceil_div(lines, 32), (std::int64_t{1} << 16) / block);
  const std::int64_t parts = ceil_div(lines, part);
  const HostBuffer<double> partial(parts * width);
  parallel_for(parts * blocks, [&](std::int64_t task) {
    const std::int64_t p = task / blocks, from = task % blocks * block;
    const std::int64_t n = (std::min)(block, width - from), end = (std::min)(lines, (p + 1) * part);
    double* const to = partial.data() + p * width + from;
    const auto add_lines = [&](std::int64_t together_in_float) {
      float buffer[kBlock], some[kBlock];
      std::fill_n(to, n, 0.0);
      for (std::int64_t line = p * part; line < end; line += together_in_float) {
        const float* x = fetch(input, line * width + from, 1, n, some);
        const std::int64_t until = (std::min)(end, line + together_in_float);
        for (std::int64_t next = line + 1; next < until; ++next) {
          const float* const more = fetch(input, next * width + from, 1, n, buffer);
          simd::on_widest<AddFloats>(more, some, n);
        }
        add_block(x, to, 1, n);
      }
    };
    add_lines(in_float);
    const auto is_lost = [](double sum) { return !is_finite(sum); };
    if (in_float > 1 && std::any_of(to, to + n, is_lost)) add_lines(1);  // double has more room
  });
  std::fill_n(sums, columns, 0.0);
  for (std::int64_t i = 0; i < parts * width; i += columns) {
    for (std::int64_t c = 0; c < columns; ++c) sums[c] += partial[i + c];
  }
  for (std::int64_t row = lines * together; row < rows; ++row) {  // too few for a wide row
    float buffer[kBlock];
    const float* const x = fetch(input, row * columns, 1, columns, buffer);
    add_block(x, sums, 1, columns);
  }
}

/// Adds a block of elements to the sums from `sums` on, which are `sums_stride` apart.
template <class C, class Sum>
void add_elements(const Operand& input, std::int64_t at, std::int64_t stride, std::int64_t n,
                  Sum* sums, std::int64_t sums_stride) {
  C buffer[kBlock];
  const C* const x = fetch(input, at, stride, n, buffer);
  if (sums_stride == 0) {
    *sums += sum_block_of<Sum>(input.dtype, x, n);
  } else {
    add_block(x, sums, sums_stride, n);
  }
}
template <class Sum>
using AddElements = void(const Operand& input, std::int64_t at, std::int64_t stride, std::int64_t n,
                         Sum* sums, std::int64_t sums_stride);

template <class Sum>
void sum_any(const Loop<2>& loop, const Operand& input, std::int64_t outputs, Sum* sums,
             AddElements<Sum>* add) {
  accumulate(
      loop, input, outputs, sums, [] { return Sum{0}; },
      [&](std::int64_t at, std::int64_t stride, std::int64_t n, std::int64_t, Sum* to,
          std::int64_t to_stride) { add(input, at, stride, n, to, to_stride); },
      [](Sum& sum, Sum partial) { sum += partial; });
}

}  // namespace detail

AMP_LAZY_DEFINITION void sum(const ReduceArgs& args) {
  const std::int64_t outputs = args.output.numel();
  if (outputs == 0) return;
  const auto loop = detail::loop_of_reduction(args.input, args.output);
  if (!is_floating_point(args.input.dtype)) {  // modulo 2^64; integers have no mean
    const HostBuffer<std::uint64_t> sums(outputs);
    detail::sum_any(loop, args.input, outputs, sums.data(),
                    detail::add_elements<std::int64_t, std::uint64_t>);
    store(reinterpret_cast<const std::int64_t*>(sums.data()), args.output, 0, 1, outputs);
    return;
  }
  const bool columns = loop.dims == 2 && loop.inner_stride(0) == 1 && loop.inner_stride(1) == 1 &&
                       loop.strides[0][0] == loop.inner_size() && loop.strides[1][0] == 0;
  const HostBuffer<double> sums(outputs);
  if (args.input.dtype == kFloat64) {
    detail::sum_any(loop, args.input, outputs, sums.data(), detail::add_elements<double, double>);
  } else if (columns) {
    detail::sum_columns(args.input, loop.sizes[0], outputs, sums.data());
  } else {
    detail::sum_any(loop, args.input, outputs, sums.data(), detail::add_elements<float, double>);
  }
  for (std::int64_t i = 0; i < outputs; ++i) sums[i] *= args.scale;
  store(sums.data(), args.output, 0, 1, outputs);
}

}  // namespace amp::inline v0::kernels::host
