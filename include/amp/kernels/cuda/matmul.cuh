// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matrix products on the device: in one kernel with their epilogue where cuBLASLt has one, else in
// steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/kernels/cuda/fused_product.cuh"
#include "amp/kernels/cuda/product.cuh"
#include "amp/kernels/cuda/reduce.cuh"
#include "amp/kernels/epilogue.hpp"

namespace amp::inline v0::kernels::cuda {
namespace detail {

/// output = relu(h), or h where the bits of relu are set, for n bytes of bits: a thread per byte. h
/// is dense and of C.
template <class C>
AMP_KERNEL void relu_kernel(const C* h, std::uint8_t* slope, Output output, std::int64_t columns,
                            std::int64_t row_stride, std::int64_t column_stride, bool backward,
                            std::int64_t n) {
  const std::int64_t bytes = relu_bytes(columns);
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t row = i / bytes, column = i % bytes * 8, count = columns - column;
    const C* const from = h + row * columns + column;
    C y[8];
    if (backward) {
      relu_backward_bits(from, slope[i], y, count);
    } else {
      slope[i] = relu_bits(from, y, count);
    }
    for (int j = 0; j < 8 && j < count; ++j)
      store<C>(output, row * row_stride + (column + j) * column_stride, y[j]);
  }
}

struct ProductSteps {
  using Buffer = Scratch<std::byte>;
  static void product(const MatmulArgs& args) {
    detail::product(args.a, args.b, args.bias, args.output);
  }
  static void sum(const ReduceArgs& args) { cuda::sum(args); }
  static void copy(const UnaryArgs& args) { cuda::copy(args); }
  static void gelu(const UnaryArgs& args) { float_unary<functions::GeluTanh>(args); }
  static void gelu_backward(const BinaryArgs& args) {
    float_binary<functions::GeluTanhBackward>(args);
  }
  static void relu(const Operand& h, const Operand& slope, const Operand& output) {
    relu_step(h, slope, output, false);
  }
  static void relu_backward(const Operand& h, const Operand& slope, const Operand& output) {
    relu_step(h, slope, output, true);
  }

 private:
  static void relu_step(const Operand& h, const Operand& slope, const Operand& output,
                        bool backward) {
    const std::int64_t n = output.sizes[1] * relu_bytes(output.sizes[2]);
    visit_float_type(h.dtype, [&](auto tag) {
      using C = typename decltype(tag)::type;
      launch(output.device, grid_for(n), kThreads, relu_kernel<C>, h.as<const C>(),
             slope.as<std::uint8_t>(), output, output.sizes[2], output.strides[1],
             output.strides[2], backward, n);
    });
  }
};

}  // namespace detail

inline void matmul(const MatmulArgs& args) {
  if (!detail::fused_product(args)) product_in_steps<detail::ProductSteps>(args);
}

}  // namespace amp::inline v0::kernels::cuda
