// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/device/parallel.hpp"
#include "amp/distributed/add_ranks.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::detail {

template <class T>
void add_ranks(const std::vector<const void*>& parts, T* sums, std::int64_t begin,
               std::int64_t end) {
  using Sum = std::conditional_t<sizeof(T) == 2, float, T>;
  constexpr std::int64_t kBlock = 1024;
  Sum sum[kBlock], term[kBlock];
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const auto count = static_cast<std::size_t>((std::min)(kBlock, end - at));
    const auto read = [&](const void* part, Sum* to) {
      amp::convert_n(static_cast<const T*>(part) + at, to, count);
    };
    read(parts.front(), sum);
    for (std::size_t r = 1; r < parts.size(); ++r) {
      read(parts[r], term);
      for (std::size_t i = 0; i < count; ++i) sum[i] += term[i];
    }
    amp::convert_n(sum, sums + at, count);
  }
}

AMP_COLD void add_ranks(const std::vector<const void*>& parts, DType dtype, void* sums,
                        std::int64_t numel) {
  parallel_ranges(numel, std::int64_t{1} << 15, [&](std::int64_t begin, std::int64_t end) {
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (sizeof(T) > 1) add_ranks(parts, static_cast<T*>(sums), begin, end);
    });
  });
}

}  // namespace amp::inline v0::detail
