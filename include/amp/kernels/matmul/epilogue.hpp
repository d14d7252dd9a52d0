// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The epilogue of a matmul (an activation, sums) in separate kernels, if the matmul itself cannot
// compute it: the same steps on every device.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/kernels/matmul/args.hpp"
#include "amp/types/limits.hpp"

namespace amp::inline v0::kernels {

/// Returns the largest number that becomes 0 when a result is rounded to a dtype: half of its
/// smallest one; 0 for the dtypes that results are computed in.
inline float rounded_to_zero(DType dtype) {
  float result = 0;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) < sizeof(float))
      result = static_cast<float>(std::numeric_limits<T>::denorm_min()) / 2;
  });
  return result;
}

/// Computes relu of the first `count` of up to eight neighbours: y = max(h, 0). NaN stays NaN, and
/// values of at most `zero` become 0, as they would after rounding. Returns their bits, set unless
/// y is 0, so that the gradient is that of relu(round(h)).
template <class C>
AMP_HOST_DEVICE std::uint8_t relu_bits(const C* h, C zero, C* y, std::int64_t count) {
  unsigned bits = 0;
  for (int j = 0; j < 8 && j < count; ++j) {
    const bool passes = !(h[j] <= zero);
    y[j] = passes ? h[j] : C{0};
    bits |= static_cast<unsigned>(passes) << j;
  }
  return static_cast<std::uint8_t>(bits);
}
/// y = h if the bit is set, else 0.
template <class C>
AMP_HOST_DEVICE void relu_backward_bits(const C* h, std::uint8_t bits, C* y, std::int64_t count) {
  for (int j = 0; j < 8 && j < count; ++j) y[j] = (bits >> j & 1) != 0 ? h[j] : C{0};
}

/// Returns one matrix [M, N], dense, of a dtype.
inline Operand matrix_like(const Operand& output, DType dtype, void* data) {
  Operand matrix = output;
  matrix.data = data;
  matrix.dtype = dtype;
  matrix.strides[2] = 1;
  matrix.strides[1] = output.sizes[2];
  matrix.strides[0] = output.sizes[1] * output.sizes[2];
  return matrix;
}

/// Computes the sums of a matmul whose output is written already. Steps: the kernels of a device,
/// here sum(ReduceArgs).
template <class Steps>
void sum_rows_and_columns(const MatmulArgs& args) {
  const auto as_matrix = [](const Operand& vector, std::int64_t rows, std::int64_t columns) {
    Operand matrix = vector;
    matrix.dims = 3;
    matrix.sizes[0] = 1;
    matrix.sizes[1] = rows;
    matrix.sizes[2] = columns;
    matrix.strides[0] = vector.sizes[0];
    matrix.strides[1] = columns;
    matrix.strides[2] = 1;
    return matrix;
  };
  if (args.column_sums.present)
    Steps::sum({args.output, as_matrix(args.column_sums, 1, args.output.sizes[2]), 1});
  if (args.row_sums.present)
    Steps::sum({args.a, as_matrix(args.row_sums, args.output.sizes[1], 1), 1});
}

/// Computes the output from h, which is dense and not yet rounded, if there is an epilogue. Steps
/// has copy, gelu, gelu_backward, relu(h, aux, output) and relu_backward(h, aux, output).
template <class Steps>
void apply_epilogue(const MatmulArgs& args, const Operand& h) {
  switch (args.epilogue) {
    case Epilogue::kNone:
      return;
    case Epilogue::kRelu:
      return Steps::relu(h, args.aux, args.output);
    case Epilogue::kGelu:
      Steps::copy({h, args.aux});
      return Steps::gelu({h, args.output});
    case Epilogue::kReluBackward:
      return Steps::relu_backward(h, args.aux, args.output);
    case Epilogue::kGeluBackward:
      return Steps::gelu_backward({h, args.aux, args.output});
  }
}

/// Computes a matmul in steps: matmul(MatmulArgs) computes h = a @ b + bias, and separate kernels
/// the rest. Besides sum and the functions for apply_epilogue(), Steps has Buffer(device, bytes)
/// with data(), the memory for h, and kReluInPlace: whether its relu works on h rounded into the
/// output, which gives the same result without that memory.
template <class Steps>
void matmul_then_epilogue(const MatmulArgs& args, void (*matmul)(const MatmulArgs&)) {
  const DType sums = args.output.dtype == kFloat64 ? kFloat64 : kFloat32;
  const bool relu = args.epilogue == Epilogue::kRelu || args.epilogue == Epilogue::kReluBackward;
  const bool in_place = args.epilogue == Epilogue::kNone || (relu && Steps::kReluInPlace);
  const typename Steps::Buffer memory(args.output.device,
                                      in_place ? 0 : args.output.numel() * item_size(sums));
  const Operand h = in_place ? args.output : matrix_like(args.output, sums, memory.data());
  matmul({args.a, args.b, args.bias, h});
  if (args.output.numel() != 0) apply_epilogue<Steps>(args, h);
  sum_rows_and_columns<Steps>(args);
}

}  // namespace amp::inline v0::kernels
