// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// LSTM, GRU and RNN over sequences, packed sequences and single steps.
#include <amp/amp.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "nn/nets.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace recurrent_layers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::evaluated;
using amp_test::net;
using amp_test::numbers;
using amp_test::Tensors;
using Lengths = std::vector<std::int64_t>;

Tensors results_of(const amp::LstmResult& y) { return {y.output, y.h, y.c}; }
Tensors results_of(const amp::RecurrentResult& y) { return {y.output, y.h}; }
Tensors results_of(const amp::PackedLstmResult& y) { return {y.output.data, y.h, y.c}; }
Tensors results_of(const amp::PackedRecurrentResult& y) { return {y.output.data, y.h}; }
Tensors results_of(const amp::LstmState& y) { return {y.h, y.c}; }
Tensors results_of(const Tensor& y) { return {y}; }

/// A layer that gets a sequence and, if there are more inputs, states.
template <class M>
amp_test::Net layer(const M& module) {
  return net(module, [](const M& m, const Tensors& x) {
    if constexpr (requires { m(x[0], {x[1], x[2]}).h; }) {
      return x.size() == 1 ? results_of(m(x[0])) : results_of(m(x[0], {x[1], x[2]}));
    } else {
      return x.size() == 1 ? results_of(m(x[0])) : results_of(m(x[0], x[1]));
    }
  });
}
/// A layer that gets packed sequences.
template <class M>
amp_test::Net packed(const M& module, const Lengths& lengths) {
  return net(module, [lengths](const M& m, const Tensors& x) {
    return results_of(m(amp::pack_padded_sequence(x[0], lengths, {.enforce_sorted = false})));
  });
}

}  // namespace

TEST_CASE("recurrent layers: all that torch computes, prints and saves", "[nn]") {
  amp_test::check_nets(
      "recurrent",
      {
          {"lstm", layer(nn::LSTM(2, 2))},
          {"lstm from states", layer(nn::LSTM(2, 1))},
          {"lstm with all options", evaluated(layer(nn::LSTM(2, 1,
                                                             {.num_layers = 2,
                                                              .bias = false,
                                                              .batch_first = true,
                                                              .dropout = 0.5,
                                                              .bidirectional = true})))},
          {"lstm packed", packed(nn::LSTM(1, 2), {2, 3, 1})},
          {"lstm without batch", layer(nn::LSTM(2, 2, {.batch_first = true}))},
          {"gru", layer(nn::GRU(2, 2))},
          {"gru from a state", layer(nn::GRU(1, 2, {.num_layers = 2}))},
          {"gru packed", packed(nn::GRU(1, 2, {.bidirectional = true}), {1, 3})},
          {"rnn", layer(nn::RNN(2, 2, {.num_layers = 2, .bidirectional = true}))},
          {"rnn of relu",
           layer(nn::RNN(2, 3, {.nonlinearity = nn::Nonlinearity::kRelu, .batch_first = true}))},
          {"lstm_cell", layer(nn::LSTMCell(2, 3))},
          {"lstm_cell from states", layer(nn::LSTMCell(2, 2, {.bias = false}))},
          {"gru_cell", layer(nn::GRUCell(2, 3))},
          {"rnn_cell", layer(nn::RNNCell(2, 3))},
          {"rnn_cell of relu",
           layer(nn::RNNCell(2, 3, {.bias = false, .nonlinearity = nn::Nonlinearity::kRelu}))},
      });
}

TEST_CASE("recurrent layers: dropout applies between layers, in training only", "[nn]") {
  amp::manual_seed(5);
  const nn::GRU gru(4, 64, {.num_layers = 2, .dropout = 0.5});
  const Tensor x = amp::randn({3, 2, 4});
  const Tensor first = gru(x).output, second = gru(x).output;
  CHECK_FALSE(amp_test::same_bits(first, second));
  CHECK(amp_test::same_bits(gru(x).h.select(0, 0), gru(x).h.select(0, 0)));  // the first layer
  gru.eval();
  CHECK(amp_test::same_bits(gru(x).output, gru(x).output));
}

TEST_CASE("recurrent layers: parameters are drawn from torch's range", "[nn]") {
  amp::manual_seed(2);
  for (const auto& [name, tensor] : nn::LSTM(50, 16, {.bidirectional = true}).named_parameters()) {
    INFO(name);
    const double most = amp::max(amp::abs(tensor)).item<double>();
    CHECK(most <= 0.25);
    CHECK(most > 0.22);
  }
}

