// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the programs of this folder have in common: precision, number of steps and data, which the
// command line chooses.
//
//   resnet18 [--precision fp32|bf16|fp16] [--steps N] [--data PATH]
#pragma once

#include <amp/amp.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace examples {

/// The options of autocast and of the scaler, for a training in float32, bfloat16 or float16.
struct Precision {
  amp::AutocastOptions autocast;
  amp::GradScalerOptions scaler;
};
inline Precision precision(std::string_view name) {
  AMP_CHECK(name == "fp32" || name == "bf16" || name == "fp16",
            "--precision: expected fp32, bf16 or fp16, but it is '", name, "'");
  return {.autocast = {.dtype = name == "fp16" ? amp::kFloat16 : amp::kBFloat16,
                       .enabled = name != "fp32"},
          .scaler = {.enabled = name == "fp16"}};
}

struct Run {
  examples::Precision precision = examples::precision("bf16");
  std::int64_t steps = 0;
  std::string data = {};  // empty: what the program makes itself
};

/// Runs `program` with the options of the command line, `run` where they say nothing; returns the
/// exit status.
template <class Program>
int main(int argc, char** argv, Run run, const Program& program) try {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    AMP_CHECK(i + 1 < argc, flag, ": expected a value");
    if (flag == "--precision")
      run.precision = precision(argv[i + 1]);
    else if (flag == "--steps")
      run.steps = std::stoll(argv[i + 1]);
    else if (flag == "--data")
      run.data = argv[i + 1];
    else
      AMP_CHECK(false, "expected --precision, --steps or --data, but found '", flag, "'");
  }
  program(run);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

}  // namespace examples
