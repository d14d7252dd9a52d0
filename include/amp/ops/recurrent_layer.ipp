// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/kernels/recurrent/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/recurrent_layer.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

inline constexpr std::size_t kWeightsOfDirection = 4;

/// What backward needs of a direction.
struct SavedDirection {
  Tensor gates, cells;
  autograd::SavedTensor w_ih, w_hh;
  DType dtypes[kWeightsOfDirection];  // of the gradients of the weights
};

/// What backward needs of a layer.
struct SavedLayer {
  RecurrentRun run;
  autograd::SavedTensor x, h0, output;
  DType x_dtype, h_dtype, c_dtype;  // of the gradients
  PoolVector<SavedDirection> directions;
};

AMP_LAZY kernels::RecurrentSteps steps_of(const RecurrentRun& run, int direction,
                                          std::int64_t units) {
  return {
      run.cell,  direction == 1,
      run.steps, run.batch,
      units,     run.batch_sizes.defined() ? run.batch_sizes.const_data<std::int64_t>() : nullptr};
}

/// Rows [first, first + count) of a direction's columns, as a view without history.
AMP_LAZY Tensor part_of(const Tensor& all, std::int64_t first, std::int64_t count, int direction,
                        std::int64_t units) {
  const Strides& strides = all.strides();
  return all.alias(Shape(count, units), strides,
                   all.impl().offset + first * strides[0] + direction * units * strides[1]);
}
/// The states [B, H] of a direction, as a view without history.
AMP_LAZY Tensor states_of(const Tensor& all, int direction) {
  return all.detach().select(0, direction);
}

/// The states h before each step, [N, H].
AMP_LAZY Tensor states_before(const kernels::RecurrentSteps& steps, const Tensor& h0,
                              const Tensor& output) {
  if (steps.steps == 1) return h0;
  const std::int64_t rows = output.size(0), units = steps.hidden, batch = steps.batch;
  const Tensor before = empty(output.shape(), {.dtype = output.dtype(), .device = output.device()});
  const auto put = [&](const Tensor& from, std::int64_t first, std::int64_t count,
                       std::int64_t to) {
    if (count > 0)
      copy_elements(part_of(from, first, count, 0, units), part_of(before, to, count, 0, units));
  };
  if (steps.batch_sizes == nullptr) {
    put(output, steps.reverse ? batch : 0, rows - batch, steps.reverse ? 0 : batch);
    put(h0, 0, batch, steps.reverse ? rows - batch : 0);
    return before;
  }
  std::int64_t first_before = 0, rows_before = 0;
  steps.for_each(false, [&](std::int64_t first, std::int64_t count, std::int64_t) {
    const std::int64_t known = (std::min)(count, rows_before);
    put(output, first_before, known, first);
    put(h0, known, count - known, first + known);
    first_before = first;
    rows_before = count;
  });
  return before;
}

/// Writes the gradients of a direction's weights from those of the gates' terms, and adds that of
/// x.
AMP_LAZY void add_gradients(const SavedLayer& saved, const SavedDirection& direction,
                            const Tensor& grad_inputs, const Tensor& grad_products,
                            const Tensor& before, const bool* needs, Tensor& grad_x, bool needs_x,
                            Tensor* gradients) {
  const auto bias_dtype = [&](int i) {
    return needs[i] ? std::optional<DType>(direction.dtypes[i]) : std::nullopt;
  };
  const auto weights = [&](int weight, const Tensor& grad, const Tensor& factor) {
    const int bias = weight + 2;
    if (needs[weight]) {
      auto both = weight_gradients(grad, factor, direction.dtypes[weight], bias_dtype(bias));
      gradients[weight] = std::move(both[0]);
      gradients[bias] = std::move(both[1]);
    } else if (needs[bias]) {
      gradients[bias] = sum_to(grad, {grad.size(1)}, direction.dtypes[bias]);
    }
  };
  weights(0, grad_inputs, saved.x.get(saved.run.op));
  weights(1, grad_products, before);
  if (!needs_x) return;
  const Tensor more =
      matmul_no_grad(grad_inputs, direction.w_ih.get(saved.run.op), {}, saved.x_dtype);
  grad_x = grad_x.defined() ? add(grad_x, more) : more;
}

