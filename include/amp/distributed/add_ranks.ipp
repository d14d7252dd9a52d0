// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/distributed/add_ranks.hpp"

namespace amp::inline v0::detail {

template <class T>
void add_ranks(const std::vector<const void*>& parts, T* sums, std::int64_t begin,
               std::int64_t end) {
  using Sum = std::conditional_t<sizeof(T) == 2, float, T>;
  for (std::int64_t i = begin; i < end; ++i) {
    Sum sum{};
    for (const void* const part : parts) sum += static_cast<Sum>(static_cast<const T*>(part)[i]);
    sums[i] = static_cast<T>(sum);
  }
}

AMP_COLD void add_ranks(const std::vector<const void*>& parts, DType dtype, void* sums,
                        std::int64_t numel) {
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) > 1) add_ranks(parts, static_cast<T*>(sums), 0, numel);
  });
}

}  // namespace amp::inline v0::detail
