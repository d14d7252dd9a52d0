// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// All workloads in amp. AMP_NUM_THREADS is the number of threads.
#include "info.hpp"
#include "on_amp.hpp"

namespace cpu_benchmark {
namespace {

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
