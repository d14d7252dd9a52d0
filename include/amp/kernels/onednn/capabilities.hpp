// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The libraries and instructions for matmuls and convolutions on the CPU.
#pragma once

#include <string>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The library for matmuls and convolutions on the CPU, and the formats that matmuls multiply
/// directly, in the library or in amp's own engine. A 16-bit format without instructions for it is
/// widened to float32: it saves memory, but no time.
struct CpuCapabilities {
  std::string library;       ///< "oneDNN 2.6.3" or "amp"
  std::string instructions;  ///< the library's widest: "AMX", "AVX512_BF16", "AVX-512", "AVX2", ...
  bool bfloat16 = false;     ///< whether bfloat16 is multiplied as such, with float32 sums
  bool float16 = false;      ///< the same for float16
};

/// Returns the capabilities, determined from the processor and the library at the first call.
/// Instructions count as absent if the environment forbids them: ONEDNN_MAX_CPU_ISA those of
/// oneDNN, AMP_MAX_CPU_ISA those of amp's own kernels.
const CpuCapabilities& cpu_capabilities();

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/kernels/onednn/capabilities.ipp"
#endif
