// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Values and gradients of ops, which PyTorch computed: ops.txt, by make_ops.py.
#pragma once

#include <amp/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "goldens/blocks.hpp"

namespace goldens {

/// A floating input and the gradient it receives, if it is differentiated. An empty shape is a
/// 0-dim tensor.
struct Operand {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  std::vector<double> grad = {};
  bool differentiated = false;
};

enum class Kind {
  kReal,    // in the dtype of the inputs
  kInt64,   // exact
  kBool,    // exact
  kRandom,  // in the dtype of the inputs, with values that no table can hold
};
using enum Kind;

struct Result {
  Kind kind;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// One call. `op` is the name of an op, with the form in parentheses if it has several. The meaning
/// of `attributes` and `index` depends on it; ops not named here have none:
///
///   op(x, number) op(number, x)      the number, for any op
///   op(x, numbers)  the parameters of the op, in the order of its arguments
///   op(x, dim)      dim, keepdim, for any op
///   var             dim, correction, keepdim
///   conv2d          stride h, w, padding h, w, dilation h, w, groups
///   max_pool2d avg_pool2d            kernel h, w, stride h, w, padding h, w
///   other convolutions and pools     see conformance/calls/windows.hpp
///   softmax log_softmax cat stack    dim
///   layer_norm rms_norm              eps, the normalized shape
///   group_norm      groups, eps
///   batch_norm      training, momentum, eps, affine parameters, whether there are running
///                   statistics: these are the last operands, and after the call outputs 1 and 2
///   cross_entropy nll_loss           reduction (0 none, 1 mean, 2 sum), ignore_index,
///                   label_smoothing; index: targets; class weights are the second operand
///   cross_entropy(probabilities)     reduction, label_smoothing; class weights are the third operand
///   mse_loss binary_cross_entropy_with_logits    reduction; of the form with options, whether
///                   there are weight and pos_weight: the next operands
///   dropout dropout_add              p, training
///   scaled_dot_product_attention     is_causal, scale (0: the default); a float mask is the
///                   fourth operand, a bool mask the index
///   index_select    dim; index: the selected indices
///   embedding       index: the rows
///   lstm gru rnn_tanh rnn_relu       num_layers, bidirectional, batch_first, has_biases; of the form
///                   (packed), then the lengths
///   pack_padded_sequence             batch_first, enforce_sorted, the lengths
///   pad_packed_sequence              batch_first, padding_value, total_length (0: unset), the lengths
///   pad_sequence    batch_first, padding_value, pads_left
///   where           index: the condition; the number of the forms that have one
///   gather take_along_dim scatter scatter_add index_copy    dim; index: the index
///   scatter(x, number) index_fill    dim, the number; index: the index
///   scatter_reduce  dim, reduce (0 sum, 1 prod, 2 mean, 3 amax, 4 amin), include_self
///   index_add       dim, alpha; index: the index
///   index index_put which indices its rows are (0 those of the first dimensions, 1 of those behind a
///                   whole one, 2 with a whole one between, 3 it is one itself), accumulate
///   repeat_interleave    dim; index: repeats
///   bincount        minlength
///   Tensor::        the arguments of the member function
struct OpCase {
  std::string op;
  std::string detail;
  std::vector<Operand> inputs;
  std::vector<double> attributes;
  std::vector<std::int64_t> index_shape;
  std::vector<std::int64_t> index;
  std::vector<Result> outputs;  // the first is differentiated, if it is real
  std::vector<double> grad_output;
};

/// One line of a case.
inline void read(const Line& line, OpCase& c) {
  const Array given = array(line);
  const auto result = [&](Kind kind) { c.outputs.push_back({kind, given.shape, given.values}); };
  if (line.key == "input") {
    c.inputs.push_back({given.shape, given.values});
  } else if (line.key == "gradient") {  // of the input before it
    c.inputs.back().grad = given.values;
    c.inputs.back().differentiated = true;
  } else if (line.key == "attributes") {
    c.attributes = given.values;
  } else if (line.key == "index") {
    c.index_shape = given.shape;
    c.index.assign(given.values.begin(), given.values.end());
  } else if (line.key == "real") {
    result(kReal);
  } else if (line.key == "int64") {
    result(kInt64);
  } else if (line.key == "bool") {
    result(kBool);
  } else if (line.key == "random") {
    result(kRandom);
  } else if (line.key == "incoming") {
    c.grad_output = given.values;
  } else {
    AMP_CHECK(false, c.op, ": ", c.detail, " has a line \"", line.key, '"');
  }
}

/// All cases, read once.
inline const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> cases = [] {
    std::vector<OpCase> result;
    for (const Block& block : read_blocks("ops.txt")) {
      const std::size_t colon = block.title.find(": ");
      OpCase& c = result.emplace_back();
      c.op = block.title.substr(0, colon);
      c.detail = block.title.substr(colon + 2);
      for (const Line& line : block.lines) read(line, c);
    }
    return result;
  }();
  return cases;
}

}  // namespace goldens
