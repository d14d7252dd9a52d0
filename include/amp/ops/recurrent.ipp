// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/kernels/recurrent/args.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/recurrent.hpp"
#include "amp/ops/recurrent_layer.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

using kernels::RecurrentCell;

/// The names of the states in messages.
AMP_LAZY std::string_view name_of_state(RecurrentCell cell, bool is_cell_state) {
  return cell != RecurrentCell::kLstm ? "hx" : is_cell_state ? "hx.c" : "hx.h";
}

/// A weight in messages: an argument, or a member of the list `params`.
struct WeightName {
  std::string_view argument;
  std::int64_t number = -1;
};
AMP_LAZY std::string to_string(const WeightName& name) {
  std::string text = '`' + std::string(name.argument) + '`';
  return name.number < 0 ? text : text + '[' + to_text(name.number) + ']';
}

/// Throws unless the weights fit to `inputs` and `units`. `names` are those of the four.
AMP_LAZY void check_weights(const RecurrentRun& run, const Tensor& input, std::int64_t inputs,
                            std::int64_t units, const Tensor* weights, const WeightName* names) {
  const std::string_view op = run.op;
  const std::int64_t rows = gates_of(run.cell) * units;
  for (int i = 0; i < 4; ++i) {
    const Tensor& weight = weights[i];
    if (i >= 2 && !weight.defined()) continue;
    check_defined(op, names[i].argument, weight);
    check_same_device(op, run.input_name, input, names[i].argument, weight);
    const Shape shape = i >= 2 ? Shape(rows) : Shape(rows, i == 0 ? inputs : units);
    AMP_CHECK(weight.shape() == shape, op, ": ", names[i], " must have shape ", shape, ", but is ",
              describe(weight));
  }
  AMP_CHECK(weights[2].defined() == weights[3].defined(), op, ": ", names[2], " and ", names[3],
            " must both be given, or neither");
}

/// Throws unless the state is undefined, or has the shape.
AMP_LAZY void check_state(const RecurrentRun& run, std::string_view name, const Tensor& input,
                          const Tensor& state, const Shape& shape) {
  if (!state.defined()) return;
  check_same_device(run.op, run.input_name, input, name, state);
  AMP_CHECK(state.shape() == shape, run.op, ": `", name, "` must have shape ", shape, ", but is ",
            describe(state));
}

/// After the casts: throws unless all have the dtype of the input.
AMP_LAZY void check_dtypes(std::string_view op, std::span<const Tensor> tensors,
                           std::span<const std::string_view> names) {
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const std::string_view name = names[(std::min)(i, names.size() - 1)];
    if (tensors[i].defined()) check_matmul(op, tensors[0], tensors[i], names[0], name);
    AMP_CHECK(item_size(tensors[0].dtype()) > 1, op, ": `", names[0],
              "` must not be of 8 bits, but is ", describe(tensors[0]));
  }
}

AMP_LAZY Tensor zeros_unless_defined(const Tensor& state, const Shape& shape, const Tensor& like) {
  if (state.defined()) return state;
  return zeros(shape, {.dtype = like.dtype(), .device = like.device()});
}

