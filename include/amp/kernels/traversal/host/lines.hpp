// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loops over the lines of a contiguous array along one dimension.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Calls body(first line, number of lines, scratch) for all lines, in parallel. Lines that are
/// short and follow each other in memory are passed several at a time. The scratch has `rows` times
/// row_space() of their elements.
template <class C, class Body>
void for_line_blocks(const Lines& lines, int rows, Body&& body) {
  if (lines.length == 0) return;
  const std::int64_t together = lines.stride == 1 ? rows_together(lines.length) : 1;
  parallel_ranges(lines.count, ceil_div(4 * kBlock, lines.length),
                  [&](std::int64_t begin, std::int64_t end) {
                    const HostBuffer<C> scratch(rows * row_space(together * lines.length));
                    for (std::int64_t line = begin; line < end; line += together) {
                      const std::int64_t count = (std::min)(together, end - line);
                      body(line, count, scratch.data());
                    }
                  });
}

}  // namespace amp::inline v0::kernels::host::detail
