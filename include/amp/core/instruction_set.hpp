// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which instructions amp's own host kernels choose at run time: the widest that the processor has,
// or no more than AMP_MAX_CPU_ISA=BASELINE, AVX2 or AVX512 in the environment. Other values limit
// nothing. BASELINE means what the program is compiled for.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Each has all of the one before.
enum class InstructionSet {
  kPortable,
  kAvx2,    ///< AVX2, FMA and F16C
  kAvx512,  ///< AVX512F
};

/// Asked once.
InstructionSet instruction_set();

inline bool has_avx2() { return instruction_set() >= InstructionSet::kAvx2; }
inline bool has_avx512() { return instruction_set() >= InstructionSet::kAvx512; }

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/instruction_set.ipp"
#endif
