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
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace amp::inline v0::detail {

/// Returns the most that AMP_MAX_CPU_ISA allows.
AMP_COLD InstructionSet allowed_instruction_set() {
  constexpr const char* kNames[] = {"BASELINE", "AVX2", "AVX512", "AVX512_BF16", "AMX", "AMX_FP16"};
  const char* const setting = std::getenv("AMP_MAX_CPU_ISA");
  int set = 0;
  for (const char* name : kNames) {
    if (setting != nullptr && std::strcmp(setting, name) == 0)
      return static_cast<InstructionSet>(set);
    ++set;
  }
  return InstructionSet::kAmxFp16;
}

#if AMP_X86
/// Asks Linux for the state of AMX's tiles, once for the process. Older versions have no such call.
AMP_COLD bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Returns the widest set up to `most`.
AMP_COLD InstructionSet widest_instruction_set(InstructionSet most) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const auto cpuid = [&](unsigned leaf, unsigned part) {
    a = b = c = d = 0;
    __get_cpuid_count(leaf, part, &a, &b, &c, &d);
  };
  cpuid(1, 0);  // __builtin_cpu_supports of clang 14 lacks F16C
  const bool f16c = (c & 1u << 29) != 0;
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0 || !f16c)
    return InstructionSet::kBaseline;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (!avx512) return InstructionSet::kAvx2;
  cpuid(7, 0);
  const bool amx = (d & 1u << 24) != 0 && (d & 1u << 22) != 0;
  cpuid(7, 1);
  const bool bf16 = (a & 1u << 5) != 0, amx_fp16 = (a & 1u << 21) != 0;
  if (amx && most >= InstructionSet::kAmx && may_use_tiles())
    return amx_fp16 ? InstructionSet::kAmxFp16 : InstructionSet::kAmx;
  constexpr unsigned kIntel = 0x756e6547;  // "Genu"
  cpuid(0, 0);
  return bf16 && b != kIntel ? InstructionSet::kAvx512Bf16 : InstructionSet::kAvx512;
}
#endif

/// Determines it.
AMP_COLD InstructionSet find_instruction_set() {
#if AMP_X86
  const InstructionSet most = allowed_instruction_set();
  return (std::min)(widest_instruction_set(most), most);
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
