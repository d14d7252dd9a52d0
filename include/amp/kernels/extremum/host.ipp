// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

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
using BestOfLine = std::int64_t(const Operand& input, const Loop<1>& elements, std::int64_t start,
                                void* buffer);

AMP_LAZY void extrema(const ExtremumArgs& args, BestOfLine* best) {
  const StridedLines lines(args.input, args.dim);
  const Loop<1> elements{lines.elements};
  const std::int64_t size = item_size(args.input.dtype);
  parallel_ranges(
      lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<double> buffer((std::min)(kBlock, lines.length));  // of any compute type
        for (std::int64_t line = begin; line < end; ++line) {
          const std::int64_t start = lines.start(line);
          const std::int64_t at = best(args.input, elements, start, buffer.data());
          args.indices.as<std::int64_t>()[line] = at;
          if (!args.values.present) continue;
          std::memcpy(args.values.as<char>() + line * size,
                      element(args.input, start + lines.at(at)), static_cast<std::size_t>(size));
        }
      });
}

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  visit_compute_type(args.input.dtype, [&](auto tag) {
    extrema(args, best_of_line<Largest, typename decltype(tag)::type>);
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