/// Runs a cell once. Returns its states, as recurrent_layer() does.
AMP_LAZY Tensor recurrent_cell(autocasting::OpId id, RecurrentCell cell, const Tensor& input,
                               const Tensor& h, const Tensor& c, const Tensor& w_ih,
                               const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {
  const std::string_view op = id.name();
  const std::string_view h_name = name_of_state(cell, false), c_name = name_of_state(cell, true);
  check_floating(op, "input", input);
  check_defined(op, "w_ih", w_ih);
  check_defined(op, "w_hh", w_hh);
  AMP_CHECK(input.dim() == 2 && w_hh.dim() == 2, op,
            ": expected `input` [B, I] and `w_hh` [G H, H], but got ", describe(input), " and ",
            describe(w_hh));
  const std::int64_t batch = input.size(0), units = w_hh.size(1);
  const Tensor weights[] = {w_ih, w_hh, b_ih, b_hh};
  const WeightName names[] = {{"w_ih"}, {"w_hh"}, {"b_ih"}, {"b_hh"}};
  const RecurrentRun run{op, cell, 1, batch};
  check_weights(run, input, input.size(1), units, weights, names);
  check_state(run, h_name, input, h, {batch, units});
  check_state(run, c_name, input, c, {batch, units});
  return autocasting::call(
      id,
      [&](const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& a, const Tensor& b,
          const Tensor& e, const Tensor& f) {
        const Tensor all[] = {x, h0, c0, a, b, e, f};
        const std::string_view all_names[] = {"input", h_name, c_name, "w_ih",
                                              "w_hh",  "b_ih", "b_hh"};
        check_dtypes(op, all, all_names);
        const auto state = [&](const Tensor& given) {
          return reshape(zeros_unless_defined(given, {batch, units}, x), {1, batch, units});
        };
        const bool is_lstm = cell == RecurrentCell::kLstm;
        return recurrent_layer(run, x, state(h0), is_lstm ? state(c0) : Tensor(),
                               std::span(all).subspan(3));
      },
      input, h, c, w_ih, w_hh, b_ih, b_hh);
}

/// The results of several layers.
struct RecurrentLayers {
  Tensor output, h, c;
};

/// What several layers are computed from, beside tensors.
struct RecurrentNetwork {
  RecurrentRun run;
  RecurrentOptions options;
  std::int64_t units;

  std::int64_t directions() const { return options.bidirectional ? 2 : 1; }
  std::size_t weights_of_direction() const { return options.has_biases ? 4 : 2; }
};

/// Runs the layers. `tensors` are the input, as it was given, h, c and the parameters.
AMP_LAZY RecurrentLayers recurrent_layers(const RecurrentNetwork& network,
                                          std::span<const Tensor> tensors) {
  const RecurrentOptions& options = network.options;
  const std::int64_t directions = network.directions(), batch = network.run.batch,
                     units = network.units;
  const bool is_lstm = network.run.cell == RecurrentCell::kLstm;
  const Shape all(options.num_layers * directions, batch, units);
  const Tensor h0 = zeros_unless_defined(tensors[1], all, tensors[0]),
               c0 = is_lstm ? zeros_unless_defined(tensors[2], all, tensors[0]) : Tensor();
  std::span<const Tensor> parameters = tensors.subspan(3);
  Tensor x = tensors[0];
  if (x.dim() == 3) {
    const Tensor by_step = options.batch_first ? transpose(x, 0, 1) : x;
    x = reshape(by_step, {network.run.steps * batch, x.size(2)});
  }
  const std::int64_t rows = x.size(0);
  PoolVector<Tensor> h, c;
  for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
    if (layer > 0 && options.training && options.dropout > 0) x = dropout(x, options.dropout, true);
    PoolVector<Tensor> weights;
    for (std::int64_t d = 0; d < directions; ++d) {
      const std::size_t given = network.weights_of_direction();
      weights.insert(weights.end(), parameters.begin(),
                     parameters.begin() + static_cast<std::ptrdiff_t>(given));
      weights.resize(weights.size() + 4 - given);
      parameters = parameters.subspan(given);
    }
    const auto of_layer = [&](const Tensor& states) {
      return narrow(states, 0, layer * directions, directions);
    };
    const Tensor result =
        recurrent_layer(network.run, x, of_layer(h0), is_lstm ? of_layer(c0) : Tensor(), weights);
    const auto states = [&](std::int64_t first) {
      const std::int64_t order[] = {1, 0, 2};
      return permute(reshape(narrow(result, 0, first, batch), {batch, directions, units}), order);
    };
    x = narrow(result, 0, 0, rows);
    h.push_back(states(rows));
    if (is_lstm) c.push_back(states(rows + batch));
  }
  return {x, cat(h, 0), is_lstm ? cat(c, 0) : Tensor()};
}

/// Runs the layers under the policy of the op.
AMP_LAZY RecurrentLayers call_layers(autocasting::OpId id, const RecurrentNetwork& network,
                                     std::span<const Tensor> tensors) {
  const auto compute = [&](std::span<const Tensor> inputs) {
    const std::string_view op = network.run.op;
    const RecurrentCell cell = network.run.cell;
    const std::string_view names[] = {network.run.input_name, name_of_state(cell, false),
                                      name_of_state(cell, true), "params"};
    check_dtypes(op, inputs, names);
    const autocasting::NoCasts no_casts;
    return recurrent_layers(network, inputs);
  };
  const autocasting::State& state = current_autocast();
  if (!state.active()) return compute(tensors);
  autocasting::Casts casts(state, id, state.policy(id));
  for (const Tensor& tensor : tensors) casts.see(tensor);
  PoolVector<Tensor> inputs;
  for (const Tensor& tensor : tensors) inputs.push_back(casts.apply(tensor));
  const RecurrentLayers layers = compute(inputs);
  return {casts.finish(layers.output, tensors[0]), casts.finish(layers.h, tensors[0]),
          casts.finish(layers.c, tensors[0])};
}

