// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Walking a contiguous array along one dimension.
#pragma once

#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"
#include "amp/kernels/lines.hpp"

namespace amp::inline v0::kernels::host::detail {

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
