// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/simd/isa.hpp"
#include "amp/kernels/onednn/api.hpp"
#include "amp/kernels/onednn/capabilities.hpp"

namespace amp::inline v0 {

namespace detail {

/// Returns the instructions of amp's own kernels.
AMP_INLINE std::string instructions_of_amp() {
  switch (instruction_set()) {
    case InstructionSet::kAmxFp16:
    case InstructionSet::kAmx:
      return "AMX";
    case InstructionSet::kAvx512Bf16:
      return "AVX512_BF16";
    case InstructionSet::kAvx512:
      return "AVX-512";
    case InstructionSet::kAvx2:
      return "AVX2";
    case InstructionSet::kBaseline:
      break;
  }
  return "baseline";
}

struct AMP_EXPORT AskedCpu {
  const CpuCapabilities answer = or_out_of_memory(ask);

 private:
  static CpuCapabilities ask() {
    CpuCapabilities answer{.library = "amp",
                           .instructions = instructions_of_amp(),
                           .bfloat16 = instruction_set() >= InstructionSet::kAvx512Bf16,
                           .float16 = instruction_set() >= InstructionSet::kAmxFp16};
#if AMP_USE_ONEDNN  // amp's own engine multiplies what oneDNN does not
    namespace onednn = kernels::host::onednn;
    answer.library = "oneDNN " + onednn::version();
    answer.instructions = onednn::instructions();
    answer.bfloat16 = answer.bfloat16 || onednn::is_native(kBFloat16);
    answer.float16 = answer.float16 || onednn::is_native(kFloat16);
#endif
    return answer;
  }
};

}  // namespace detail

AMP_INLINE const CpuCapabilities& cpu_capabilities() {
  return process_state<detail::AskedCpu>().answer;
}

AMP_PROCESS_STATE(detail::AskedCpu);
#if AMP_USE_ONEDNN
AMP_PROCESS_STATE(kernels::host::onednn::Library);
#endif

}  // namespace amp::inline v0
