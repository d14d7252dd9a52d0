// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for CUDA's float16: conversions, by amp's own, which the format tests prove.
#pragma once

#include "amp/types/convert.hpp"

struct __half_raw {
  unsigned short x;
};
struct __half {
  unsigned short bits;
  explicit __half(const __half_raw& raw) : bits(raw.x) {}
  explicit operator __half_raw() const { return {bits}; }
};
inline float __half2float(__half x) { return static_cast<float>(amp::half::from_bits(x.bits)); }
inline __half __float2half_rn(float x) { return __half(__half_raw{amp::half(x).bits()}); }
