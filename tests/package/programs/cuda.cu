// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A program of CUDA source: with a usable GPU it computes there; without one it says why it cannot.
#include <amp/cuda.cuh>

#include <cstdio>
#include <string>

int main() {
  amp::enable_cuda();  // a second time: idempotent
  try {
    const amp::Tensor x = amp::full({5}, 3, {.dtype = amp::kBFloat16, .device = amp::kCUDA});
    const bool right = (x * 2 + 1).to_vector<float>() == std::vector<float>(5, 7);
    std::printf("computed on %s: %s\n", to_string(x.device()).c_str(), right ? "right" : "wrong");
    return right && amp::is_available(amp::kCUDA) ? 0 : 1;
  } catch (const amp::Error& error) {
    std::printf("%s\n", error.what());
    const bool says_why = std::string(error.what()).find("no CUDA driver") != std::string::npos;
    return says_why && !amp::is_available(amp::kCUDA) ? 0 : 1;
  }
}