AMP_LAZY autograd::ListGradients recurrent_layer_backward(const SavedLayer& saved,
                                                          const Tensor& grad,
                                                          const autograd::ListNeeds& needs) {
  using kernels::RecurrentCell;
  const RecurrentRun& run = saved.run;
  const Tensor &h0 = saved.h0.get(run.op), &output = saved.output.get(run.op);
  const std::int64_t rows = saved.x.get(run.op).size(0), units = h0.size(2), batch = run.batch;
  const bool is_lstm = run.cell == RecurrentCell::kLstm, is_gru = run.cell == RecurrentCell::kGru;
  const TensorOptions options{.dtype = output.dtype(), .device = output.device()},
      wide{.dtype = promote_types(output.dtype(), kFloat32), .device = output.device()};
  const Tensor grad_h0 = empty(h0.shape(), wide), grad_c0 = is_lstm ? empty(h0.shape(), wide) : h0;
  autograd::ListGradients gradients(needs.size());
  for (int d = 0; d < static_cast<int>(saved.directions.size()); ++d) {
    const SavedDirection& direction = saved.directions[static_cast<std::size_t>(d)];
    const std::size_t first = 3 + static_cast<std::size_t>(d) * kWeightsOfDirection;
    bool needed[kWeightsOfDirection];
    for (std::size_t i = 0; i < kWeightsOfDirection; ++i) needed[i] = needs[first + i];
    const kernels::RecurrentSteps steps = steps_of(run, d, units);
    const Tensor output_of = part_of(output, 0, rows, d, units);
    const Tensor before =
        needed[1] || is_gru ? states_before(steps, states_of(h0, d), output_of) : Tensor();
    const Shape shape(rows, gates_of(run.cell) * units);
    const Tensor grad_inputs = is_lstm ? direction.gates : empty(shape, options),
                 grad_products = is_gru ? empty(shape, options) : grad_inputs;
    const Tensor grad_h = states_of(grad_h0, d),
                 grad_c = is_lstm ? states_of(grad_c0, d) : Tensor();
    copy_elements(part_of(grad, rows, batch, d, units), grad_h);
    if (is_lstm) copy_elements(part_of(grad, rows + batch, batch, d, units), grad_c);
    if (rows * units != 0) {
      const kernels::RecurrentBackwardArgs args{steps,
                                                direction.w_hh.get(run.op).operand(),
                                                part_of(grad, 0, rows, d, units).operand(),
                                                direction.gates.operand(),
                                                direction.cells.operand(),
                                                before.operand(),
                                                output_of.operand(),
                                                grad_inputs.operand(),
                                                grad_products.operand(),
                                                grad_h.operand(),
                                                grad_c.operand()};
      kernels::recurrent_backward(output.device(), args);
    }
    add_gradients(saved, direction, grad_inputs, grad_products, before, needed, gradients[0],
                  needs[0], &gradients[first]);
  }
  if (needs[1]) gradients[1] = autocasting::convert_dtype(grad_h0, saved.h_dtype);
  if (needs[2]) gradients[2] = autocasting::convert_dtype(grad_c0, saved.c_dtype);
  return gradients;
}

AMP_LAZY_DEFINITION Tensor recurrent_layer(const RecurrentRun& run, const Tensor& x,
                                           const Tensor& h0, const Tensor& c0,
                                           std::span<const Tensor> weights) {
  using kernels::RecurrentCell;
  const bool is_lstm = run.cell == RecurrentCell::kLstm;
  const std::int64_t rows = x.size(0), units = h0.size(2), batch = run.batch;
  const auto directions = static_cast<int>(h0.size(0));
  const TensorOptions options{.dtype = x.dtype(), .device = x.device()};
  const Tensor output = empty({rows + (is_lstm ? 2 : 1) * batch, directions * units}, options);
  PoolVector<Tensor> inputs = {x, h0, c0};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  const bool records = autograd::recording(std::span<const Tensor>(inputs));
  SavedLayer saved{run, {}, {}, {}, {}, {}, {}, {}};
  for (int d = 0; d < directions; ++d) {
    const auto weight = [&](std::size_t i) -> const Tensor& {
      return weights[static_cast<std::size_t>(d) * kWeightsOfDirection + i];
    };
    const Tensor w_hh = dense(weight(1)), b_hh = weight(3).defined() ? dense(weight(3)) : weight(3);
    const int saved_gates = records ? saved_gates_of(run.cell) : 0;
    SavedDirection direction;
    if (saved_gates > 0) direction.gates = empty({rows, saved_gates * units}, options);
    if (records && is_lstm) direction.cells = empty({rows, units}, options);
    const Tensor products =
        matmul_no_grad(x, transpose_last(weight(0)), weight(2), promote_types(x.dtype(), kFloat32));
    const Tensor h = part_of(output, rows, batch, d, units);
    const Tensor c = is_lstm ? part_of(output, rows + batch, batch, d, units) : Tensor();
    if (rows * units != 0) {
      const kernels::RecurrentArgs args{steps_of(run, d, units),
                                        products.operand(),
                                        w_hh.operand(),
                                        b_hh.operand(),
                                        states_of(h0, d).operand(),
                                        is_lstm ? states_of(c0, d).operand() : kernels::Operand(),
                                        part_of(output, 0, rows, d, units).operand(),
                                        h.operand(),
                                        c.operand(),
                                        direction.gates.operand(),
                                        direction.cells.operand()};
      kernels::recurrent(x.device(), args);
    }
    if (!records) continue;
    direction.w_ih = weight(0);
    direction.w_hh = w_hh;
    for (std::size_t i = 0; i < kWeightsOfDirection; ++i)
      direction.dtypes[i] = autograd::gradient_dtype(weight(i));
    saved.directions.push_back(std::move(direction));
  }
  if (records) {
    saved.x = x;
    saved.h0 = h0;
    saved.output = output;
    saved.x_dtype = autograd::gradient_dtype(x);
    saved.h_dtype = autograd::gradient_dtype(h0);
    saved.c_dtype = autograd::gradient_dtype(c0);
    autograd::record(
        run.op, output,
        [saved = std::move(saved)](const Tensor& grad, const autograd::ListNeeds& needs) {
          return recurrent_layer_backward(saved, grad, needs);
        },
        std::span<const Tensor>(inputs));
  }
  return output;
}

}  // namespace amp::inline v0::detail
