// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of conformance/calls/windows.hpp's ops with other operands.
#pragma once

#include "differential/case.hpp"

namespace differential {

inline void add_windows(Calls& calls) {
  calls["instance_norm"] = [](const Case& c) -> Results {
    const Tensor y = amp::instance_norm(c[0], c[1], c[2], c[3], c[4], c.numbers.at(0).truth(),
                                        c.real(1), c.real(2));
    if (!c[1].defined()) return {y};
    return {y, c[1], c[2]};
  };
}

}  // namespace differential