/// Checks everything but the input, and runs the layers.
AMP_LAZY RecurrentLayers recurrent(autocasting::OpId id, const RecurrentRun& run,
                                   const Tensor& input, const Tensor& h, const Tensor& c,
                                   const std::vector<Tensor>& params,
                                   const RecurrentOptions& options) {
  const std::string_view op = run.op;
  AMP_CHECK(options.num_layers >= 1, op, ": `num_layers` must be at least 1, but is ",
            options.num_layers);
  AMP_CHECK(options.dropout >= 0 && options.dropout <= 1, op,
            ": `dropout` must lie in [0, 1], but is ", options.dropout);
  RecurrentNetwork network{run, options, 0};
  const std::size_t given = network.weights_of_direction();
  const auto parts = static_cast<std::int64_t>(params.size() / given);
  AMP_CHECK(params.size() % given == 0 && parts % network.directions() == 0 &&
                parts / network.directions() == options.num_layers,
            op, ": `params` must have ", given, " tensors for each of ", options.num_layers,
            " layers in each of ", network.directions(), " directions, but has ", params.size());
  check_defined(op, "params", params[1]);
  AMP_CHECK(params[1].dim() == 2, op, ": `params`[1] must be w_hh [G H, H], but is ",
            describe(params[1]));
  network.units = params[1].size(1);
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::size_t at = static_cast<std::size_t>(part) * given;
    const Tensor* const first = &params[at];
    WeightName names[4];
    for (std::size_t i = 0; i < 4; ++i) names[i] = {"params", static_cast<std::int64_t>(at + i)};
    const Tensor weights[] = {first[0], first[1], given == 4 ? first[2] : Tensor(),
                              given == 4 ? first[3] : Tensor()};
    for (std::size_t i = 0; i < given; ++i) check_defined(op, "params", first[i]);
    const bool is_first = part < network.directions();
    check_weights(run, input, is_first ? input.size(-1) : network.directions() * network.units,
                  network.units, weights, names);
  }
  const Shape states(parts, run.batch, network.units);
  check_state(run, name_of_state(run.cell, false), input, h, states);
  check_state(run, name_of_state(run.cell, true), input, c, states);
  PoolVector<Tensor> tensors = {input, h, c};
  tensors.insert(tensors.end(), params.begin(), params.end());
  if (!autograd::is_observed()) [[likely]]
    return call_layers(id, network, tensors);
  autocasting::ObservedOp observed(id, std::span<const Tensor>(tensors));
  RecurrentLayers layers = call_layers(id, network, tensors);
  observed.end(layers.output);
  return layers;
}

AMP_LAZY RecurrentLayers recurrent(autocasting::OpId id, RecurrentCell cell, const Tensor& input,
                                   const Tensor& h, const Tensor& c,
                                   const std::vector<Tensor>& params,
                                   const RecurrentOptions& options) {
  const std::string_view op = id.name();
  check_floating(op, "input", input);
  AMP_CHECK(input.dim() == 3 && input.size(options.batch_first ? 1 : 0) > 0, op,
            ": `input` must be ", options.batch_first ? "[B, T, I]" : "[T, B, I]",
            ", with T > 0, but is ", describe(input));
  const std::int64_t steps = input.size(options.batch_first ? 1 : 0),
                     batch = input.size(options.batch_first ? 0 : 1);
  RecurrentLayers layers = recurrent(id, {op, cell, steps, batch}, input, h, c, params, options);
  const Tensor output = reshape(layers.output, {steps, batch, layers.output.size(1)});
  layers.output = options.batch_first ? transpose(output, 0, 1) : output;
  return layers;
}

