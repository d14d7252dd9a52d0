// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Measures amp on one GPU, in milliseconds:
//   gpu_benchmark [--quick] [--smoke] [--json FILE]
// Each result is compared with a reference before it is timed. The exit status is 77 if there is no
// usable GPU, 1 if a result is wrong. FILE is rewritten after each group.
#include "measure.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <string_view>

int main(int argc, char** argv) {
  namespace g = gpu_benchmark;
  g::Settings settings;
  std::string file;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--quick") {
      settings.repeats = 7;
    } else if (flag == "--smoke") {
      settings.smoke = true;
    } else if (flag == "--json" && i + 1 < argc) {
      file = argv[++i];
    } else {
      std::fprintf(stderr, "usage: gpu_benchmark [--quick] [--smoke] [--json FILE]\n");
      return 2;
    }
  }
  if (!amp::is_available(amp::kCUDA)) {
    std::puts("skipped: there is no usable GPU");
    return 77;
  }
  int result = 0;
  g::Report report;
  for (const auto group : {g::measure_memory, g::measure_optimizers, g::measure_matmul,
                           g::measure_layers, g::measure_training}) {
    try {
      group(settings, report);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "gpu_benchmark: %s\n", error.what());
      result = 1;
    }
    if (!file.empty()) std::ofstream(file) << report.json() << "\n";
  }
  return result;
}
