// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loops over the channels of one pixel, which lie side by side.
#pragma once

#include <cstdint>
#include <type_traits>

namespace amp::inline v0::kernels::host::detail {

/// body(first, lanes) for groups of a constant number of channels, of which a compiler makes
/// vectors, then for one at a time.
template <class Body>
void for_each_group(std::int64_t channels, Body body) {
  constexpr std::integral_constant<std::int64_t, 16> kGroup;
  std::int64_t first = 0;
  for (; first + kGroup <= channels; first += kGroup) body(first, kGroup);
  for (; first < channels; ++first) body(first, std::integral_constant<std::int64_t, 1>());
}

}  // namespace amp::inline v0::kernels::host::detail
