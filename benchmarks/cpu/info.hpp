// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a program of amp was built from.
#pragma once

#include <amp/amp.hpp>

#include <string>

#include "worker.hpp"

#if defined(AMP_USE_ONEDNN) && AMP_USE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace cpu_benchmark {

inline std::string text_of_onednn() {
#if defined(AMP_USE_ONEDNN) && AMP_USE_ONEDNN
  const dnnl_version_t* const v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
#else
  return "none";
#endif
}

inline Info info() {
#if defined(__clang__)
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return {{"compiler", compiler},
          {"threads", std::to_string(amp::num_threads())},
          {"oneDNN of amp", text_of_onednn()}};
}

}  // namespace cpu_benchmark
