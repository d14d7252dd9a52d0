// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/nn/init.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/nn/recurrent.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0::nn::detail {

AMP_LAZY void check_sizes(std::string_view type, std::int64_t inputs, std::int64_t units) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // 8 times as many do not overflow
  AMP_CHECK(inputs >= 1 && inputs <= kMost && units >= 1 && units <= kMost, "nn::", type,
            ": `input_size` and `hidden_size` must be from 1 to 2^40, but are ", inputs, " and ",
            units);
}

AMP_LAZY_DEFINITION NamedTensors make_recurrent(std::string_view type, std::int64_t gates,
                                                std::int64_t inputs, std::int64_t units,
                                                const RecurrentLayerOptions& options) {
  check_sizes(type, inputs, units);
  AMP_CHECK(options.num_layers >= 1, "nn::", type, ": `num_layers` must be at least 1, but is ",
            options.num_layers);
  AMP_CHECK(options.dropout >= 0 && options.dropout <= 1, "nn::", type,
            ": `dropout` must lie in [0, 1], but is ", options.dropout);
  if (options.dropout > 0 && options.num_layers == 1)
    amp::detail::warn("nn::", type,
                      ": `dropout` applies to the outputs of all layers but the last; "
                      "with one layer it does nothing");
  return amp::detail::or_out_of_memory([&] {
    NamedTensors weights;
    const std::int64_t directions = options.bidirectional ? 2 : 1, rows = gates * units;
    for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
      for (std::int64_t d = 0; d < directions; ++d) {
        const std::string suffix = "_l" + std::to_string(layer) + (d == 1 ? "_reverse" : "");
        const auto draw = [&](const char* name, const Shape& shape) {
          weights.emplace_back(name + suffix, init::fan_in_uniform(shape, units));
        };
        draw("weight_ih", {rows, layer == 0 ? inputs : directions * units});
        draw("weight_hh", {rows, units});
        if (!options.bias) continue;
        draw("bias_ih", {rows});
        draw("bias_hh", {rows});
      }
    }
    return weights;
  });
}

AMP_LAZY_DEFINITION std::string recurrent_text(std::int64_t inputs, std::int64_t units,
                                               const RecurrentLayerOptions& options) {
  return std::to_string(inputs) + ", " + std::to_string(units) +
         (options.num_layers == 1 ? "" : ", num_layers=" + std::to_string(options.num_layers)) +
         (options.bias ? "" : ", bias=False") + (options.batch_first ? ", batch_first=True" : "") +
         (options.dropout == 0 ? "" : ", dropout=" + python_text(options.dropout)) +
         (options.bidirectional ? ", bidirectional=True" : "");
}

AMP_LAZY_DEFINITION std::array<Tensor, 4> make_cell(std::string_view type, std::int64_t gates,
                                                    std::int64_t inputs, std::int64_t units,
                                                    bool bias) {
  check_sizes(type, inputs, units);
  const std::int64_t rows = gates * units;
  const auto draw = [&](const Shape& shape) { return init::fan_in_uniform(shape, units); };
  const Tensor w_ih = draw({rows, inputs}), w_hh = draw({rows, units});
  const Tensor b_ih = bias ? draw({rows}) : Tensor(), b_hh = bias ? draw({rows}) : Tensor();
  return {w_ih, w_hh, b_ih, b_hh};
}

AMP_LAZY_DEFINITION std::string cell_text(std::int64_t inputs, std::int64_t units, bool bias,
                                          Nonlinearity nonlinearity) {
  return std::to_string(inputs) + ", " + std::to_string(units) + (bias ? "" : ", bias=False") +
         (nonlinearity == Nonlinearity::kTanh ? "" : ", nonlinearity=relu");
}

AMP_LAZY_DEFINITION Tensor as_batch(const Tensor& state, std::int64_t dim) {
  return state.defined() && dim <= state.dim() ? state.unsqueeze(dim) : state;
}
AMP_LAZY_DEFINITION LstmState as_batch(const LstmState& state, std::int64_t dim) {
  return {as_batch(state.h, dim), as_batch(state.c, dim)};
}
AMP_LAZY_DEFINITION LstmResult of_batch(const LstmResult& result, std::int64_t dim) {
  return {result.output.squeeze(dim), result.h.squeeze(1), result.c.squeeze(1)};
}
AMP_LAZY_DEFINITION RecurrentResult of_batch(const RecurrentResult& result, std::int64_t dim) {
  return {result.output.squeeze(dim), result.h.squeeze(1)};
}
AMP_LAZY_DEFINITION LstmState of_batch(const LstmState& state) {
  return {state.h.squeeze(0), state.c.squeeze(0)};
}
AMP_LAZY_DEFINITION Tensor of_batch(const Tensor& state) { return state.squeeze(0); }

}  // namespace amp::inline v0::nn::detail
