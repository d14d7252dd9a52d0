// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Prints one line on stderr if the program was compiled without optimization and computes much: in
// a header-only library the program's flags decide how fast the kernels are.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Prints the hint if `multiplications` is large enough for the delay to be noticed. It is printed
/// once per process, or once per shared object that hides its symbols. Setting the environment
/// variable AMP_QUIET to any value silences it.
void hint_at_optimization(std::int64_t multiplications);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/optimization_hint.ipp"
#endif
