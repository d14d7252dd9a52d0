// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent networks, and their cells. The formulas are those of ops/recurrent.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/ops/recurrent.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of LSTM and GRU.
struct RecurrentLayerOptions {
  std::int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;  // of the outputs of all layers but the last, in training
  bool bidirectional = false;
};
using LSTMOptions = RecurrentLayerOptions;
using GRUOptions = RecurrentLayerOptions;

/// What an Elman network makes of its sums.
enum class Nonlinearity : std::uint8_t { kTanh, kRelu };

/// Options of RNN.
struct RNNOptions {
  std::int64_t num_layers = 1;
  Nonlinearity nonlinearity = Nonlinearity::kTanh;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;  // of the outputs of all layers but the last, in training
  bool bidirectional = false;
};

/// Options of LSTMCell and GRUCell.
struct RecurrentCellOptions {
  bool bias = true;
};
using LSTMCellOptions = RecurrentCellOptions;
using GRUCellOptions = RecurrentCellOptions;
/// Options of RNNCell.
struct RNNCellOptions {
  bool bias = true;
  Nonlinearity nonlinearity = Nonlinearity::kTanh;
};

namespace detail {

/// The parameters that a network with so many gates starts with. Throws if it cannot work.
AMP_LAZY AMP_COLD NamedTensors make_recurrent(std::string_view type, std::int64_t gates,
                                              std::int64_t inputs, std::int64_t units,
                                              const RecurrentLayerOptions& options);
/// Its extra_repr.
AMP_LAZY AMP_COLD std::string recurrent_text(std::int64_t inputs, std::int64_t units,
                                             const RecurrentLayerOptions& options);
/// Those of a cell: w_ih, w_hh and, if there is a bias, b_ih and b_hh.
AMP_LAZY AMP_COLD std::array<Tensor, 4> make_cell(std::string_view type, std::int64_t gates,
                                                  std::int64_t inputs, std::int64_t units,
                                                  bool bias);
AMP_LAZY AMP_COLD std::string cell_text(std::int64_t inputs, std::int64_t units, bool bias,
                                        Nonlinearity nonlinearity);

/// States of one sequence, or of one sample, as a batch of 1 in dimension `dim`; undefined ones
/// stay so.
AMP_LAZY Tensor as_batch(const Tensor& state, std::int64_t dim);
AMP_LAZY LstmState as_batch(const LstmState& state, std::int64_t dim);
/// The reverse for the results: of a network, whose output has the batch in dimension `dim`, and of
/// a cell.
AMP_LAZY LstmResult of_batch(const LstmResult& result, std::int64_t dim);
AMP_LAZY RecurrentResult of_batch(const RecurrentResult& result, std::int64_t dim);
AMP_LAZY LstmState of_batch(const LstmState& state);
AMP_LAZY Tensor of_batch(const Tensor& state);

/// What LSTM, GRU and RNN have in common. Self::run() calls the op.
template <class Self, std::int64_t kGates, class State, class Result, class PackedResult,
          class Options>
class RecurrentLayer : public Layer<Self> {
 public:
  RecurrentLayer(std::nullptr_t = nullptr) : Layer<Self>(nullptr) {}  // empty
  /// For inputs of `input_size` elements and states of `hidden_size`. Draws all parameters at
  /// random.
  RecurrentLayer(std::int64_t input_size, std::int64_t hidden_size, const Options& options = {})
      : options_(options) {
    const RecurrentLayerOptions o{options.num_layers, options.bias, options.batch_first,
                                  options.dropout, options.bidirectional};
    weights_ = make_recurrent(kTypeName<Self>, kGates, input_size, hidden_size, o);
    for (const auto& [name, tensor] : weights_) (void)this->register_parameter(name, tensor);
    this->set_extra_repr([&] { return recurrent_text(input_size, hidden_size, o); });
  }
  template <amp::detail::NotOptions<Options> ByPlace, class... More>
  RecurrentLayer(std::int64_t, std::int64_t, ByPlace, More...) = delete;  // write {.num_layers = 2}

