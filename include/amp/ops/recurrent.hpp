// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent networks. A cell computes one step; with sigmoid s:
//   lstm:  i, f, o = s(W x + b + V h + d),  g = tanh(...),  c' = f c + i g,  h' = o tanh(c')
//   gru:   r, z = s(W x + b + V h + d),  n = tanh(W x + b + r (V h + d)),  h' = n + z (h - n)
//   rnn:   h' = tanh(W x + b + V h + d), or relu(...)
// W = w_ih is [G H, I], V = w_hh [G H, H], and b = b_ih and d = b_hh are [G H], or both undefined.
// Their rows are those of the G gates: i, f, g, o of the LSTM, r, z, n of the GRU.
//
// All tensors have one dtype, that of the results. In 16 bits, the gates of a step are computed in
// float32, and each result is rounded once. States that are undefined are zeros.
//
// A layer runs a cell over the steps of input [T, B, I], or [B, T, I] with `batch_first`; the next
// layer, over its output. `params` are w_ih, w_hh and, with `has_biases`, b_ih, b_hh of the first
// layer, of its other direction if `bidirectional`, of the next layer, and so on. The states are
// [num_layers, B, H], or [2 num_layers, B, H] with two directions D = 2; the output is [T, B, D H].
// A sequence of a PackedSequence ends by itself, and states are in the order that the sequences had
// before they were packed.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/ops/packed_sequence.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The state of an LSTM: hidden and cell.
struct LstmState {
  Tensor h = {}, c = {};
};

/// Of all layers. `dropout` applies to the outputs of all but the last, if `training`.
struct RecurrentOptions {
  std::int64_t num_layers = 1;
  double dropout = 0;
  bool training = false;
  bool bidirectional = false;
  bool batch_first = false;
  bool has_biases = true;
};

/// The output of the last layer, and the last states of all layers.
struct LstmResult {
  Tensor output, h, c;
};
struct RecurrentResult {
  Tensor output, h;
};
/// The same of packed sequences.
struct PackedLstmResult {
  PackedSequence output;
  Tensor h, c;
};
struct PackedRecurrentResult {
  PackedSequence output;
  Tensor h;
};

/// A step of an LSTM: input [B, I], states [B, H]. Under autocast: low precision.
AMP_LAZY [[nodiscard]] LstmState lstm_cell(const Tensor& input, const LstmState& hx,
                                           const Tensor& w_ih, const Tensor& w_hh,
                                           const Tensor& b_ih = {}, const Tensor& b_hh = {});
/// A step of a GRU: input [B, I], state [B, H]. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                                       const Tensor& w_hh, const Tensor& b_ih = {},
                                       const Tensor& b_hh = {});
/// A step of an Elman network: input [B, I], state [B, H]. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx,
                                            const Tensor& w_ih, const Tensor& w_hh,
                                            const Tensor& b_ih = {}, const Tensor& b_hh = {});
/// The same with relu. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx,
                                            const Tensor& w_ih, const Tensor& w_hh,
                                            const Tensor& b_ih = {}, const Tensor& b_hh = {});

/// Layers of an LSTM. Under autocast: low precision.
AMP_LAZY [[nodiscard]] LstmResult lstm(const Tensor& input, const LstmState& hx,
                                       const std::vector<Tensor>& params,
                                       const RecurrentOptions& options = {});
AMP_LAZY [[nodiscard]] PackedLstmResult lstm(const PackedSequence& input, const LstmState& hx,
                                             const std::vector<Tensor>& params,
                                             const RecurrentOptions& options = {});
/// Layers of a GRU. Under autocast: low precision.
AMP_LAZY [[nodiscard]] RecurrentResult gru(const Tensor& input, const Tensor& hx,
                                           const std::vector<Tensor>& params,
                                           const RecurrentOptions& options = {});
AMP_LAZY [[nodiscard]] PackedRecurrentResult gru(const PackedSequence& input, const Tensor& hx,
                                                 const std::vector<Tensor>& params,
                                                 const RecurrentOptions& options = {});
/// Layers of an Elman network. Under autocast: low precision.
AMP_LAZY [[nodiscard]] RecurrentResult rnn_tanh(const Tensor& input, const Tensor& hx,
                                                const std::vector<Tensor>& params,
                                                const RecurrentOptions& options = {});
AMP_LAZY [[nodiscard]] PackedRecurrentResult rnn_tanh(const PackedSequence& input, const Tensor& hx,
                                                      const std::vector<Tensor>& params,
                                                      const RecurrentOptions& options = {});
/// The same with relu. Under autocast: low precision.
AMP_LAZY [[nodiscard]] RecurrentResult rnn_relu(const Tensor& input, const Tensor& hx,
                                                const std::vector<Tensor>& params,
                                                const RecurrentOptions& options = {});
AMP_LAZY [[nodiscard]] PackedRecurrentResult rnn_relu(const PackedSequence& input, const Tensor& hx,
                                                      const std::vector<Tensor>& params,
                                                      const RecurrentOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/recurrent.ipp"
#endif
