// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of ops that move elements which conformance/calls/moving.hpp has in another form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "differential/case.hpp"

namespace differential {

/// The numbers from number `first` on, `count` of them or all.
inline std::vector<std::int64_t> integers(const Case& c, std::size_t first,
                                          std::optional<std::size_t> count = {}) {
  std::vector<std::int64_t> result;
  const std::size_t end = count ? first + *count : c.numbers.size();
  for (std::size_t i = first; i < end; ++i) result.push_back(c.integer(i));
  return result;
}
inline amp::Bound bound(const Number& n) {
  return n.is_integer ? amp::Bound(n.integer) : amp::Bound(n.real);
}

inline void add_moving(Calls& calls) {
  calls["roll.dims"] = [](const Case& c) -> Results {
    const std::size_t n = c.numbers.size() / 2;
    return {amp::roll(c[0], integers(c, 0, n), integers(c, n))};
  };
  calls["roll"] = [](const Case& c) -> Results { return {amp::roll(c[0], c.integer(0))}; };
  calls["repeat_interleave"] = [](const Case& c) -> Results {
    return {c.numbers.size() == 1 ? amp::repeat_interleave(c[0], c.integer(0))
                                  : amp::repeat_interleave(c[0], c.integer(0), c.integer(1))};
  };
  calls["clamp"] = [](const Case& c) -> Results {
    return {amp::clamp(c[0], bound(c.numbers.at(0)), bound(c.numbers.at(1)))};
  };
  calls["clamp.min"] = [](const Case& c) -> Results {
    return {amp::clamp(c[0], bound(c.numbers.at(0)))};
  };
  calls["clamp.max"] = [](const Case& c) -> Results {
    return {amp::clamp(c[0], {}, bound(c.numbers.at(0)))};
  };
  calls["clamp.tensors"] = [](const Case& c) -> Results { return {amp::clamp(c[0], c[1], c[2])}; };
  calls["masked_fill"] = [](const Case& c) -> Results {
    return {with(c.numbers.at(0), [&](auto n) { return amp::masked_fill(c[0], c[1], n); })};
  };
  calls["masked_fill.tensor"] = [](const Case& c) -> Results {
    return {amp::masked_fill(c[0], c[1], c[2])};
  };
}

}  // namespace differential
