// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of recurrent layers: all steps of one layer in one direction.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// What a layer computes in each step (formula.hpp).
enum class RecurrentCell : std::uint8_t { kLstm, kGru, kTanh, kRelu };

/// The gates of a cell: blocks of H columns, in torch's order.
constexpr int gates_of(RecurrentCell cell) {
  return cell == RecurrentCell::kLstm ? 4 : cell == RecurrentCell::kGru ? 3 : 1;
}
/// The blocks of H columns that backward needs of each row, beside the output. LSTM: i, f, g, o.
/// GRU: r, z, n, and what r is multiplied with.
constexpr int saved_gates_of(RecurrentCell cell) {
  return cell == RecurrentCell::kLstm || cell == RecurrentCell::kGru ? 4 : 0;
}

/// The rows of all steps, N together, one step behind the other: a step has batch_sizes[t] rows
/// (host memory), which do not grow, or `batch` if that is null. Row r of a step continues row r of
/// the step before it, which is that of t - 1, or of t + 1 if `reverse`; if that has no such row,
/// the initial state.
struct RecurrentSteps {
  RecurrentCell cell;
  bool reverse;
  std::int64_t steps, batch, hidden;
  const std::int64_t* batch_sizes;

  std::int64_t rows_of(std::int64_t t) const {
    return batch_sizes == nullptr ? batch : batch_sizes[t];
  }
  /// Calls body(first row, rows, rows of the next step, or 0) for each step: as they follow each
  /// other, or against that.
  template <class Body>
  void for_each(bool backward, Body&& body) const {
    std::int64_t first = 0;
    const bool descends = reverse != backward;
    for (std::int64_t t = 0; descends && t < steps; ++t) first += rows_of(t);
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t t = descends ? steps - 1 - i : i, rows = rows_of(t);
      if (descends) first -= rows;
      body(first, rows, i + 1 == steps ? 0 : rows_of(descends ? t - 1 : t + 1));
      if (!descends) first += rows;
    }
  }
};

/// For each step, gates = inputs + h weight^T + bias, and the cell's function of them. Of one
/// dtype: weight [G H, H] and bias [G H], contiguous; the initial states h0 and c0 [B, H]; output
/// [N, H] and the last states h and c [B, H], with dense rows. inputs [N, G H], contiguous, has the
/// type of sums. If present, contiguous `gates` and `cells` [N, H] keep what backward needs, `cells`
/// the cell states before each step. c0, c and cells are those of the LSTM.
struct RecurrentArgs : RecurrentSteps {
  Operand inputs, weight, bias, h0, c0, output, h, c, gates, cells;
};

/// The gradients of `inputs`, grad_inputs [N, G H], and of h weight^T + bias, grad_products; they
/// are equal, and one array, except for the GRU. Both are contiguous, and that of the LSTM may be
/// `gates`. grad_h0 and grad_c0 [B, H], contiguous, have the type of sums; at the call they hold
/// the gradients of h and c. grad_output [N, H] has any strides; `previous` [N, H] are the states h
/// before each step, only for the GRU.
struct RecurrentBackwardArgs : RecurrentSteps {
  Operand weight, grad_output, gates, cells, previous, output, grad_inputs, grad_products, grad_h0,
      grad_c0;
};

}  // namespace amp::inline v0::kernels
