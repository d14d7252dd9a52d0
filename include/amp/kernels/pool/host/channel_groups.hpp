// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loops over the channels of one pixel, which lie side by side.
#pragma once

#include <cstdint>
#include <type_traits>

namespace amp::inline v0::kernels::host::detail {

inline constexpr std::integral_constant<std::int64_t, 16> kGroup;

/// Calls body(first, lanes) for groups of a constant number of channels, which compilers vectorise,
/// then for one channel at a time.
template <class Body>
void for_each_group(std::int64_t channels, Body body) {
  std::int64_t first = 0;
  for (; first + kGroup <= channels; first += kGroup) body(first, kGroup);
  for (; first < channels; ++first) body(first, std::integral_constant<std::int64_t, 1>());
}

/// Calls body(first, count) for runs of channels. At -O2 clang++ vectorises loops of any count, g++
/// only those of a constant one.
template <class Body>
void for_each_run(std::int64_t channels, Body body) {
#if defined(__clang__)
  body(std::int64_t{0}, channels);
#else
  std::int64_t first = 0;
  for (; first + kGroup <= channels; first += kGroup) body(first, kGroup);
  if (first < channels) body(first, channels - first);
#endif
}

}  // namespace amp::inline v0::kernels::host::detail
