// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A call in which each allocation fails once.
#pragma once

#include <amp/amp.hpp>

#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/heap.hpp"

namespace amp_test {

/// call(), each of whose allocations fails once: each time an amp::Error, and nothing is lost.
/// Returns how many there were.
template <class Call>
int each_fails(Call&& call) {
  const std::int64_t held = amp::memory_stats().current_bytes;
  for (std::int64_t n = 0;; ++n) {
    INFO("allocation " << n);
    const amp_test::heap::FailingAllocation allocation(n);
    const std::string error = amp_test::error_of([&] {
      call();
      return 0;
    });
    if (!allocation.failed()) return static_cast<int>(n);
    if (!error.empty()) {  // else it did without
      CHECK_THAT(error, Catch::Matchers::ContainsSubstring("out of memory"));
      REQUIRE(amp::memory_stats().current_bytes == held);
    }
  }
}

}  // namespace amp_test
