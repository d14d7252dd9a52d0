// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The instructions that the host kernels choose by.
#include <amp/amp.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"

TEST_CASE("instruction_set: what the system says, and no more than the environment allows",
          "[ops]") {
  using amp::detail::InstructionSet;
  std::ifstream processor("/proc/cpuinfo");
  const std::string flags((std::istreambuf_iterator<char>(processor)), {});
  const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
  if (!AMP_X86 || !has("sse2")) AMP_TEST_SKIP("/proc/cpuinfo does not say what the processor has");
  InstructionSet wanted = InstructionSet::kBaseline;
  if (has("avx2") && has("fma") && has("f16c"))
    wanted = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl")
                 ? InstructionSet::kAvx512
                 : InstructionSet::kAvx2;
  if (wanted == InstructionSet::kAvx512 && has("avx512_bf16") && !has("GenuineIntel"))
    wanted = InstructionSet::kAvx512Bf16;
  const char* const setting = std::getenv("AMP_MAX_CPU_ISA");
  const std::string most = setting == nullptr ? "" : setting;
#ifdef SYS_arch_prctl
  if (wanted >= InstructionSet::kAvx512 && has("amx_tile") && has("amx_bf16") &&
      (most.empty() || most.starts_with("AMX")) && ::syscall(SYS_arch_prctl, 0x1023, 18) == 0)
    wanted = has("amx_fp16") && most != "AMX" ? InstructionSet::kAmxFp16 : InstructionSet::kAmx;
#endif
  if (most == "BASELINE") wanted = InstructionSet::kBaseline;
  if (most == "AVX2") wanted = (std::min)(wanted, InstructionSet::kAvx2);
  if (most == "AVX512") wanted = (std::min)(wanted, InstructionSet::kAvx512);
  CHECK(amp::detail::instruction_set() == wanted);
}
