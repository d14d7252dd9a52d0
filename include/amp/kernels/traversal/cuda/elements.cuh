// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Single elements of any dtype, read in the type that a kernel computes in and rounded once when
// written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/device/cuda/launch.cuh"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/cuda/convert.cuh"

namespace amp::inline v0::kernels::cuda {

using amp::cuda::grid_for;
using amp::cuda::kThreads;
using amp::cuda::launch;

/// An operand for a kernel: memory, or a number.
struct Input {
  const void* data;
  double value;
  std::int64_t integer;
  DType dtype;
  bool immediate;

  Input(const Operand& operand)
      : data(operand.data),
        value(operand.value),
        integer(operand.integer),
        dtype(operand.dtype),
        immediate(operand.immediate) {}
};
struct Output {
  void* data;
  DType dtype;

  Output(const Operand& operand) : data(operand.data), dtype(operand.dtype) {}
};

/// The first element of this thread, and the distance to its next: a grid may be smaller than its
/// work.
__device__ __forceinline__ std::int64_t first_element() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::int64_t element_step() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

/// Stores a value that any number of threads may store there in this launch, all of them the same
/// one: as a relaxed store of the memory model, that is no race. It is read after a barrier, by the
/// last block to arrive, or in a later launch.
template <class T>
__device__ __forceinline__ void store_by_many(T* to, std::type_identity_t<T> value) {
#if defined(__CUDACC__)
  *static_cast<volatile T*>(to) = value;  // PTX: "a volatile operation is treated as relaxed"
#else
  __atomic_store(to, &value, __ATOMIC_RELAXED);
#endif
}

/// Loads element i of memory of any dtype. Compiled once per C, not at each use.
template <class C>
__device__ __noinline__ C load(const void* data, DType dtype, std::int64_t i) {
  switch (dtype) {
    case kFloat64:
      return convert_to<C>(static_cast<const double*>(data)[i]);
    case kFloat32:
      return convert_to<C>(static_cast<const float*>(data)[i]);
    case kFloat16:
      return convert_to<C>(static_cast<const half*>(data)[i]);
    case kBFloat16:
      return convert_to<C>(static_cast<const bfloat16*>(data)[i]);
    case kFloat8E4M3:
      return convert_to<C>(static_cast<const float8_e4m3fn*>(data)[i]);
    case kFloat8E5M2:
      return convert_to<C>(static_cast<const float8_e5m2*>(data)[i]);
    case kInt64:
      return convert_to<C>(static_cast<const std::int64_t*>(data)[i]);
    case kInt32:
      return convert_to<C>(static_cast<const std::int32_t*>(data)[i]);
    case kUInt8:
      return convert_to<C>(static_cast<const std::uint8_t*>(data)[i]);
    case kBool:
      return convert_to<C>(static_cast<const bool*>(data)[i]);
  }
  return C{};
}
template <class C>
__device__ __forceinline__ C load(const Input& input, std::int64_t i) {
  if (input.immediate) return immediate<C>(input);
  return load<C>(input.data, input.dtype, i);
}

template <class C>
__device__ __noinline__ void store(void* data, DType dtype, std::int64_t i, C value) {
  switch (dtype) {
    case kFloat64:
      static_cast<double*>(data)[i] = convert_to<double>(value);
      break;
    case kFloat32:
      static_cast<float*>(data)[i] = convert_to<float>(value);
      break;
    case kFloat16:
      static_cast<half*>(data)[i] = convert_to<half>(value);
      break;
    case kBFloat16:
      static_cast<bfloat16*>(data)[i] = convert_to<bfloat16>(value);
      break;
    case kFloat8E4M3:
      static_cast<float8_e4m3fn*>(data)[i] = convert_to<float8_e4m3fn>(value);
      break;
    case kFloat8E5M2:
      static_cast<float8_e5m2*>(data)[i] = convert_to<float8_e5m2>(value);
      break;
    case kInt64:
      static_cast<std::int64_t*>(data)[i] = convert_to<std::int64_t>(value);
      break;
    case kInt32:
      static_cast<std::int32_t*>(data)[i] = convert_to<std::int32_t>(value);
      break;
    case kUInt8:
      static_cast<std::uint8_t*>(data)[i] = convert_to<std::uint8_t>(value);
      break;
    case kBool:
      static_cast<bool*>(data)[i] = convert_to<bool>(value);
      break;
  }
}
template <class C>
__device__ __forceinline__ void store(const Output& output, std::int64_t i, C value) {
  store<C>(output.data, output.dtype, i, value);
}

}  // namespace amp::inline v0::kernels::cuda