  /// Runs the network over the steps of x [T, B, I], [B, T, I] with `batch_first`, or [T, I]
  /// without a batch, from the states on. States that are not given are zeros.
  Result forward(const Tensor& x, const State& hx = {}) const {
    this->check_defined();
    if (!x.defined() || x.dim() != 2) return run(x, hx);
    const std::int64_t dim = options_.batch_first ? 0 : 1;
    return of_batch(run(as_batch(x, dim), as_batch(hx, 1)), dim);
  }
  /// The same over packed sequences.
  PackedResult forward(const PackedSequence& x, const State& hx = {}) const {
    this->check_defined();
    return run(x, hx);
  }

  using Layer<Self>::operator();
  Result operator()(const Tensor& x, const State& hx) const {
    return Layer<Self>::operator()(x, hx);
  }
  PackedResult operator()(const PackedSequence& x, const State& hx) const {
    return Layer<Self>::operator()(x, hx);
  }

 protected:
  const Options& options() const { return options_; }

 private:
  template <class Input>
  auto run(const Input& x, const State& hx) const {
    std::vector<Tensor> weights;
    amp::detail::or_out_of_memory([&] {
      for (const auto& [name, tensor] : weights_) weights.push_back(this->registered(name, tensor));
    });
    return static_cast<const Self&>(*this).compute(
        x, hx, weights,
        RecurrentOptions{options_.num_layers, options_.dropout, this->is_training(),
                         options_.bidirectional, options_.batch_first, options_.bias});
  }

  NamedTensors weights_;
  Options options_;
};

/// What LSTMCell, GRUCell and RNNCell have in common. Self::compute() calls the op.
template <class Self, std::int64_t kGates, class State, class Options>
class RecurrentCell : public Layer<Self> {
 public:
  RecurrentCell(std::nullptr_t = nullptr) : Layer<Self>(nullptr) {}  // empty
  /// For inputs of `input_size` elements and states of `hidden_size`. Draws all parameters at
  /// random.
  RecurrentCell(std::int64_t input_size, std::int64_t hidden_size, const Options& options = {})
      : options_(options) {
    const auto [w_ih, w_hh, b_ih, b_hh] =
        make_cell(kTypeName<Self>, kGates, input_size, hidden_size, options.bias);
    weight_ih = this->register_parameter("weight_ih", w_ih);
    weight_hh = this->register_parameter("weight_hh", w_hh);
    bias_ih = this->register_parameter("bias_ih", b_ih);
    bias_hh = this->register_parameter("bias_hh", b_hh);
    Nonlinearity nonlinearity = Nonlinearity::kTanh;
    if constexpr (requires { options.nonlinearity; }) nonlinearity = options.nonlinearity;
    this->set_extra_repr(
        [&] { return cell_text(input_size, hidden_size, options.bias, nonlinearity); });
  }
  template <amp::detail::NotOptions<Options> ByPlace, class... More>
  RecurrentCell(std::int64_t, std::int64_t, ByPlace, More...) = delete;  // write {.bias = false}

  /// Makes one step with x [B, I], or [I] without a batch, from the state on; one that is not given
  /// is zeros. Returns the next state.
  State forward(const Tensor& x, const State& hx = {}) const {
    this->check_defined();
    if (!x.defined() || x.dim() != 1) return run(x, hx);
    return of_batch(run(as_batch(x, 0), as_batch(hx, 0)));
  }

  using Layer<Self>::operator();
  State operator()(const Tensor& x, const State& hx) const {
    return Layer<Self>::operator()(x, hx);
  }

  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

 protected:
  const Options& options() const { return options_; }

 private:
  State run(const Tensor& x, const State& hx) const {
    return static_cast<const Self&>(*this).compute(
        x, hx, this->registered("weight_ih", weight_ih), this->registered("weight_hh", weight_hh),
        this->registered("bias_ih", bias_ih), this->registered("bias_hh", bias_hh));
  }

  Options options_;
};

}  // namespace detail

