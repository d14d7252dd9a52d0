// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/kernels/extremum/args.hpp"
#include "amp/kernels/extremum/formula.hpp"
#include "amp/kernels/extremum/host.hpp"
#include "amp/kernels/traversal/host/lines.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Returns the position of the best element of the line that begins at `start`, in the order of
/// `elements`.
template <bool Largest, class C>
std::int64_t best_of_line(const Operand& input, const Loop<1>& elements, std::int64_t start,
                          void* buffer) {
  const std::int64_t stride = elements.inner_stride(0);
  Running<Largest, C> best;
  std::int64_t taken = 0;
  elements.run(0, elements.blocks(), [&](const std::int64_t* offsets, std::int64_t n) {
    const C* const x = fetch(input, start + offsets[0], stride, n, static_cast<C*>(buffer));
    Running<Largest, C> so_far = best;  // in registers
    for (std::int64_t i = 0; i < n; ++i) {
      if (so_far.takes(x[i])) so_far.at = taken + i;
    }
    best = so_far;
    taken += n;
  });
  return place_of_best(best.at, 0);
}
/// Lines whose elements lie side by side, which are searched together.
inline constexpr std::int64_t kLinesTogether = 256;

/// The same of n lines that begin from `start` on.
template <bool Largest, class C>
void best_of_lines(const Operand& input, const Loop<1>& elements, std::int64_t start,
                   std::int64_t n, std::int64_t* places, void* buffer) {
  if (n == 1) {
    *places = best_of_line<Largest, C>(input, elements, start, buffer);
    return;
  }
  Running<Largest, C> best[kLinesTogether];
  std::int64_t taken = 0;
  elements.run(0, elements.blocks(), [&](const std::int64_t* offsets, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k, ++taken) {
      const std::int64_t at = start + offsets[0] + k * elements.inner_stride(0);
      const C* const x = fetch(input, at, 1, n, static_cast<C*>(buffer));
      for (std::int64_t i = 0; i < n; ++i) {
        if (best[i].takes(x[i])) best[i].at = taken;
      }
    }
  });
  for (std::int64_t i = 0; i < n; ++i) places[i] = place_of_best(best[i].at, 0);
}
using BestOfLines = void(const Operand& input, const Loop<1>& elements, std::int64_t start,
                         std::int64_t n, std::int64_t* places, void* buffer);

AMP_LAZY void extrema(const ExtremumArgs& args, BestOfLines* best) {
  const StridedLines lines(args.input, args.dim);
  const Loop<1> elements{lines.elements};
  const std::int64_t size = item_size(args.input.dtype);
  const bool by_columns = lines.are_side_by_side() && lines.starts.inner_stride(0) == 1;
  const std::int64_t together = by_columns ? lines.starts.inner_size() : 1;
  parallel_ranges(
      lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<double> buffer(kBlock);  // of any compute type
        std::int64_t* const places = args.indices.as<std::int64_t>();
        for (std::int64_t line = begin, n; line < end; line += n) {
          n = (std::min)({kLinesTogether, end - line, together - line % together});
          best(args.input, elements, lines.start(line), n, places + line, buffer.data());
        }
        if (!args.values.present) return;
        for (std::int64_t line = begin; line < end; ++line) {
          std::memcpy(args.values.as<char>() + line * size,
                      element(args.input, lines.start(line) + lines.at(places[line])),
                      static_cast<std::size_t>(size));
        }
      });
}

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  visit_compute_type(args.input.dtype, [&](auto tag) {
    extrema(args, best_of_lines<Largest, typename decltype(tag)::type>);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void(max)(const ExtremumArgs& args) { detail::extremum<true>(args); }
AMP_LAZY_DEFINITION void(min)(const ExtremumArgs& args) { detail::extremum<false>(args); }

AMP_LAZY_DEFINITION void extremum_backward(const ExtremumBackwardArgs& args) {
  const Lines lines(args.grad_input, args.dim);
  visit_bits(args.grad_input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_ranges(lines.count, ceil_div(4 * kBlock, lines.length),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t line = begin; line < end; ++line) {
                        T* const to = args.grad_input.as<T>() + lines.start(line);
                        for (std::int64_t i = 0; i < lines.length; ++i) to[i * lines.stride] = T{0};
                        to[args.indices.as<const std::int64_t>()[line] * lines.stride] =
                            args.grad_output.as<const T>()[line];
                      }
                    });
  });
}

}  // namespace amp::inline v0::kernels::host
