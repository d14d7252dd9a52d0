// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// All workloads in amp. AMP_NUM_THREADS is the number of threads.
#include "on_amp.hpp"

#if defined(AMP_USE_ONEDNN) && AMP_USE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace cpu_benchmark {
namespace {

std::string text_of_onednn() {
#if defined(AMP_USE_ONEDNN) && AMP_USE_ONEDNN
  const dnnl_version_t* const v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
#else
  return "none";
#endif
}

Info info() {
#if defined(__clang__)
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return {{"compiler", compiler},
          {"threads", std::to_string(amp::num_threads())},
          {"oneDNN of amp", text_of_onednn()}};
}

Workload load(const Request& request) {
  for (const auto load_one : {load_training_step, load_optimizer_step, load_operation}) {
    if (std::optional<Workload> workload = load_one(request)) return *std::move(workload);
  }
  throw std::runtime_error("no such workload: " + request.name + " " + request.precision + " " +
                           request.variant);
}

}  // namespace
}  // namespace cpu_benchmark

int main(int argc, char** argv) {
  return cpu_benchmark::serve(argc, argv, cpu_benchmark::info(), cpu_benchmark::load);
}
