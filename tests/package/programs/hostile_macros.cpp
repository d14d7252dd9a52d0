// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Macros of other people's headers, after the standard headers and before ours.
#include <bits/stdc++.h>
#include <immintrin.h>

#define min(a, b) this is not a minimum
#define max(a, b) this is not a maximum
#define CHECK(condition) this is not a check
#define check(condition) nor is this

// PyTorch's build defines these for every CUDA unit.
#define __CUDA_NO_HALF_OPERATORS__
#define __CUDA_NO_HALF_CONVERSIONS__
#define __CUDA_NO_HALF2_OPERATORS__
#define __CUDA_NO_BFLOAT16_CONVERSIONS__

#include <amp/amp.hpp>
#include <amp/data.hpp>
#include <amp/distributed.hpp>
#include <amp/nn/summary.hpp>
#include <amp/views.hpp>

int main() {
  const amp::Tensor x = amp::ones({2, 3});
  const amp::AutocastGuard guard(amp::kCPU);
  return amp::sum(amp::matmul(x, x.t())).item<float>() == 12 ? 0 : 1;
}
