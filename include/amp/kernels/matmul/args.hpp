// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of a matmul.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// What becomes of a matmul's h = a @ b + bias before it is stored. What the derivative of an
/// activation needs is kept in `aux`: for relu a bit per element, whether the output is anything
/// else than 0 (NaN is, and stays NaN), that of column j being bit j % 8 of byte j / 8 of uint8
/// rows [M, relu_bytes(N)]; for gelu (tanh form) h itself, in the dtype of the output.
enum class Epilogue : std::uint8_t {
  kNone,          // output = h
  kRelu,          // output = max(h, 0); writes aux
  kGelu,          // output = gelu(h); writes aux
  kReluBackward,  // output = h * relu'(aux)
  kGeluBackward,  // output = h * gelu'(aux)
};
/// A row of relu's bits.
AMP_HOST_DEVICE constexpr std::int64_t relu_bytes(std::int64_t columns) {
  return (columns + 7) / 8;
}

/// output[b] = epilogue(a[b] @ b[b] + bias), for a [B, M, K], b [B, K, N], output [B, M, N], bias
/// [N] or absent; any strides, B broadcasts by stride 0. Accumulated in float32 (float64 for
/// float64), rounded once. With an epilogue B is 1, and aux [1, M, N], or [1, M, relu_bytes(N)], is
/// contiguous. Where present, with B = 1, column_sums [N] are those of the output, row_sums [M]
/// those of `a`, in any dtype; a sum may be taken before or after the rounding of what it sums.
struct MatmulArgs {
  Operand a, b, bias, output;
  Epilogue epilogue = Epilogue::kNone;
  Operand aux = {}, column_sums = {}, row_sums = {};

  /// Whether nothing but a bias goes with the matmul.
  bool is_plain() const {
    return epilogue == Epilogue::kNone && !column_sums.present && !row_sums.present;
  }
};

}  // namespace amp::inline v0::kernels
