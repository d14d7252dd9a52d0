// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What matmuls and convolutions on the CPU are computed with.
#pragma once

#include <string>

#include "amp/core/config.hpp"

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

/// Asked of the processor and the library at the first call; the answer stays. Instructions count
/// as absent if the environment forbids them: ONEDNN_MAX_CPU_ISA those of oneDNN, AMP_MAX_CPU_ISA
/// those of amp's own kernels. With a CBLAS, `instructions` are those of amp's own kernels.
const CpuCapabilities& cpu_capabilities();

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/kernels/onednn/capabilities.ipp"
#endif
