// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of random bits, on every device: the four numbers of a block, and dropout of four
// elements.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels {

/// Draws the numbers of one block. Normal ones come in pairs from the Box-Muller transform.
struct Draw {
  Distribution distribution;
  int shift = 8;  // leaves as many bits as the format has digits, so that none rounds up to 1
  float unit = 0x1p-24F;

  explicit Draw(const RandomArgs& args) : distribution(args.distribution) {
    visit_dtype(args.output.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (is_small_float<T>) {
        shift = 32 - std::numeric_limits<T>::digits;
        unit = 1.0F / static_cast<float>(1 << std::numeric_limits<T>::digits);
      }
    });
  }
  AMP_ALWAYS_INLINE AMP_HOST_DEVICE void operator()(const PhiloxBlock& bits, float* values) const {
    if (distribution == Distribution::kUniform) {
      for (int l = 0; l < 4; ++l)
        values[l] = static_cast<float>(static_cast<std::int32_t>(bits.word[l] >> shift)) * unit;
      return;
    }
    for (int l = 0; l < 4; ++l) values[l] = uniform_float(bits.word[l]);
    for (int l = 0; l < 4; l += 2) {
      const float radius = functions::sqrt(-2.0F * functions::log(1.0F - values[l]));
      const float angle = 6.283185307179586F * values[l + 1];
      values[l] = radius * functions::cos(angle);
      values[l + 1] = radius * functions::sin(angle);
    }
  }
};

/// Returns the result of dropout.
template <class C>
struct Dropout {
  std::uint32_t limit;
  C scale;
  bool adds;

  explicit Dropout(const DropoutArgs& args)
      : limit(dropped_below(args.p)),
        scale(args.p < 1 ? static_cast<C>(1 / (1 - args.p)) : C{0}),
        adds(args.residual.present) {}
  /// Of numbers, or of vectors of them. (nvcc takes no variable of V here.)
  AMP_EITHER_SIDE
  template <class Word, class V>
  AMP_ALWAYS_INLINE AMP_HOST_DEVICE V operator()(const Word& word, const V& x,
                                                 const V& residual) const {
    using functions::select;
    return adds ? residual + select(is_dropped(word, limit), V(C{0}), x * scale)
                : select(is_dropped(word, limit), V(C{0}), x * scale);
  }
};

}  // namespace amp::inline v0::kernels
