// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Walking a contiguous array along one dimension.
#pragma once

#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The lines of a contiguous array along one dimension: line l starts at start(l), its elements
/// `stride` apart.
struct Lines {
  std::int64_t count = 1, length = 1, stride = 1;
  Lines(const Operand& array, int dim) {
    for (int d = 0; d < array.dims; ++d) (d == dim ? length : count) *= array.sizes[d];
    for (int d = dim + 1; d < array.dims; ++d) stride *= array.sizes[d];
  }
  std::int64_t start(std::int64_t line) const {
    return line / stride * length * stride + line % stride;
  }
};

/// body(line start, in-out scratch lines...) for all lines, in parallel.
template <class C, class Body>
void for_each_line(const Lines& lines, Body&& body) {
  if (lines.length == 0) return;
  parallel_ranges(lines.count, ceil_div(4 * kBlock, lines.length),
                  [&](std::int64_t begin, std::int64_t end) {
                    const HostBuffer<C> scratch(3 * lines.length);
                    for (std::int64_t line = begin; line < end; ++line)
                      body(lines.start(line), scratch.data());
                  });
}

}  // namespace amp::inline v0::kernels::host::detail
