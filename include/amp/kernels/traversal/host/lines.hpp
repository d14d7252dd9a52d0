// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loops over the lines of a contiguous array along one dimension.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Calls body(first line, number of lines, scratch) for all lines, in parallel. Lines that are
/// short and follow each other in memory are passed several at a time. The scratch has `rows` times
/// scratch_space() of their elements.
template <class C>
[[gnu::noinline]] void for_line_blocks(
    const Lines& lines, int rows,
    FunctionRef<void(std::int64_t line, std::int64_t count, C* scratch)> body) {
  if (lines.length == 0) return;
  const std::int64_t together = lines.stride == 1 ? rows_together(lines.length) : 1;
  parallel_ranges(lines.count, ceil_div(4 * kBlock, lines.length),
                  [&](std::int64_t begin, std::int64_t end) {
                    const HostBuffer<C> scratch(rows * scratch_space(together * lines.length));
                    for (std::int64_t line = begin; line < end; line += together) {
                      const std::int64_t count = (std::min)(together, end - line);
                      body(line, count, scratch.data());
                    }
                  });
}

/// `width` lines side by side, one in each column of rows of space() elements: whole vectors, so a
/// vector holds one element of each of several lines. The columns beyond `width` are 0.
struct ColumnBlock {
  std::int64_t line, at, stride, length, width;

  std::int64_t space() const { return ceil_div(width, kWidest) * kWidest; }
  /// The distance to the rows of the next array in the scratch.
  std::int64_t distance() const { return buffer_distance(length * space()); }

  template <class C>
  [[gnu::noinline]] void fetch(const Operand& operand, C* rows) const {
    for (std::int64_t i = 0; i < length; ++i, rows += space()) {
      const C* const x = host::fetch(operand, at + i * stride, 1, width, rows);
      if (x != rows) std::memcpy(rows, x, static_cast<std::size_t>(width) * sizeof(C));
      std::fill_n(rows + width, space() - width, C{0});
    }
  }
  template <class C>
  [[gnu::noinline]] void store(const C* rows, const Operand& output) const {
    for (std::int64_t i = 0; i < length; ++i, rows += space())
      host::store(rows, output, at + i * stride, 1, width);
  }
};

/// Calls body(column block, scratch) for all lines, which lie side by side, in parallel. A block
/// has at most kBlock lines, and kInCache elements if these are enough lines: a processor does not
/// fetch ahead in rows shorter than kPrefetched. It is smaller if threads would have no block.
/// The scratch has room for the rows of `arrays` blocks.
template <class C>
[[gnu::noinline]] void for_column_blocks(
    const Lines& lines, int arrays, FunctionRef<void(const ColumnBlock& block, C* scratch)> body) {
  if (lines.length == 0 || lines.count == 0) return;
  constexpr std::int64_t kInCache = std::int64_t{1} << 16, kPrefetched = 128, kFewest = 64;
  const auto whole = [](std::int64_t n) { return ceil_div(n, kWidest) * kWidest; };
  const std::int64_t wanted = (std::max)(whole(kInCache / lines.length), kPrefetched);
  const std::int64_t of_thread = whole(ceil_div(lines.count, std::int64_t{num_threads()}));
  const std::int64_t width =
      (std::min)(lines.stride, std::clamp((std::min)(wanted, of_thread), kFewest, kBlock));
  const std::int64_t across = ceil_div(lines.stride, width);
  const std::int64_t rows = whole(width) * lines.length;
  parallel_ranges(lines.count / lines.stride * across, ceil_div(4 * kBlock, rows),
                  [&](std::int64_t begin, std::int64_t end) {
                    const HostBuffer<C> scratch(arrays * buffer_distance(rows));
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t from = i % across * width;
                      const std::int64_t line = i / across * lines.stride + from;
                      body(ColumnBlock{line, lines.start(line), lines.stride, lines.length,
                                       (std::min)(width, lines.stride - from)},
                           scratch.data());
                    }
                  });
}

}  // namespace amp::inline v0::kernels::host::detail
