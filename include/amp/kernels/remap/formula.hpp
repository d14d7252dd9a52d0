// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which element of the input each one of the result is, along one dimension, and in reverse; on
// every device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels {

enum class Remapping : std::uint8_t {
  kShifted,     ///< o - shift; nowhere if that is outside
  kFlipped,     ///< in - 1 - o
  kReflected,   ///< o - shift, mirrored at the first and at the last element
  kReplicated,  ///< o - shift, or the nearest element
  kCircular,    ///< (o + shift) mod in
};

/// The map of one dimension: from the index o < out of the result to that of the input, i < in.
/// kReflected mirrors once: |shift| < in and out - shift < 2 in. kCircular: 0 <= shift < in.
struct DimMap {
  static constexpr std::int64_t kNowhere = -1;

  std::int64_t in = 1, out = 1, shift = 0;
  Divider divider;  // by `in`
  Remapping kind = Remapping::kShifted;

  DimMap() = default;
  /// Every element stays in its place.
  explicit DimMap(std::int64_t extent) : DimMap(Remapping::kShifted, extent, extent, 0) {}
  DimMap(Remapping kind_, std::int64_t in_, std::int64_t out_, std::int64_t shift_)
      : in(in_), out(out_), shift(shift_), divider(in_), kind(kind_) {}

  bool is_identity() const { return kind == Remapping::kShifted && in == out && shift == 0; }

  /// Returns the index of the input that element o of the result has, or kNowhere.
  AMP_HOST_DEVICE std::int64_t source(std::int64_t o) const {
    const std::int64_t i = o - shift;
    switch (kind) {
      case Remapping::kFlipped:
        return in - 1 - o;
      case Remapping::kReflected:
        return i < 0 ? -i : i < in ? i : 2 * (in - 1) - i;
      case Remapping::kReplicated:
        return i < 0 ? 0 : i < in ? i : in - 1;
      case Remapping::kCircular: {
        std::int64_t rounds = o + shift;
        return divider.take_remainder(rounds);
      }
      default:
        return i >= 0 && i < in ? i : kNowhere;
    }
  }

  /// Returns how many elements of the result come from element i.
  AMP_HOST_DEVICE std::int64_t count(std::int64_t i) const {
    switch (kind) {
      case Remapping::kReflected:
        return is_result(before(i), i > 0) + is_result(i + shift, true) +
               is_result(behind(i), i < in - 1);
      case Remapping::kReplicated: {
        const std::int64_t last = i == in - 1 || i + shift >= out ? out - 1 : i + shift;
        return last < first_copy(i) ? 0 : last - first_copy(i) + 1;
      }
      case Remapping::kCircular: {
        const std::int64_t left = out - 1 - first_round(i);
        return left < 0 ? 0 : divider.quotient(left) + 1;
      }
      default:
        return is_result(kind == Remapping::kFlipped ? in - 1 - i : i + shift, true);
    }
  }
  /// Returns number k of these, 0 <= k < count(i), in ascending order.
  AMP_HOST_DEVICE std::int64_t result(std::int64_t i, std::int64_t k) const {
    switch (kind) {
      case Remapping::kFlipped:
        return in - 1 - i;
      case Remapping::kReflected:
        if (is_result(before(i), i > 0) != 0 && k-- == 0) return before(i);
        if (is_result(i + shift, true) != 0 && k-- == 0) return i + shift;
        return behind(i);
      case Remapping::kReplicated:
        return first_copy(i) + k;
      case Remapping::kCircular:
        return first_round(i) + k * in;
      default:
        return i + shift;
    }
  }

 private:
  AMP_HOST_DEVICE std::int64_t is_result(std::int64_t o, bool mirrored) const {
    return mirrored && o >= 0 && o < out ? 1 : 0;
  }
  // The images of element i in the mirrors before the first and behind the last.
  AMP_HOST_DEVICE std::int64_t before(std::int64_t i) const { return shift - i; }
  AMP_HOST_DEVICE std::int64_t behind(std::int64_t i) const { return shift + 2 * (in - 1) - i; }
  AMP_HOST_DEVICE std::int64_t first_copy(std::int64_t i) const {
    return i == 0 || i + shift < 0 ? (i == 0 || i == in - 1 ? 0 : out) : i + shift;
  }
  AMP_HOST_DEVICE std::int64_t first_round(std::int64_t i) const {
    return i >= shift ? i - shift : i - shift + in;
  }
};

/// Returns whether a triangle of a matrix has the element in row r and column c.
AMP_HOST_DEVICE inline bool is_in_triangle(std::int64_t r, std::int64_t c, std::int64_t diagonal,
                                           bool upper) {
  return upper ? c - r >= diagonal : c - r <= diagonal;
}

}  // namespace amp::inline v0::kernels
