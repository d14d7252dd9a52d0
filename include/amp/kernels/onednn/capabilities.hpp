// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What matmuls and convolutions on the CPU are computed with.
#pragma once

#include <string>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/instruction_set.hpp"
#include "amp/kernels/onednn/api.hpp"

namespace amp::inline v0 {

/// What computes matmuls and convolutions on the CPU, and in which formats. A 16-bit format without
/// instructions of its own is widened to float32: it saves memory, but no time.
struct CpuCapabilities {
  std::string library;  ///< "oneDNN 2.6.3", "CBLAS" or "amp"
  std::string
      instructions;       ///< the widest that it uses: "AMX", "AVX512_BF16", "AVX-512", "AVX2", ...
  bool bfloat16 = false;  ///< whether bfloat16 is multiplied as such, with float32 sums
  bool float16 = false;   ///< the same for float16
};

namespace detail {

/// Of amp's own kernels.
inline std::string instructions_of_amp() {
  if (has_avx512()) return "AVX-512";
  return has_avx2() ? "AVX2" : "baseline";
}

struct AMP_EXPORT AskedCpu {
  const CpuCapabilities answer = or_out_of_memory(ask);

 private:
  static CpuCapabilities ask() {
#if AMP_USE_ONEDNN
    namespace onednn = kernels::host::onednn;
    return {.library = "oneDNN " + onednn::version(),
            .instructions = onednn::instructions(),
            .bfloat16 = onednn::is_native(kBFloat16),
            .float16 = onednn::is_native(kFloat16)};
#elif AMP_USE_CBLAS
    return {.library = "CBLAS", .instructions = instructions_of_amp()};
#else
    return {.library = "amp", .instructions = instructions_of_amp()};
#endif
  }
};

}  // namespace detail

/// Asked of the processor and the library at the first call; the answer stays. Instructions count
/// as absent if the environment forbids them: ONEDNN_MAX_CPU_ISA those of oneDNN, AMP_MAX_CPU_ISA
/// those of amp's own kernels. With a CBLAS, `instructions` are those of amp's own kernels.
inline const CpuCapabilities& cpu_capabilities() {
  return process_state<detail::AskedCpu>().answer;
}

}  // namespace amp::inline v0
