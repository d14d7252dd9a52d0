// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/random/formula.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/kernels/random/host/loops.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Writes the random words of the elements of a block of kBlock.
inline void words_of_block(const RandomRange& range, std::int64_t block, std::uint32_t* words) {
  const RngState state = range.at(static_cast<std::uint64_t>(block * kBlock / 4));
  simd::on_widest<WordsOfBlocks>(state.seed, state.offset, words, kBlock / 4);
}

}  // namespace detail

AMP_LAZY_DEFINITION void random(const RandomArgs& args) {
  const std::int64_t n = args.output.numel();
  const Draw draw(args);
  parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      std::uint32_t words[kBlock];
      float values[kBlock];
      detail::words_of_block(args.range, block, words);
      for (std::int64_t i = 0; i < kBlock; i += 4)
        draw({{words[i], words[i + 1], words[i + 2], words[i + 3]}}, values + i);
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
        std::uint32_t words[kBlock];
        C in_buffer[kBlock], residual_buffer[kBlock], out_buffer[kBlock];
        detail::words_of_block(args.range, block, words);
        const C* const x = fetch(args.input, begin, 1, length, in_buffer);
        const C* const residual = args.residual.present
                                      ? fetch(args.residual, begin, 1, length, residual_buffer)
                                      : nullptr;
        C* const y = target(args.output, begin, 1, length, out_buffer);
        if constexpr (std::is_same_v<C, float>) {
          simd::on_widest<detail::DropoutOfFloats>(dropout, words, x, residual, y, length);
        } else {
          for (std::int64_t i = 0; i < length; ++i)
            y[i] = dropout(words[i], x[i], residual != nullptr ? residual[i] : C{0});
        }
        store(y, args.output, begin, 1, length);
      }
    });
  });
}

}  // namespace amp::inline v0::kernels::host
