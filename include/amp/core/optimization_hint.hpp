// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One line on stderr for programs that were compiled without optimization and compute much: in a
// header-only library the program's flags decide how fast the kernels are.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Says so once, in a process or a shared object that hides its symbols, if an op multiplies often
/// enough for it to be felt. The environment variable AMP_QUIET, of any value, silences it.
void hint_at_optimization(std::int64_t multiplications);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/optimization_hint.ipp"
#endif
