// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Rotary position embedding (Su et al. 2021, arXiv 2104.09864): pairs of numbers of a query or key
// are turned by angles that grow with its position, so that their products depend on distances.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The options of rotary_embedding().
struct RotaryOptions {
  /// Whether neighbours (2 i, 2 i + 1) form the pairs, as in GPT-J and the original Llama;
  /// otherwise numbers (i, i + R / 2), as in GPT-NeoX and the Llama of transformers.
  bool interleaved = false;
};

/// Turns the pairs (a, b) of the first R numbers of each row of `input` [..., L, E]:
///   (a cos - b sin, b cos + a sin)
/// `cos` and `sin` are [L, R / 2], or any shape that broadcasts to [..., L, R / 2], for an even R
/// of at most E; the other numbers stay. All are floating point. Computed in the widest of their
/// dtypes and rounded once, to that of `input`. `cos` and `sin` must not require gradients. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor rotary_embedding(const Tensor& input, const Tensor& cos,
                                               const Tensor& sin,
                                               const RotaryOptions& options = {});

/// cos and sin of angles, as rotary_embedding() takes them.
struct RotaryTable {
  Tensor cos, sin;
};
/// The float32 table [..., width / 2] of `positions` [...], integers or floating point: the angle
/// number i is position * base^(-2 i / width), in float64. `width` is R.
AMP_LAZY [[nodiscard]] RotaryTable rotary_table(const Tensor& positions, std::int64_t width,
                                                double base = 10000);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/rotary_embedding.ipp"
#endif
