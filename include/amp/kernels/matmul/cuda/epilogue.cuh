// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The steps of matmul_then_epilogue() on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/reduce/cuda.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"

namespace amp::inline v0::kernels::cuda::detail {

/// Eight neighbours of a row in memory of any dtype, or as many as the row has.
template <class C>
__device__ __forceinline__ void load_some(const Input& x, std::int64_t at, std::int64_t stride,
                                          std::int64_t count, bool by_vector,
                                          C (&values)[kVector]) {
  if (by_vector) return load_vector<C>(x.data, x.dtype, at, values);
  for (int j = 0; j < kVector && j < count; ++j) values[j] = load<C>(x, at + j * stride);
}
template <class C>
__device__ __forceinline__ void store_some(const Output& x, std::int64_t at, std::int64_t stride,
                                           std::int64_t count, bool by_vector,
                                           const C (&values)[kVector]) {
  if (by_vector) return store_vector<C>(x.data, x.dtype, at, values);
  for (int j = 0; j < kVector && j < count; ++j) store<C>(x, at + j * stride, values[j]);
}

/// h = relu(h), or h masked by relu's bits, for n bytes of bits. One thread computes a byte, in
/// vectors if the rows are aligned for them.
template <class C>
AMP_KERNEL void relu_kernel(Input h, Output output, std::uint8_t* aux, std::int64_t columns,
                            std::int64_t row_stride, std::int64_t column_stride, bool by_vector,
                            bool backward, std::int64_t n) {
  const std::int64_t bytes = relu_bytes(columns);
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t row = i / bytes, column = i % bytes * kVector, count = columns - column;
    const std::int64_t at = row * row_stride + column * column_stride;
    const bool vector = by_vector && count >= kVector;
    C x[kVector] = {}, y[kVector] = {};
    load_some<C>(h, at, column_stride, count, vector, x);
    if (backward) {
      relu_backward_bits(x, aux[i], y, count);
    } else {
      aux[i] = relu_bits(x, C{0}, y, count);
    }
    store_some<C>(output, at, column_stride, count, vector, y);
  }
}

struct DeviceSteps {
  using Buffer = Scratch<std::byte>;
  static constexpr bool kReluInPlace = true;  // rounding first gives the same
  static void sum(const ReduceArgs& args) { cuda::sum(args); }
  static void copy(const UnaryArgs& args) { cuda::copy(args); }
  static void gelu(const UnaryArgs& args) { unary<functions::GeluTanh>(args); }
  static void gelu_backward(const BinaryArgs& args) {
    binary<functions::Derivative<functions::GeluTanh>>(args);
  }
  static void relu(const Operand& h, const Operand& aux, const Operand&) {
    relu_step(h, aux, false);
  }
  static void relu_backward(const Operand& h, const Operand& aux, const Operand&) {
    relu_step(h, aux, true);
  }

 private:
  static void relu_step(const Operand& h, const Operand& aux, bool backward) {
    const std::int64_t n = h.sizes[1] * relu_bytes(h.sizes[2]);
    const bool by_vector =
        h.strides[2] == 1 && h.strides[1] % kVector == 0 && is_aligned_for_vectors(h.data, h.dtype);
    visit_float_type(h.dtype, [&](auto tag) {
      launch(h.device, grid_for(n), kThreads, relu_kernel<typename decltype(tag)::type>, h, h,
             aux.as<std::uint8_t>(), h.sizes[2], h.strides[1], h.strides[2], by_vector, backward,
             n);
    });
  }
};

}  // namespace amp::inline v0::kernels::cuda::detail
