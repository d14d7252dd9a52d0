// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Indices as the host reads them: in blocks of int64, each tested as it is used, so that no pass
// of its own reads them first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/error.hpp"
#include "amp/kernels/indexing/formula.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Throws for the first index, row-major, that is not in [0, length), so that the message does not
/// depend on the threads.
[[noreturn, gnu::cold]] inline void refuse_index(const IndexRule& rule, const Operand& index,
                                                 std::int64_t length) {
  const auto loop = Loop<1>::over(index, {&index});
  std::int64_t number = 0;
  loop.run(0, loop.blocks(), [&](const std::int64_t* at, std::int64_t n) {
    std::int64_t buffer[kBlock];
    const std::int64_t* const values = fetch(index, at[0], loop.inner_stride(0), n, buffer);
    for (std::int64_t i = 0; i < n; ++i, ++number) {
      AMP_CHECK(place_of(values[i], length, rule.from_end) >= 0, rule.subject, " must lie in [",
                rule.from_end ? -length : 0, ", ", length, "), the extent of dimension ", rule.dim,
                ", but number ", number, " is ", values[i]);
    }
  });
  AMP_CHECK(false, rule.subject, " changed while it was read");
  __builtin_unreachable();
}

/// The index at an offset.
inline std::int64_t index_at(const Operand& index, std::int64_t offset) {
  return index.dtype == kInt64 ? index.as<const std::int64_t>()[offset]
                               : index.as<const std::int32_t>()[offset];
}

/// The indices of a call that moves nothing are tested too, if all of its lines share them.
inline void check_empty(const IndexRule& rule, Operand index, int dim, std::int64_t length) {
  for (int d = 0; d < index.dims; ++d) {
    if (d == dim) continue;
    if (index.strides[d] != 0 && index.sizes[d] != 1) return;
    index.sizes[d] = 1;
  }
  for (std::int64_t i = 0; i < index.sizes[dim]; ++i) {
    const std::int64_t value = index_at(index, i * index.strides[dim]);
    if (place_of(value, length, rule.from_end) < 0) refuse_index(rule, index, length);
  }
}

}  // namespace amp::inline v0::kernels::host::detail
