// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How recurrent networks and packed sequences are called.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/binding.hpp"

namespace conformance::bindings {

template <amp::Tensor (*Op)(const amp::Tensor&, const amp::Tensor&, const amp::Tensor&,
                            const amp::Tensor&, const amp::Tensor&, const amp::Tensor&)>
Outputs recurrent_cell(In x, Case) {
  return Op(x[0], x[1], x[2], x[3], optional(x, 4), optional(x, 5));
}
inline Outputs lstm_cell(In x, Case) {
  const amp::LstmState state =
      amp::lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], optional(x, 5), optional(x, 6));
  return amp::cat({state.h, state.c});
}

inline amp::RecurrentOptions recurrent_options(Case c) {
  return {.num_layers = integer(c, 0),
          .bidirectional = flag(c, 1),
          .batch_first = flag(c, 2),
          .has_biases = flag(c, 3)};
}
inline Tensors from(In x, std::ptrdiff_t first) { return {x.begin() + first, x.end()}; }
/// Data of sequences of these lengths. What the order is, packed zeros say.
inline amp::PackedSequence packed(const amp::Tensor& data,
                                  const std::vector<std::int64_t>& lengths) {
  const std::int64_t steps = *std::max_element(lengths.begin(), lengths.end());
  const amp::Device device = data.defined() ? data.device() : amp::Device(amp::kCPU);
  amp::PackedSequence sequence = amp::pack_padded_sequence(
      amp::zeros({steps, lengths.size()}, {.device = device}), lengths, {.enforce_sorted = false});
  sequence.data = data;
  return sequence;
}

inline Outputs lstm(In x, Case c) {
  const auto y = amp::lstm(x[0], {x[1], x[2]}, from(x, 3), recurrent_options(c));
  return {y.output, y.h, y.c};
}
inline Outputs last_states_of_lstm(In x, Case c) {
  const auto y = amp::lstm(x[0], {x[1], x[2]}, from(x, 3), recurrent_options(c));
  return amp::cat({y.h, y.c});
}
inline Outputs packed_lstm(In x, Case c) {
  const auto y =
      amp::lstm(packed(x[0], integers_from(c, 4)), {x[1], x[2]}, from(x, 3), recurrent_options(c));
  return {y.output.data, y.h, y.c};
}

template <auto Op>
Outputs recurrent(In x, Case c) {
  const amp::RecurrentResult y = Op(x[0], x[1], from(x, 2), recurrent_options(c));
  return {y.output, y.h};
}
template <auto Op>
Outputs last_states(In x, Case c) {
  return Op(x[0], x[1], from(x, 2), recurrent_options(c)).h;
}
template <auto Op>
Outputs packed_recurrent(In x, Case c) {
  const amp::PackedRecurrentResult y =
      Op(packed(x[0], integers_from(c, 4)), x[1], from(x, 2), recurrent_options(c));
  return {y.output.data, y.h};
}
// The overloads of an op by their first argument.
#define AMP_TEST_OVERLOADS(op)                                                                     \
  inline constexpr auto k_##op = [](const auto& input, const amp::Tensor& hx,                      \
                                    const Tensors& params, const amp::RecurrentOptions& options) { \
    return amp::op(input, hx, params, options);                                                    \
  }
AMP_TEST_OVERLOADS(gru);
AMP_TEST_OVERLOADS(rnn_tanh);
AMP_TEST_OVERLOADS(rnn_relu);
#undef AMP_TEST_OVERLOADS

