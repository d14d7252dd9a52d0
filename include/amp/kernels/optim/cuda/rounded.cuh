// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The numbers that the device's optimizers compute with. Each operation is rounded separately,
// whatever flags nvcc gets, as on the host. Otherwise nvcc would fuse a product and the sum that it
// is added to into one multiply-add, which rounds once. The intrinsics below prevent that. A
// multiply-add becomes two instructions, in kernels that wait for memory.
#pragma once

#include <cuda_runtime.h>

#include "amp/core/config.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::cuda {

// clang-format off
__device__ __forceinline__ float rounded_product(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double rounded_product(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ float rounded_sum(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double rounded_sum(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ float rounded_quotient(float a, float b) { return __fdiv_rn(a, b); }
__device__ __forceinline__ double rounded_quotient(double a, double b) { return __ddiv_rn(a, b); }
__device__ __forceinline__ float rounded_root(float a) { return __fsqrt_rn(a); }
__device__ __forceinline__ double rounded_root(double a) { return __dsqrt_rn(a); }
__device__ __forceinline__ float magnitude(float a) { return ::fabsf(a); }
__device__ __forceinline__ double magnitude(double a) { return ::fabs(a); }

/// A number that rounds each operation separately. T is float or double.
template <class T>
struct Rounded {
  using Number = T;  // the type of coefficients
  using Double = Rounded<double>;

  T value;

  friend __device__ __forceinline__ Rounded operator+(Rounded a, Rounded b) { return {rounded_sum(a.value, b.value)}; }
  friend __device__ __forceinline__ Rounded operator+(Rounded a, T b) { return {rounded_sum(a.value, b)}; }
  friend __device__ __forceinline__ Rounded operator-(Rounded a, Rounded b) { return {rounded_sum(a.value, -b.value)}; }
  friend __device__ __forceinline__ Rounded operator-(T a, Rounded b) { return {rounded_sum(a, -b.value)}; }
  friend __device__ __forceinline__ Rounded operator*(Rounded a, Rounded b) { return {rounded_product(a.value, b.value)}; }
  friend __device__ __forceinline__ Rounded operator*(T a, Rounded b) { return {rounded_product(a, b.value)}; }
  friend __device__ __forceinline__ Rounded operator/(Rounded a, Rounded b) { return {rounded_quotient(a.value, b.value)}; }
  friend __device__ __forceinline__ Rounded sqrt(Rounded a) { return {rounded_root(a.value)}; }
  friend __device__ __forceinline__ Rounded abs(Rounded a) { return {magnitude(a.value)}; }
  /// Returns the larger number; NaN if one is NaN.
  friend __device__ __forceinline__ Rounded larger(Rounded a, Rounded b) { return {is_nan(a.value) || a.value > b.value ? a.value : b.value}; }
  friend __device__ __forceinline__ Rounded larger(Rounded a, T b) { return larger(a, Rounded{b}); }
  /// Returns -1, 0 or 1; NaN stays NaN.
  friend __device__ __forceinline__ Rounded sign(Rounded a) { return {a.value > 0 ? T{1} : a.value < 0 ? T{-1} : a.value}; }
};
// clang-format on

}  // namespace amp::inline v0::kernels::cuda
