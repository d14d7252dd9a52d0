// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Rows that are computed in whole vectors. If their length is not a multiple of the widest vector,
// the last vector of a row reaches into the next row, and that of the last row beyond the end: rows
// lie in a buffer with room for that. Rows are written in order, so each one overwrites what the
// previous one wrote too much. Sums skip the elements that are not of the row (simd::keep_first).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

inline constexpr std::int64_t kWidest = simd::kMostLanes;

/// Returns how far apart buffers of n elements lie that are used side by side, up to four of them:
/// not at the same place of a page, or nearly. A cache that predicts by a part of the address in
/// which way a line lies takes two such lines for the same one; then, on AMD's Zen 4, softmax took
/// twice the time in one process of seven.
inline std::int64_t buffer_distance(std::int64_t n) {
  constexpr std::int64_t kPage = 1024, kQuarter = kPage / 4;  // in floats
  return ceil_div(n - kQuarter, kPage) * kPage + kQuarter;
}
/// Returns the size of a buffer for rows of n elements altogether.
inline std::int64_t row_space(std::int64_t n) { return (ceil_div(n, kWidest) + 1) * kWidest; }
/// The same of one of several buffers that are used side by side.
inline std::int64_t scratch_space(std::int64_t n) { return buffer_distance(row_space(n)); }

/// Returns how many rows are fetched at once, if they follow each other in memory.
inline std::int64_t rows_together(std::int64_t length) {
  return (std::max)(std::int64_t{1}, kBlock / length);
}

/// Calls `Body::run<Isa>(arguments...)` for rows of C: for float, on the widest instruction set.
template <class Body, class C, class... Arguments>
auto on_rows(Arguments... arguments) {
  if constexpr (std::is_same_v<C, float>)
    return simd::on_widest<Body>(arguments...);
  else
    return Body::template run<simd::Baseline>(arguments...);
}

/// The next elements of a row of which n are left: a whole vector of them, or all.
template <class Isa, class T>
AMP_ALWAYS_INLINE simd::Vec<T, Isa> load_channels(const T* x, std::int64_t n) {
  return n >= simd::kLanes<Isa> ? simd::load<Isa>(x) : simd::load_first<Isa>(x, n);
}
template <class T, class Isa>
AMP_ALWAYS_INLINE void store_channels(const simd::Vec<T, Isa>& v, T* x, std::int64_t n) {
  n >= simd::kLanes<Isa> ? simd::store(v, x) : simd::store_first(v, x, n);
}

/// `rows` rows of `length` elements from offset `at` of an operand. The elements of a row lie
/// `stride` apart, which must be 1 if there is more than one row. Vectors begin at multiples of
/// `piece`.
struct RowBlock {
  std::int64_t at, stride, length, rows, piece = length;

  std::int64_t numel() const { return rows * length; }
  std::int64_t space() const { return scratch_space(numel()); }

  /// Returns the rows in the compute type: in place if possible, else in the buffer.
  template <class C>
  const C* fetch(const Operand& operand, C* buffer) const {
    const C* const x = host::fetch(operand, at, stride, numel(), buffer);
    if (is_whole()) return x;
    if (x != buffer) std::memcpy(buffer, x, static_cast<std::size_t>(numel()) * sizeof(C));
    std::fill_n(buffer + numel(), kWidest, C{0});
    return buffer;
  }
  /// Returns the memory for results, and stores results from there in the output.
  template <class C>
  C* target(const Operand& output, C* buffer) const {
    return is_whole() ? host::target(output, at, stride, numel(), buffer) : buffer;
  }
  template <class C>
  void store(const C* values, const Operand& output) const {
    host::store(values, output, at, stride, numel());
  }

 private:
  /// Whether no vector reaches beyond the end.
  bool is_whole() const { return piece % kWidest == 0; }
};

}  // namespace amp::inline v0::kernels::host::detail
