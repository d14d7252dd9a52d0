// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The instruction sets that amp's own host kernels are compiled for, and the one that this process
// uses: the widest that the processor has, limited by AMP_MAX_CPU_ISA in the environment: BASELINE,
// AVX2, AVX512, AVX512_BF16, AMX or AMX_FP16. Other values are ignored. A new set is a row here, and
// one in on_widest.hpp if all kernels are compiled for it.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Each set includes the one before.
enum class InstructionSet {
  kBaseline,  ///< the instructions that the program is compiled for: at least SSE2, or NEON
  kAvx2,      ///< AVX2, FMA and F16C
  kAvx512,    ///< AVX-512 F, BW, DQ and VL
  /// AVX512_BF16: products of bfloat16, for matmuls. Intel's processors count as without it: on a
  /// Xeon, oneDNN's matmuls with it took 1.8 times as long as those of float32.
  kAvx512Bf16,
  kAmx,      ///< AMX-BF16: products of tiles of bfloat16. The system has permitted their use.
  kAmxFp16,  ///< AMX-FP16: the same of float16
};

/// Returns the set that the host kernels use. It is determined once per process.
InstructionSet instruction_set();

}  // namespace amp::inline v0::detail

namespace amp::inline v0::simd {

using detail::instruction_set;
using detail::InstructionSet;

/// The sets as template arguments. A vector of floats has kBytes, and vectors of other types have
/// as many lanes as it has.
struct Baseline {
  static constexpr int kBytes = 16;
  static constexpr bool kShiftsLanes = !AMP_X86;  ///< each by a number of its own
  static constexpr bool kHasHalf = false;         ///< conversion of half precision
  static constexpr bool kHasRounding = false;     ///< to whole numbers, in any direction
};
struct Avx2 {
  static constexpr int kBytes = 32;
  static constexpr bool kShiftsLanes = true, kHasHalf = true, kHasRounding = true;
};
struct Avx512 {
  static constexpr int kBytes = 64;
  static constexpr bool kShiftsLanes = true, kHasHalf = true, kHasRounding = true;
};

template <class Isa>
inline constexpr int kLanes = Isa::kBytes / 4;
/// The lanes of the widest set.
inline constexpr int kMostLanes = kLanes<Avx512>;

// Stand before functions that are compiled for a set. Without FMA, no product is fused with a sum.
// Each begins at a cache line, so that the time of its loops does not depend on the rest of the
// program: a loop that crosses a line can take 1.2 times as long.
#define AMP_FOR_SET(features) __attribute__((target(features), aligned(64)))
#define AMP_WITH_AVX512 AMP_FOR_SET("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#define AMP_WITH_AVX512_BF16 \
  AMP_FOR_SET("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma,f16c")
#define AMP_WITH_AMX AMP_FOR_SET("amx-tile,amx-bf16")
#define AMP_WITH_AVX2 AMP_FOR_SET("avx2,fma,f16c")
#define AMP_WITH_AVX2_WITHOUT_FMA AMP_FOR_SET("avx2,f16c")

}  // namespace amp::inline v0::simd

#if AMP_HEADER_ONLY
#include "amp/core/simd/isa.ipp"
#endif
