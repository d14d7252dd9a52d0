// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random tensors: element i takes word i % 4 of the Philox block i / 4 of its range, on every
// device and for any number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "amp/device/parallel.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/random/philox.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

/// The output is contiguous. Normal numbers come in pairs from the Box-Muller transform.
inline void random(const RandomArgs& args) {
  const std::int64_t n = args.output.numel();
  float steps = 0x1p24F;
  visit_dtype(args.output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_small_float<T>)
      steps = static_cast<float>(1 << std::numeric_limits<T>::digits);
  });
  parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      float values[kBlock];
      for (std::int64_t i = 0; i < kBlock; i += 4) {
        const PhiloxBlock bits =
            args.range.block(static_cast<std::uint64_t>((block * kBlock + i) / 4));
        for (int l = 0; l < 4; ++l) values[i + l] = uniform_float(bits.word[l]);
        if (args.distribution == Distribution::kUniform) {
          // As many bits as the format has digits: exact there, so that none rounds up to 1.
          for (int l = 0; l < 4; ++l) values[i + l] = std::floor(values[i + l] * steps) / steps;
          continue;
        }
        for (int l = 0; l < 4; l += 2) {
          const float radius = std::sqrt(-2.0F * std::log(1.0F - values[i + l]));
          const float angle = 6.283185307179586F * values[i + l + 1];
          values[i + l] = radius * std::cos(angle);
          values[i + l + 1] = radius * std::sin(angle);
        }
      }
      store<float>(values, args.output, block * kBlock, 1, (std::min)(kBlock, n - block * kBlock));
    }
  });
}

/// The backward pass is the same function of the gradient: no mask is kept.
inline void dropout(const DropoutArgs& args) {
  const std::int64_t n = args.input.numel();
  const std::uint32_t limit = dropped_below(args.p);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const C scale = args.p < 1 ? static_cast<C>(1 / (1 - args.p)) : C{0};
    parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t block = first; block < last; ++block) {
        const std::int64_t begin = block * kBlock, length = (std::min)(kBlock, n - begin);
        C in_buffer[kBlock], residual_buffer[kBlock], out_buffer[kBlock];
        const C* const x = fetch(args.input, begin, 1, length, in_buffer);
        const C* const residual = args.residual.present
                                      ? fetch(args.residual, begin, 1, length, residual_buffer)
                                      : nullptr;
        C* const y = target(args.output, begin, 1, length, out_buffer);
        for (std::int64_t i = 0; i < length; i += 4) {
          const PhiloxBlock bits = args.range.block(static_cast<std::uint64_t>((begin + i) / 4));
          for (std::int64_t l = 0; l < (std::min)(std::int64_t{4}, length - i); ++l) {
            const C kept = is_dropped(bits.word[l], limit) ? C{0} : x[i + l] * scale;
            y[i + l] = residual != nullptr ? residual[i + l] + kept : kept;
          }
        }
        store(y, args.output, begin, 1, length);
      }
    });
  });
}

}  // namespace amp::inline v0::kernels::host