TEST_CASE("recurrent layers: a weight that is replaced is computed with", "[nn]") {
  nn::LSTM lstm(2, 3);
  const nn::LSTM copy = lstm;
  const Tensor x = numbers({4, 1, 2}, 1, amp::kFloat32);
  const Tensor before = lstm(x).output;
  (void)lstm.replace_parameter("weight_hh_l0", amp::zeros({12, 3}));
  CHECK_FALSE(amp_test::same_bits(copy(x).output, before));
  CHECK(amp_test::same_bits(copy(x).output, lstm(x).output));
  const nn::LSTM clone = lstm.clone();
  CHECK(amp_test::same_bits(clone(x).output, lstm(x).output));
  amp::sum(clone(x).output).backward();
  CHECK(clone.parameters()[1].grad().defined());
  CHECK_FALSE(lstm.parameters()[1].grad().defined());
}

TEST_CASE("recurrent layers: under autocast they are computed and return in low precision",
          "[nn]") {
  const nn::LSTM lstm(3, 4, {.num_layers = 2, .bidirectional = true});
  const Tensor x = numbers({5, 2, 3}, 1, amp::kFloat32);
  const Tensor expected = lstm(x).output;
  for (const amp::DType dtype : {amp::kBFloat16, amp::kFloat16}) {
    const amp::AutocastGuard guard(amp::kCPU, {.dtype = dtype});
    const auto [output, h, c] = lstm(x);
    CHECK(output.dtype() == dtype);
    CHECK(h.dtype() == dtype);
    CHECK(c.dtype() == dtype);
    CHECK(amp_test::difference(output.to_vector<double>(), expected.to_vector<double>()) <
          (dtype == amp::kFloat16 ? 2e-3 : 1.5e-2));
    CHECK(nn::LSTMCell(3, 4)(x.select(0, 0)).h.dtype() == dtype);
  }
}

TEST_CASE("recurrent layers: what cannot work is refused", "[nn]") {
  CHECK_THROWS_WITH(nn::LSTM(0, 4),
                    "nn::LSTM: `input_size` and `hidden_size` must be from 1 to 2^40, but are 0 "
                    "and 4");
  CHECK_THROWS_AS(nn::GRU(4, -1), amp::Error);
  CHECK_THROWS_AS(nn::GRU(4, std::int64_t{1} << 62), amp::Error);
  CHECK_THROWS_AS((nn::RNN(4, 4, {.num_layers = 0})), amp::Error);
  CHECK_THROWS_AS((nn::RNN(4, 4, {.num_layers = 2, .dropout = 1.5})), amp::Error);
  CHECK_THROWS_AS(nn::GRUCell(4, 0), amp::Error);
  const nn::LSTM lstm(2, 3);
  const Tensor x = amp::ones({4, 2, 2});
  for (const Tensor& bad : {Tensor(), amp::ones({4, 2, 3}), amp::ones({2}), amp::ones({0, 2, 2}),
                            amp::ones({4, 2, 2}, {.dtype = amp::kInt64})})
    CHECK_THROWS_AS(lstm(bad), amp::Error);
  CHECK_THROWS_AS(lstm(x, {amp::ones({2, 3}), Tensor()}), amp::Error);
  CHECK_THROWS_AS(lstm(amp::ones({4, 2}), {amp::ones({1, 2, 3}), Tensor()}), amp::Error);
  CHECK_THROWS_AS(lstm(amp::PackedSequence{}), amp::Error);
  CHECK_THROWS_AS(nn::LSTM()(x), amp::Error);
  CHECK_THROWS_AS(nn::LSTM()(x, {}), amp::Error);
  CHECK_THROWS_AS(nn::GRUCell(2, 3)(amp::ones({4, 5})), amp::Error);
  CHECK_THROWS_AS(nn::GRUCell(2, 3)(Tensor()), amp::Error);
}

TEST_CASE("recurrent layers: dropout with one layer warns", "[nn]") {
  std::string warned;
  const amp::WarningHandler before =
      amp::set_warning_handler([&](std::string_view text) { warned = text; });
  (void)nn::LSTM(2, 2, {.dropout = 0.5});
  amp::set_warning_handler(before);
  CHECK(warned ==
        "nn::LSTM: `dropout` applies to the outputs of all layers but the last; with one "
        "layer it does nothing");
}

}  // namespace recurrent_layers
