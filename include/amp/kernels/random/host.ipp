// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/random/formula.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY_DEFINITION void random(const RandomArgs& args) {
  const std::int64_t n = args.output.numel();
  const Draw draw(args);
  parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      float values[kBlock];
      for (std::int64_t i = 0; i < kBlock; i += 4) {
        draw(args.range.block(static_cast<std::uint64_t>((block * kBlock + i) / 4)), values + i);
      }
      store<float>(values, args.output, block * kBlock, 1, (std::min)(kBlock, n - block * kBlock));
    }
  });
}

AMP_LAZY_DEFINITION void dropout(const DropoutArgs& args) {
  const std::int64_t n = args.input.numel();
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Dropout<C> dropout(args);
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
            y[i + l] =
                dropout(bits.word[l], x[i + l], residual != nullptr ? residual[i + l] : C{0});
          }
        }
        store(y, args.output, begin, 1, length);
      }
    });
  });
}

}  // namespace amp::inline v0::kernels::host
