// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima and minima over one dimension, with their positions.
#pragma once

#include <cstdint>
#include <cstring>

#include "amp/kernels/host/lines.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The position of the first largest (smallest) of x, or of the first NaN.
template <bool Largest, class C>
std::int64_t extremum_of(const C* x, std::int64_t n) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < n && !is_nan(x[best]); ++i) {
    if ((Largest ? x[i] > x[best] : x[i] < x[best]) || is_nan(x[i])) best = i;
  }
  return best;
}

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  const Lines lines(args.input, args.dim);
  const std::int64_t size = item_size(args.input.dtype);
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    parallel_ranges(
        lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
          const HostBuffer<C> buffer(lines.length);
          for (std::int64_t line = begin; line < end; ++line) {
            const std::int64_t at = lines.start(line);
            const C* const x = fetch(args.input, at, lines.stride, lines.length, buffer.data());
            const std::int64_t best = extremum_of<Largest>(x, lines.length);
            args.indices.as<std::int64_t>()[line] = best;
            if (!args.values.present) continue;
            std::memcpy(args.values.as<char>() + line * size,
                        args.input.as<const char>() + (at + best * lines.stride) * size,
                        static_cast<std::size_t>(size));
          }
        });
  });
}

}  // namespace detail

inline void(max)(const ExtremumArgs& args) { detail::extremum<true>(args); }
inline void(min)(const ExtremumArgs& args) { detail::extremum<false>(args); }

inline void extremum_backward(const ExtremumBackwardArgs& args) {
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
