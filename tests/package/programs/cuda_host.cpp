// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A source that knows nothing of CUDA computes on its device, where another brings that into the
// program. Without a usable GPU, or without that other source, the error says so:
//   cuda_host [missing]
#include <amp/amp.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#if defined(CUDART_VERSION) || defined(__CUDA_RUNTIME_H__)
#error "amp.hpp includes CUDA headers"
#endif

int main(int argc, char** argv) {
  const bool brought = argc == 1 || argv[1] != std::string_view("missing");
  try {
    const amp::Tensor x = amp::full({2, 3}, 2).to(amp::kCUDA);
    const amp::AutocastGuard guard(amp::kCUDA);
    const amp::Tensor y = amp::matmul(x, x.t()) + 1;
    const bool right = y.to_vector<float>() == std::vector<float>(4, 13);
    std::printf("computed on %s: %s\n", to_string(y.device()).c_str(), right ? "right" : "wrong");
    return brought && right ? 0 : 1;
  } catch (const amp::Error& error) {
    std::printf("%s\n", error.what());
    const std::string_view reason = brought ? "no CUDA driver" : "include <amp/cuda.cuh> in one";
    const bool says_why = std::string_view(error.what()).find(reason) != std::string_view::npos;
    return says_why && !amp::is_available(amp::kCUDA) ? 0 : 1;
  }
}
