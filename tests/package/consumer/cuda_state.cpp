// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A program and its shared objects, each with its own <amp/cuda.cuh> and hidden visibility, have
// one CUDA device: one table of kernels, one pool of memory, the same streams.
#include <amp/amp.hpp>
#include <cstdio>
#include <string_view>

#include <dlfcn.h>

#include "cuda_plugin.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (!holds) std::printf("failed: %s\n", what);
  failures += !holds;
}

}  // namespace

int main() {
  void* const library = dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("failed: %s\n", dlerror());
    return 1;
  }
  auto* const other = reinterpret_cast<CudaStateFunction*>(dlsym(library, "cuda_state"));
  expect(other != &cuda_state, "the loaded module has its own code");
  const CudaState a = cuda_state(), b = other();
  expect(a.backend != nullptr && a.backend == b.backend, "one table of kernels");
  expect(a.streams == b.streams, "one set of streams");
  expect(a.memory_pool == b.memory_pool, "one pool of memory");
  expect(a.staging == b.staging, "one set of staging buffers");
  expect(a.blas_handles == b.blas_handles, "one set of cuBLAS handles");
  try {
    const auto sum = amp::sum(amp::ones({3}, {.device = amp::kCUDA}));
    expect(sum.item<float>() == 3, "the sum computed on the device");
  } catch (const amp::Error& error) {
    std::printf("%s\n", error.what());
    expect(std::string_view(error.what()).find("no CUDA driver") != std::string_view::npos,
           "without a GPU, the reason");
  }
  if (failures == 0) std::puts("the CUDA device is shared");
  return failures == 0 ? 0 : 1;
}
