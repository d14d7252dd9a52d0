// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "amp/core/simd/isa.hpp"

#if AMP_X86
#include <cpuid.h>
#endif

namespace amp::inline v0::detail {

/// Determines it.
AMP_COLD InstructionSet find_instruction_set() {
#if AMP_X86
  const InstructionSet best = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;  // __builtin_cpu_supports of clang 14 lacks F16C
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & 1u << 29) != 0;
    if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0 || !f16c)
      return InstructionSet::kBaseline;
    const bool avx512 =
        __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    if (!avx512) return InstructionSet::kAvx2;
    constexpr unsigned kIntel = 0x756e6547;  // "Genu"
    const bool bf16 = __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1u << 5) != 0;
    const bool fast = __get_cpuid(0, &a, &b, &c, &d) != 0 && b != kIntel;
    return bf16 && fast ? InstructionSet::kAvx512Bf16 : InstructionSet::kAvx512;
  }();
  const InstructionSet most = [] {
    const char* const setting = std::getenv("AMP_MAX_CPU_ISA");
    const auto is = [&](const char* name) {
      return setting != nullptr && std::strcmp(setting, name) == 0;
    };
    if (is("BASELINE")) return InstructionSet::kBaseline;
    if (is("AVX2")) return InstructionSet::kAvx2;
    return is("AVX512") ? InstructionSet::kAvx512 : InstructionSet::kAvx512Bf16;
  }();
  return (std::min)(best, most);
#else
  return InstructionSet::kBaseline;
#endif
}

AMP_INLINE InstructionSet instruction_set() {
  // Not a guarded static: a child forked while another thread initialises it would wait for ever.
  static constinit std::atomic<int> known = -1;
  int set = known.load(std::memory_order_relaxed);
  if (set < 0) [[unlikely]] {
    set = static_cast<int>(find_instruction_set());
    known.store(set, std::memory_order_relaxed);
  }
  return static_cast<InstructionSet>(set);
}

}  // namespace amp::inline v0::detail