inline Outputs pack_padded_sequence(In x, Case c) {
  const amp::PackedSequence packed = amp::pack_padded_sequence(
      x[0], integers_from(c, 2), {.batch_first = flag(c, 0), .enforce_sorted = flag(c, 1)});
  if (flag(c, 1)) return {packed.data, packed.batch_sizes.to(packed.data.device())};
  return {packed.data, packed.batch_sizes.to(packed.data.device()), packed.sorted_indices,
          packed.unsorted_indices};
}
inline Outputs pad_packed_sequence(In x, Case c) {
  const amp::PackedSequence sequence = packed(x[0], integers_from(c, 3));
  amp::PadPackedOptions options{.batch_first = flag(c, 0), .padding_value = c.attributes[1]};
  if (c.attributes[2] != 0) options.total_length = integer(c, 2);
  const amp::PaddedSequences padded = amp::pad_packed_sequence(sequence, options);
  return {padded.output, padded.lengths.to(x[0].device())};
}
inline Outputs pad_sequence(In x, Case c) {
  return amp::pad_sequence(
      x, {.batch_first = flag(c, 0), .padding_value = c.attributes[1], .pads_left = flag(c, 2)});
}

// Each step starts from states that were rounded in the step before it, and gradients from gates
// that were.
inline constexpr Limits kOneStep{0.51, 3.01, 12}, kManySteps{1.01, 8.01, 24};

// clang-format off
inline constexpr Binding kRecurrent[] = {
    {"lstm_cell", lstm_cell, kOneStep, "input* hx.h? hx.c? w_ih w_hh* b_ih? b_hh?"},
    {"gru_cell", recurrent_cell<amp::gru_cell>, kOneStep, "input* hx? w_ih w_hh* b_ih? b_hh?"},
    {"rnn_tanh_cell", recurrent_cell<amp::rnn_tanh_cell>, kOneStep, "input* hx? w_ih w_hh* b_ih? b_hh?"},
    {"rnn_relu_cell", recurrent_cell<amp::rnn_relu_cell>, kOneStep, "input* hx? w_ih w_hh* b_ih? b_hh?"},
    {"lstm", lstm, kManySteps, "input* hx.h? hx.c? params params* params params params params* params params params params* params params params params* params params"},
    {"lstm(last states)", last_states_of_lstm, kManySteps, "input* hx.h? hx.c? params params* params params params params* params params params params* params params params params* params params"},
    {"lstm(packed)", packed_lstm, kManySteps, "- hx.h? hx.c? params params* params params params params* params params params params* params params params params* params params"},
    {"gru", recurrent<k_gru>, kManySteps, "input* hx? params params* params params params params* params params params params* params params params params* params params"},
    {"gru(last states)", last_states<k_gru>, kManySteps, "input* hx? params params* params params params params* params params params params* params params params params* params params"},
    {"gru(packed)", packed_recurrent<k_gru>, kManySteps, "- hx? params params* params params params params* params params params params* params params params params* params params"},
    {"rnn_tanh", recurrent<k_rnn_tanh>, kManySteps, "input* hx? params params* params params params params* params params params params* params params params params* params params"},
    {"rnn_tanh(last states)", last_states<k_rnn_tanh>, kManySteps, "input* hx? params params* params params params params* params params params params* params params params params* params params"},
    {"rnn_tanh(packed)", packed_recurrent<k_rnn_tanh>, kManySteps, "- hx? params params* params params params params* params params params params* params params params params* params params"},
    {"rnn_relu", recurrent<k_rnn_relu>, kManySteps, "input* hx? params params* params params params params* params params params params* params params params params* params params"},
    {"rnn_relu(last states)", last_states<k_rnn_relu>, kManySteps, "input* hx? params params* params params params params* params params params params* params params params params* params params"},
    {"rnn_relu(packed)", packed_recurrent<k_rnn_relu>, kManySteps, "- hx? params params* params params params params* params params params params* params params params params* params params"},
    {"pack_padded_sequence", pack_padded_sequence, kOneRounding, "input*", kAnything},
    {"pad_packed_sequence", pad_packed_sequence, kOneRounding, "data*", kAnything},
    {"pad_sequence", pad_sequence, kOneRounding, "sequences", kAnything},
};
// clang-format on

}  // namespace conformance::bindings
