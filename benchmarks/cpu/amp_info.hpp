// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a program that uses amp was built from.
#pragma once

#include <amp/amp.hpp>

#include <string>

#include "worker.hpp"

#if defined(AMP_USE_CBLAS)
extern "C" [[gnu::weak]] char* openblas_get_config();  // other libraries do not say their version
#endif

namespace cpu_benchmark {

inline std::string text_of_blas() {
#if defined(AMP_USE_CBLAS)
  return openblas_get_config != nullptr ? openblas_get_config() : "a BLAS other than OpenBLAS";
#else
  return "none";
#endif
}

inline Info amp_info() {
#if defined(__clang__)
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return {{"compiler", compiler},
          {"threads", std::to_string(amp::num_threads())},
          {"BLAS of amp", text_of_blas()}};
}

/// The dtype that a precision names; float32 needs no autocast.
inline amp::DType dtype_of(const std::string& precision) {
  if (precision == "bf16") return amp::kBFloat16;
  if (precision == "fp16") return amp::kFloat16;
  require(precision == "fp32", "the precision '" + precision + "'; there are fp32, bf16 and fp16");
  return amp::kFloat32;
}

}  // namespace cpu_benchmark
