// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Copies in which each element comes from another place: turned, padded, repeated.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// All of these take every dtype, keep it, and are differentiable. The gradients of an element that
// is there several times are summed in float32 (float64) and rounded once, always in one order.
// Under autocast: unchanged.

/// The elements in reverse order along each of `dims`; an empty list reverses nothing.
AMP_LAZY [[nodiscard]] Tensor flip(const Tensor& input, const Dims& dims);
/// flip() along dimension 1 (left and right), or 0 (up and down).
AMP_LAZY [[nodiscard]] Tensor fliplr(const Tensor& input);
AMP_LAZY [[nodiscard]] Tensor flipud(const Tensor& input);

/// Element i moves to i + shifts[k] along dims[k]; what leaves at the end comes in at the front.
/// Without `dims`, there is one shift, of the elements in row-major order.
AMP_LAZY [[nodiscard]] Tensor roll(const Tensor& input, const Counts& shifts,
                                   const Dims& dims = {});

/// The input turned k times by 90 degrees in the plane of two dimensions, from the first to the
/// second.
AMP_LAZY [[nodiscard]] Tensor rot90(const Tensor& input, std::int64_t k = 1,
                                    const Dims& dims = {0, 1});

/// What pad() writes around the input.
enum class PadMode : std::uint8_t {
  kConstant,   ///< a number
  kReflect,    ///< the input, mirrored at its first and at its last element
  kReplicate,  ///< the nearest element
  kCircular,   ///< the input again
};
/// Options of pad().
struct PadOptions {
  PadMode mode = PadMode::kConstant;
  double value = 0;  ///< of kConstant
};
/// The input with more elements at the ends of its last dimensions. `pad` has two numbers for each
/// of these, from the last dimension on: how many come before and how many behind; a negative one
/// takes elements away. kReflect takes fewer elements than the extent, kCircular at most as many.
/// Throws if the dtype does not hold the value.
AMP_LAZY [[nodiscard]] Tensor pad(const Tensor& input, std::span<const std::int64_t> pad,
                                  const PadOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor pad(const Tensor& input, std::initializer_list<std::int64_t> pad,
                                  const PadOptions& options = {});

/// The input repeats[d] times along each dimension d. If there are more numbers than dimensions,
/// the first are for new ones.
AMP_LAZY [[nodiscard]] Tensor repeat(const Tensor& input, const Counts& repeats);
/// The same; if there are fewer numbers than dimensions, they are for the last ones.
AMP_LAZY [[nodiscard]] Tensor tile(const Tensor& input, const Counts& dims);
/// Each slice along `dim` `repeats` times, one after the other; without `dim`, each element of the
/// input in row-major order.
AMP_LAZY [[nodiscard]] Tensor repeat_interleave(const Tensor& input, std::int64_t repeats,
                                                std::optional<std::int64_t> dim = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/rearrange.ipp"
#endif
