// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Conversions of numbers by the device's own instructions, if it has them: the same results as
// amp's conversions, in one instruction instead of ten. (NaN loses its payload.)
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::cuda {

template <class To, class From>
__device__ __forceinline__ To convert_to(From x) {
  if constexpr (std::is_same_v<From, half> && std::is_same_v<To, float>) {
    __half_raw raw;
    raw.x = x.bits();
    return __half2float(__half(raw));
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, half>) {
    return half::from_bits(static_cast<__half_raw>(__float2half_rn(x)).x);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, bfloat16>) {
    return bfloat16::from_bits(static_cast<__nv_bfloat16_raw>(__float2bfloat16_rn(x)).x);
  } else {
    return convert_one<To>(x);
  }
}

}  // namespace amp::inline v0::kernels::cuda
