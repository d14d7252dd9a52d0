// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/transpose.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/remap/host.hpp"
#include "amp/kernels/remap/host/runs.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The elements of a register in reverse order. The lanes are spelled out for nvcc's sake.
template <class T>
AMP_ALWAYS_INLINE simd::Row<T> reversed(const simd::Row<T>& x) {
  if constexpr (sizeof(T) == 8)
    return __builtin_shufflevector(x, x, 1, 0);
  else if constexpr (sizeof(T) == 4)
    return __builtin_shufflevector(x, x, 3, 2, 1, 0);
  else if constexpr (sizeof(T) == 2)
    return __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0);
  else
    return __builtin_shufflevector(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
/// to[i] = last[-i], for i < n
template <class T>
void copy_reversed(const T* last, T* to, std::int64_t n) {
  constexpr std::int64_t kLanes = simd::kSquare<T>;
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    simd::store_row<T>(reversed<T>(simd::load_row<T>(last - i - (kLanes - 1))), to + i);
  for (; i < n; ++i) to[i] = last[-i];
}

/// Copies a run of a row, whose source begins at `from`.
template <class T>
AMP_ALWAYS_INLINE void copy_run(const Run& run, const T* from, T* to, T value) {
  const T* const source = from + run.source;
  if (run.nowhere) {
    std::fill_n(to + run.begin, run.length, value);
  } else if (run.step == 0) {
    std::fill_n(to + run.begin, run.length, *source);
  } else if (run.step == 1) {
    std::memcpy(to + run.begin, source, static_cast<std::size_t>(run.length) * sizeof(T));
  } else if (run.step == -1) {
    copy_reversed(source, to + run.begin, run.length);
  } else {
    for (std::int64_t i = 0; i < run.length; ++i) to[run.begin + i] = source[i * run.step];
  }
}

template <class T>
void remap_bits(const RemapShape& shape, const Row& row, std::int64_t rows, const T* from, T* to,
                T value) {
  // The work is shared out by runs, since there may be one long row.
  const auto runs = static_cast<std::int64_t>(row.runs.size());
  const std::int64_t grain = ceil_div(16 * kBlock * runs, row.out);
  parallel_ranges(rows * runs, grain, [&](std::int64_t begin, std::int64_t end) {
    RowPlaces place(shape, row.outer, begin / runs);
    std::int64_t first = begin % runs;
    for (std::int64_t r = begin / runs; r * runs < end; ++r, first = 0, place.next()) {
      const std::int64_t last = (std::min)(runs, end - r * runs), source = place.source();
      T* const out = to + r * row.out;
      const Run* const run = row.runs.data();
      if (source == DimMap::kNowhere) {
        const std::int64_t start = run[first].begin;
        std::fill(out + start, out + run[last - 1].begin + run[last - 1].length, value);
      } else {
        for (std::int64_t i = first; i < last; ++i) copy_run(run[i], from + source, out, value);
      }
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void remap(const RemapArgs& args) {
  const RemapShape shape(args.input, args.maps);
  const detail::Row row(shape);
  alignas(8) unsigned char value[sizeof(std::uint64_t)] = {};
  store(&args.value, value, args.output.dtype, 1);
  visit_bits(args.output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T bits;
    std::memcpy(&bits, value, sizeof bits);
    detail::remap_bits(shape, row, args.output.numel() / row.out, args.input.as<const T>(),
                       args.output.as<T>(), bits);
  });
}

namespace detail {

/// sums[i * step] += x[i]
struct AddRun {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* sums, std::int64_t step, std::int64_t n) {
    std::int64_t i = 0;
    if (step == 1) {
      constexpr std::int64_t kLanes = simd::kLanes<Isa>;
      for (; i + kLanes <= n; i += kLanes) simd::add_to(sums + i, simd::load<Isa>(x + i));
    }
    for (; i < n; ++i) sums[i * step] += x[i];
  }
};

/// Adds a row of the gradient to the sums of the row that it came from.
template <class C>
void add_row(const Row& row, const Operand& grad, std::int64_t begin, C* sums) {
  C buffer[kBlock];
  for (const Run& run : row.runs) {
    if (run.nowhere) continue;
    for (std::int64_t i = 0; i < run.length; i += kBlock) {
      const std::int64_t n = (std::min)(kBlock, run.length - i);
      const C* const x = fetch(grad, begin + run.begin + i, 1, n, buffer);
      on_rows<AddRun, C>(x, sums + run.source + i * run.step, run.step, n);
    }
  }
}

template <class C>
void remap_backward_as(const RemapBackwardArgs& args) {
  const RemapShape shape(args.grad_input, args.maps);
  const Row row(shape);
  std::int64_t rows = 1, steps[kMaxDims];  // how far apart, in rows, those of the result are
  for (int d = row.outer - 1; d >= 0; --d) {
    steps[d] = d == row.outer - 1 ? 1 : steps[d + 1] * shape.map(d + 1).out;
    rows *= shape.map(d).in;
  }
  parallel_ranges(rows, ceil_div(16 * kBlock, row.in), [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> buffer(row.in);
    for (std::int64_t r = begin; r < end; ++r) {
      std::int64_t index[kMaxDims], results = 1, rest = r;
      for (int d = row.outer - 1; d >= 0; --d) {
        index[d] = rest % shape.map(d).in;
        rest /= shape.map(d).in;
        results *= shape.map(d).count(index[d]);
      }
      C* const sums = target(args.grad_input, r * row.in, 1, row.in, buffer.data());
      std::fill_n(sums, row.in, C{0});
      for (std::int64_t k = 0; k < results; ++k) {
        std::int64_t at = 0, which = k;
        for (int d = row.outer - 1; d >= 0; --d) {
          const std::int64_t count = shape.map(d).count(index[d]);
          at += shape.map(d).result(index[d], which % count) * steps[d];
          which /= count;
        }
        add_row(row, args.grad_output, at * row.out, sums);
      }
      store(sums, args.grad_input, r * row.in, 1, row.in);
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void remap_backward(const RemapBackwardArgs& args) {
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    detail::remap_backward_as<typename decltype(tag)::type>(args);
  });
}

AMP_LAZY_DEFINITION void triangle(const TriangleArgs& args) {
  const int inner = args.output.dims - 1;
  const std::int64_t columns = args.output.sizes[inner], height = args.output.sizes[inner - 1];
  const std::int64_t item = item_size(args.output.dtype), rows = args.output.numel() / columns;
  parallel_ranges(rows, ceil_div(16 * kBlock, columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t r = row % height;
      // The columns on the one side of the border are kept, those on the other are 0.
      const std::int64_t border =
          (std::clamp)(r + args.diagonal + (args.upper ? 0 : 1), std::int64_t{0}, columns);
      const std::int64_t first = args.upper ? border : 0, last = args.upper ? columns : border;
      char* const to = args.output.as<char>() + row * columns * item;
      std::memset(to, 0, static_cast<std::size_t>(first * item));
      std::memcpy(to + first * item, args.input.as<const char>() + (row * columns + first) * item,
                  static_cast<std::size_t>((last - first) * item));
      std::memset(to + last * item, 0, static_cast<std::size_t>((columns - last) * item));
    }
  });
}

}  // namespace amp::inline v0::kernels::host