/// Layers of an LSTM (lstm). Parameters are weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0,
/// those of the other direction, weight_ih_l0_reverse and so on, and those of the next layers. The
/// result has the members `output`, `h` and `c`.
///
/// ```cpp
/// const amp::nn::LSTM lstm(10, 20, {.num_layers = 2, .batch_first = true});
/// const auto [output, h, c] = lstm(amp::ones({3, 5, 10}));
/// assert(output.shape() == amp::Shape(3, 5, 20));
/// const amp::Tensor next = lstm(amp::ones({3, 1, 10}), {h, c}).output;  // from these states on
/// assert(next.shape() == amp::Shape(3, 1, 20));
/// ```
class LSTM
    : public detail::RecurrentLayer<LSTM, 4, LstmState, LstmResult, PackedLstmResult, LSTMOptions> {
 public:
  using RecurrentLayer::RecurrentLayer;

 private:
  friend RecurrentLayer;
  template <class Input>
  auto compute(const Input& x, const LstmState& hx, const std::vector<Tensor>& weights,
               const RecurrentOptions& options) const {
    return lstm(x, hx, weights, options);
  }
};

/// The same of a GRU (gru). The result has the members `output` and `h`.
class GRU : public detail::RecurrentLayer<GRU, 3, Tensor, RecurrentResult, PackedRecurrentResult,
                                          GRUOptions> {
 public:
  using RecurrentLayer::RecurrentLayer;

 private:
  friend RecurrentLayer;
  template <class Input>
  auto compute(const Input& x, const Tensor& hx, const std::vector<Tensor>& weights,
               const RecurrentOptions& options) const {
    return gru(x, hx, weights, options);
  }
};

/// The same of an Elman network (rnn_tanh, rnn_relu).
class RNN : public detail::RecurrentLayer<RNN, 1, Tensor, RecurrentResult, PackedRecurrentResult,
                                          RNNOptions> {
 public:
  using RecurrentLayer::RecurrentLayer;

 private:
  friend RecurrentLayer;
  template <class Input>
  auto compute(const Input& x, const Tensor& hx, const std::vector<Tensor>& weights,
               const RecurrentOptions& run) const {
    return options().nonlinearity == Nonlinearity::kTanh ? rnn_tanh(x, hx, weights, run)
                                                         : rnn_relu(x, hx, weights, run);
  }
};

/// One step of an LSTM (lstm_cell). It takes and returns states with the members `h` and `c`.
///
/// ```cpp
/// const amp::nn::LSTMCell cell(10, 20);
/// amp::LstmState state = cell(amp::ones({3, 10}));
/// state = cell(amp::ones({3, 10}), state);
/// assert(state.h.shape() == amp::Shape(3, 20));
/// ```
class LSTMCell : public detail::RecurrentCell<LSTMCell, 4, LstmState, LSTMCellOptions> {
 public:
  using RecurrentCell::RecurrentCell;

 private:
  friend RecurrentCell;
  template <class... Weights>
  LstmState compute(const Tensor& x, const LstmState& hx, const Weights&... weights) const {
    return lstm_cell(x, hx, weights...);
  }
};

/// One step of a GRU (gru_cell).
class GRUCell : public detail::RecurrentCell<GRUCell, 3, Tensor, GRUCellOptions> {
 public:
  using RecurrentCell::RecurrentCell;

 private:
  friend RecurrentCell;
  template <class... Weights>
  Tensor compute(const Tensor& x, const Tensor& hx, const Weights&... weights) const {
    return gru_cell(x, hx, weights...);
  }
};

/// One step of an Elman network (rnn_tanh_cell, rnn_relu_cell).
class RNNCell : public detail::RecurrentCell<RNNCell, 1, Tensor, RNNCellOptions> {
 public:
  using RecurrentCell::RecurrentCell;

 private:
  friend RecurrentCell;
  template <class... Weights>
  Tensor compute(const Tensor& x, const Tensor& hx, const Weights&... weights) const {
    return options().nonlinearity == Nonlinearity::kTanh ? rnn_tanh_cell(x, hx, weights...)
                                                         : rnn_relu_cell(x, hx, weights...);
  }
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/recurrent.ipp"
#endif
