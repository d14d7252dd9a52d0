// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for CUDA's bfloat16: a conversion, by amp's own, which the format tests prove.
#pragma once

#include "amp/types/convert.hpp"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat16 {
  unsigned short bits;
  explicit operator __nv_bfloat16_raw() const { return {bits}; }
};
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return {amp::bfloat16(x).bits()}; }
