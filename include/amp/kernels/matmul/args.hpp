// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of a matmul.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// The function applied to a matmul's h = a @ b + bias before it is stored. `aux` keeps the values
/// that the activation's derivative needs. For relu it is a bit per element, set unless the output
/// is 0 (NaN stays NaN, and its bit is set): that of column j is bit j % 8 of byte j / 8 of uint8
/// rows [M, relu_bytes(N)]. For gelu (tanh form) it is h itself, in the dtype of the output.
enum class Epilogue : std::uint8_t {
  kNone,          // output = h
  kRelu,          // output = max(h, 0); writes aux
  kGelu,          // output = gelu(h); writes aux
  kReluBackward,  // output = h * relu'(aux)
  kGeluBackward,  // output = h * gelu'(aux)
};
/// Returns the bytes of a row of relu's bits.
AMP_HOST_DEVICE constexpr std::int64_t relu_bytes(std::int64_t columns) {
  return (columns + 7) / 8;
}

/// output[b] = epilogue(a[b] @ b[b] + bias), for a [B, M, K], b [B, K, N], output [B, M, N], bias
/// [N] or absent. Any strides; B broadcasts by stride 0. Accumulated in float32 (float64 for
/// float64), rounded once. With an epilogue, B is 1, and aux [1, M, N], or [1, M, relu_bytes(N)],
/// is contiguous. If present, with B = 1, column_sums [N] are the sums of the output and row_sums
/// [M] those of `a`, in any dtype. A sum may be taken before or after the rounding of its terms.
struct MatmulArgs {
  Operand a, b, bias, output;
  Epilogue epilogue = Epilogue::kNone;
  Operand aux = {}, column_sums = {}, row_sums = {};

  /// Whether the arguments ask for nothing more than a bias.
  bool is_plain() const {
    return epilogue == Epilogue::kNone && !column_sums.present && !row_sums.present;
  }
};

}  // namespace amp::inline v0::kernels
