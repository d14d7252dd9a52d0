// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Compiles a kernel for each instruction set, and runs the one for the widest set that
// instruction_set() allows. A kernel is `Body::run<Isa>(arguments...)`. Every function that it
// calls must be AMP_ALWAYS_INLINE, so that it is compiled for the same set.
#pragma once

#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"

namespace amp::inline v0::simd {

/// A base of kernels that wait for memory. They are not compiled for AVX-512, which makes them
/// hardly faster, if at all.
struct UpToAvx2 {};

#if AMP_X86
template <class Body>
struct ForEachSet {
  template <class... Arguments>
  AMP_WITH_AVX512_BF16 static auto avx512_bf16(Arguments... arguments) {
    return Body::template run<Avx512>(arguments...);
  }
  template <class... Arguments>
  AMP_WITH_AVX512 static auto avx512(Arguments... arguments) {
    return Body::template run<Avx512>(arguments...);
  }
  template <class... Arguments>
  AMP_WITH_AVX2 static auto avx2(Arguments... arguments) {
    return Body::template run<Avx2>(arguments...);
  }
  template <class... Arguments>
  AMP_WITH_AVX2_WITHOUT_FMA static auto avx2_without_fma(Arguments... arguments) {
    return Body::template run<Avx2>(arguments...);
  }
};
#endif

/// Runs the kernel that is compiled for `set`, which the processor must have. Arguments are scalars
/// and pointers, passed by value.
template <class Body, class... Arguments>
auto on_set([[maybe_unused]] InstructionSet set, Arguments... arguments) {
#if AMP_X86
  if constexpr (!std::is_base_of_v<UpToAvx2, Body>) {
    if (set >= InstructionSet::kAvx512) return ForEachSet<Body>::avx512(arguments...);
  }
  if (set >= InstructionSet::kAvx2) return ForEachSet<Body>::avx2(arguments...);
#endif
  return Body::template run<Baseline>(arguments...);
}
template <class Body, class... Arguments>
auto on_widest(Arguments... arguments) {
  return on_set<Body>(instruction_set(), arguments...);
}

/// Runs the kernel whose products are not fused with the sums that they are added to: its results
/// have the same bits on all sets. (See AMP_ROUND_PRODUCT on programs that may fuse everywhere.)
/// AVX-512 cannot be had without fused instructions, so AVX2 is the widest.
template <class Body, class... Arguments>
auto on_widest_without_fma(Arguments... arguments) {
#if AMP_X86
  if (instruction_set() >= InstructionSet::kAvx2)
    return ForEachSet<Body>::avx2_without_fma(arguments...);
#endif
  return Body::template run<Baseline>(arguments...);
}

}  // namespace amp::inline v0::simd
