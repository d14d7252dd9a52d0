// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One layer of a recurrent network, with one node of the graph for all of its steps: one matmul for
// the input's products of all steps, the steps (kernels/recurrent), and, in backward, the steps
// again and one matmul for each gradient.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "amp/kernels/recurrent/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// A cell, how many steps it is to make, and with how many sequences; batch_sizes (int64 [T], on
/// the CPU) if they are packed, else undefined. Messages call the input `input_name`.
struct RecurrentRun {
  std::string_view op;
  kernels::RecurrentCell cell;
  std::int64_t steps, batch;
  Tensor batch_sizes = {};
  std::string_view input_name = "input";
};

/// Runs a layer over x [N, I], the rows of all steps, from the states h0 and c0 [D, B, H] on; c0
/// only for the LSTM. `weights` are w_ih, w_hh, b_ih and b_hh of each direction; biases may be
/// undefined. All of one dtype, on one device. Returns [N + B, D H], or [N + 2 B, D H] for the
/// LSTM: the output, and below it the last states h, and c. They are one tensor, since a node has
/// one.
AMP_LAZY Tensor recurrent_layer(const RecurrentRun& run, const Tensor& x, const Tensor& h0,
                                const Tensor& c0, std::span<const Tensor> weights);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/recurrent_layer.ipp"
#endif
