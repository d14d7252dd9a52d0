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

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  const StridedLines lines(args.input, args.dim);
  const Loop<1> loop{lines.elements};
  const std::int64_t stride = loop.inner_stride(0);
  const std::int64_t size = item_size(args.input.dtype);
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    parallel_ranges(
        lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
          const HostBuffer<C> buffer((std::min)(kBlock, lines.length));
          for (std::int64_t line = begin; line < end; ++line) {
            const std::int64_t start = lines.start(line);
            Running<Largest, C> best;
            std::int64_t taken = 0;
            loop.run(0, loop.blocks(), [&](const std::int64_t* offsets, std::int64_t n) {
              const C* const x = fetch(args.input, start + offsets[0], stride, n, buffer.data());
              for (std::int64_t i = 0; i < n; ++i) {
                if (best.takes(x[i])) best.at = taken + i;
              }
              taken += n;
            });
            const std::int64_t at = place_of_best(best.at, 0);
            args.indices.as<std::int64_t>()[line] = at;
            if (!args.values.present) continue;
            std::memcpy(args.values.as<char>() + line * size,
                        element(args.input, start + lines.at(at)), static_cast<std::size_t>(size));
          }
        });
  });
}

}  // namespace detail

AMP_INLINE void(max)(const ExtremumArgs& args) { detail::extremum<true>(args); }
AMP_INLINE void(min)(const ExtremumArgs& args) { detail::extremum<false>(args); }

AMP_INLINE void extremum_backward(const ExtremumBackwardArgs& args) {
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