/// The same of packed sequences; `output` is the data of those that result.
AMP_LAZY RecurrentLayers recurrent(autocasting::OpId id, RecurrentCell cell,
                                   const PackedSequence& input, const Tensor& h, const Tensor& c,
                                   const std::vector<Tensor>& params,
                                   const RecurrentOptions& options) {
  const std::string_view op = id.name();
  check_packed(op, input);
  check_floating(op, "data", input.data);
  AMP_CHECK(input.data.dim() == 2, op, ": `data` of the input must be [N, I], but is ",
            describe(input.data));
  const Tensor sizes = dense(input.batch_sizes.detach()).clone();  // backward reads them too
  const RecurrentRun run{op,    cell,  sizes.size(0), sizes.const_data<std::int64_t>()[0],
                         sizes, "data"};
  const auto check_batch = [&](std::string_view name, const Tensor& states) {
    if (!states.defined()) return;
    check_same_device(op, "data", input.data, name, states);
    AMP_CHECK(states.dim() == 3 && states.size(1) == run.batch, op, ": `", name,
              "` must have shape [L, ", run.batch, ", H], but is ", describe(states));
  };
  check_batch(name_of_state(cell, false), h);
  check_batch(name_of_state(cell, true), c);
  const auto ordered = [](const Tensor& states, const Tensor& order) {
    return states.defined() && order.defined() ? index_select(states, 1, order) : states;
  };
  RecurrentLayers layers = recurrent(id, run, input.data, ordered(h, input.sorted_indices),
                                     ordered(c, input.sorted_indices), params, options);
  layers.h = ordered(layers.h, input.unsorted_indices);
  layers.c = ordered(layers.c, input.unsorted_indices);
  return layers;
}

AMP_LAZY PackedSequence packed_like(const PackedSequence& input, const Tensor& data) {
  return {data, input.batch_sizes, input.sorted_indices, input.unsorted_indices};
}

}  // namespace detail

AMP_LAZY_DEFINITION LstmState lstm_cell(const Tensor& input, const LstmState& hx,
                                        const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                                        const Tensor& b_hh) {
  const Tensor result = detail::recurrent_cell("lstm_cell", kernels::RecurrentCell::kLstm, input,
                                               hx.h, hx.c, w_ih, w_hh, b_ih, b_hh);
  const std::int64_t batch = input.size(0);
  return {detail::narrow(result, 0, 0, batch), detail::narrow(result, 0, 2 * batch, batch)};
}

// clang-format off
#define AMP_RECURRENT(op, cell) \
  AMP_LAZY_DEFINITION Tensor op##_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) { \
    const Tensor states = detail::recurrent_cell(#op "_cell", kernels::RecurrentCell::cell, input, hx, {}, w_ih, w_hh, b_ih, b_hh); \
    return detail::narrow(states, 0, 0, input.size(0)); \
  } \
  AMP_LAZY_DEFINITION RecurrentResult op(const Tensor& input, const Tensor& hx, const std::vector<Tensor>& params, const RecurrentOptions& options) { \
    const detail::RecurrentLayers layers = detail::recurrent(#op, kernels::RecurrentCell::cell, input, hx, {}, params, options); \
    return {layers.output, layers.h}; \
  } \
  AMP_LAZY_DEFINITION PackedRecurrentResult op(const PackedSequence& input, const Tensor& hx, const std::vector<Tensor>& params, const RecurrentOptions& options) { \
    const detail::RecurrentLayers layers = detail::recurrent(#op, kernels::RecurrentCell::cell, input, hx, {}, params, options); \
    return {detail::packed_like(input, layers.output), layers.h}; \
  }
AMP_RECURRENT(gru, kGru)
AMP_RECURRENT(rnn_tanh, kTanh)
AMP_RECURRENT(rnn_relu, kRelu)
#undef AMP_RECURRENT
// clang-format on

AMP_LAZY_DEFINITION LstmResult lstm(const Tensor& input, const LstmState& hx,
                                    const std::vector<Tensor>& params,
                                    const RecurrentOptions& options) {
  const detail::RecurrentLayers layers =
      detail::recurrent("lstm", kernels::RecurrentCell::kLstm, input, hx.h, hx.c, params, options);
  return {layers.output, layers.h, layers.c};
}
AMP_LAZY_DEFINITION PackedLstmResult lstm(const PackedSequence& input, const LstmState& hx,
                                          const std::vector<Tensor>& params,
                                          const RecurrentOptions& options) {
  const detail::RecurrentLayers layers =
      detail::recurrent("lstm", kernels::RecurrentCell::kLstm, input, hx.h, hx.c, params, options);
  return {detail::packed_like(input, layers.output), layers.h, layers.c};
}

}  // namespace amp::inline v0
