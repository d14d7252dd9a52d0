// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The instruction sets that this processor can run, for tests that compare them.
#pragma once

#include <amp/core/simd/isa.hpp>

#include <vector>

inline std::vector<amp::detail::InstructionSet> instruction_sets() {
  using enum amp::detail::InstructionSet;
  std::vector<amp::detail::InstructionSet> sets{kBaseline};
  if (amp::detail::instruction_set() >= kAvx2) sets.push_back(kAvx2);
  if (amp::detail::instruction_set() >= kAvx512) sets.push_back(kAvx512);
  return sets;
}
