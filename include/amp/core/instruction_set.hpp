// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Chooses the instructions of amp's own host kernels at run time: the widest that the processor
// has, limited by AMP_MAX_CPU_ISA=BASELINE, AVX2 or AVX512 in the environment. Other values are
// ignored. BASELINE means the instructions that the program is compiled for.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Each set includes the one before.
enum class InstructionSet {
  kPortable,
  kAvx2,    ///< AVX2, FMA and F16C
  kAvx512,  ///< AVX512F
};

/// Returns the set that the host kernels use. It is determined once per process.
InstructionSet instruction_set();

inline bool has_avx2() { return instruction_set() >= InstructionSet::kAvx2; }
inline bool has_avx512() { return instruction_set() >= InstructionSet::kAvx512; }

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/instruction_set.ipp"
#endif
