// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent layers on CUDA devices: for each step, a matmul of cuBLAS, and a kernel that computes
// all gates and states of a unit, or their gradients, in one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/cuda/gemm.cuh"
#include "amp/kernels/recurrent/args.hpp"
#include "amp/kernels/recurrent/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// A matrix of T, read and written in the type of sums C. May be absent.
template <class T, class C>
struct Plane {
  T* data;
  std::int64_t row_stride, column_stride;

  /// From a row on.
  explicit Plane(const Operand& matrix, std::int64_t first = 0)
      : data(matrix.present ? static_cast<T*>(matrix.data) + first * matrix.strides[0] : nullptr),
        row_stride(matrix.strides[0]),
        column_stride(matrix.strides[1]) {}

  __device__ C load(std::int64_t row, std::int64_t column) const {
    return convert_to<C>(data[row * row_stride + column * column_stride]);
  }
  __device__ void store(std::int64_t row, std::int64_t column, C value) const {
    data[row * row_stride + column * column_stride] = convert_to<T>(value);
  }
};

/// The rows of one step; `bias` may be null. The states h and c of the LSTM are those before the
/// step, and then those after it.
template <class T, class C>
struct RecurrentStep {
  Divider units;
  std::int64_t count;  // rows times units
  Plane<C, C> inputs, products;
  const T* bias;
  Plane<T, C> output, h, c, gates, cells;
};

template <RecurrentCell kCell, class T, class C>
AMP_KERNEL void recurrent_step_kernel(RecurrentStep<T, C> step) {
  using recurrent_cells::Gru;
  using recurrent_cells::Lstm;
  using recurrent_cells::Sigmoid;
  const std::int64_t units = step.units.divisor();
  for (std::int64_t i = first_element(); i < step.count; i += element_step()) {
    std::int64_t row = i;
    const std::int64_t unit = step.units.take_remainder(row);
    const auto product = [&](int gate) {
      const std::int64_t column = gate * units + unit;
      const C bias = step.bias == nullptr ? C{0} : convert_to<C>(step.bias[column]);
      return step.products.load(row, column) + bias;
    };
    const auto sum = [&](int gate) {
      return step.inputs.load(row, gate * units + unit) + product(gate);
    };
    const auto save = [&](int block, C value) {
      if (step.gates.data != nullptr) step.gates.store(row, block * units + unit, value);
    };
    C h;
    if constexpr (kCell == RecurrentCell::kLstm) {
      const C input = Sigmoid::apply(sum(0)), forget = Sigmoid::apply(sum(1)),
              candidate = recurrent_cells::Tanh::apply(sum(2)), out = Sigmoid::apply(sum(3));
      const C before = step.c.load(row, unit);
      const C c = Lstm::cell(input, forget, candidate, before);
      h = Lstm::hidden(out, c);
      if (step.cells.data != nullptr) step.cells.store(row, unit, before);
      step.c.store(row, unit, c);
      save(0, input);
      save(1, forget);
      save(2, candidate);
      save(3, out);
    } else if constexpr (kCell == RecurrentCell::kGru) {
      const C reset = Sigmoid::apply(sum(0)), update = Sigmoid::apply(sum(1)), of_h = product(2);
      const C candidate = Gru::candidate(step.inputs.load(row, 2 * units + unit), reset, of_h);
      h = Gru::hidden(update, candidate, step.h.load(row, unit));
      save(0, reset);
      save(1, update);
      save(2, candidate);
      save(3, of_h);
    } else if constexpr (kCell == RecurrentCell::kTanh) {
      h = recurrent_cells::Tanh::apply(sum(0));
    } else {
      h = recurrent_cells::Relu::apply(sum(0));
    }
    step.output.store(row, unit, h);
    step.h.store(row, unit, h);
  }
}

/// The gradients of one step; what `states` are depends on the cell.
template <class T, class C>
struct RecurrentGradients {
  Divider units;
  std::int64_t count;  // rows times units
  Plane<T, C> grad_output, gates, states, grad_inputs, grad_products;
  Plane<C, C> grad_h, grad_c;
};

template <RecurrentCell kCell, class T, class C>
AMP_KERNEL void recurrent_gradients_kernel(RecurrentGradients<T, C> step) {
  using recurrent_cells::Gru;
  using recurrent_cells::Lstm;
  using recurrent_cells::Sigmoid;
  using recurrent_cells::Tanh;
  const std::int64_t units = step.units.divisor();
  for (std::int64_t i = first_element(); i < step.count; i += element_step()) {
    std::int64_t row = i;
    const std::int64_t unit = step.units.take_remainder(row);
    const auto gate = [&](int block) { return step.gates.load(row, block * units + unit); };
    const auto put = [&](int block, C value) {
      step.grad_inputs.store(row, block * units + unit, value);
    };
    const C grad = step.grad_output.load(row, unit) + step.grad_h.load(row, unit),
            state = step.states.load(row, unit);
    if constexpr (kCell == RecurrentCell::kLstm) {
      const C input = gate(0), forget = gate(1), candidate = gate(2), out = gate(3);
      const C t = Tanh::apply(Lstm::cell(input, forget, candidate, state));
      const C grad_c = Lstm::grad_cell(grad, step.grad_c.load(row, unit), out, t);
      put(0, Sigmoid::derivative(grad_c * candidate, input));
      put(1, Sigmoid::derivative(grad_c * state, forget));
      put(2, Tanh::derivative(grad_c * input, candidate));
      put(3, Sigmoid::derivative(grad * t, out));
      step.grad_c.store(row, unit, grad_c * forget);
    } else if constexpr (kCell == RecurrentCell::kGru) {
      const C reset = gate(0), update = gate(1), candidate = gate(2);
      const C of_candidate = Gru::grad_candidate(grad, update, candidate),
              of_reset = Sigmoid::derivative(of_candidate * gate(3), reset),
              of_update = Gru::grad_update(grad, update, candidate, state);
      put(0, of_reset);
      put(1, of_update);
      put(2, of_candidate);
      step.grad_products.store(row, unit, of_reset);
      step.grad_products.store(row, units + unit, of_update);
      step.grad_products.store(row, 2 * units + unit, of_candidate * reset);
      step.grad_h.store(row, unit, grad * update);
    } else if constexpr (kCell == RecurrentCell::kTanh) {
      put(0, Tanh::derivative(grad, state));
    } else {
      put(0, recurrent_cells::Relu::derivative(grad, state));
    }
  }
}

/// Calls visitor(cell, tag) with the cell as a constant, and the type of the states.
template <class Visitor>
void visit_recurrent(RecurrentCell cell, DType dtype, Visitor&& visitor) {
  const auto of_type = [&](auto tag) {
    using enum RecurrentCell;
    switch (cell) {
      case kLstm:
        return visitor(std::integral_constant<RecurrentCell, kLstm>(), tag);
      case kGru:
        return visitor(std::integral_constant<RecurrentCell, kGru>(), tag);
      case kTanh:
        return visitor(std::integral_constant<RecurrentCell, kTanh>(), tag);
      case kRelu:
        return visitor(std::integral_constant<RecurrentCell, kRelu>(), tag);
    }
  };
  switch (dtype) {
    case kFloat64:
      return of_type(type_tag<double>{});
    case kFloat16:
      return of_type(type_tag<half>{});
    case kBFloat16:
      return of_type(type_tag<bfloat16>{});
    default:
      return of_type(type_tag<float>{});
  }
}

/// Some rows of a matrix, as a batch of one.
inline Operand rows_of(const Operand& matrix, std::int64_t first, std::int64_t rows) {
  return array(matrix.device, matrix.dtype, element(matrix, first * matrix.strides[0]),
               {1, rows, matrix.sizes[1]}, {0, matrix.strides[0], matrix.strides[1]});
}

}  // namespace detail

inline void recurrent(const RecurrentArgs& args) {
  using detail::Plane;
  const std::int64_t width = gates_of(args.cell) * args.hidden;
  const DType sums = args.inputs.dtype;
  const Device device = args.output.device;
  copy({args.h0, args.h});
  if (args.cell == RecurrentCell::kLstm) copy({args.c0, args.c});
  const Scratch<std::byte> memory(device, args.batch * width * item_size(sums));
  const Operand products = detail::array(device, sums, memory.data(), {args.batch, width}),
                weight = detail::array(device, args.weight.dtype, args.weight.data,
                                       {1, args.hidden, width}, {0, 1, args.hidden});
  args.for_each(false, [&](std::int64_t first, std::int64_t rows, std::int64_t) {
    detail::gemm(detail::rows_of(args.h, 0, rows), weight, {}, detail::rows_of(products, 0, rows));
    detail::visit_recurrent(args.cell, args.output.dtype, [&](auto cell, auto tag) {
      using T = typename decltype(tag)::type;
      using C = ComputeOf<T>;
      const std::int64_t count = rows * args.hidden;
      launch(device, grid_for(count), kThreads,
             detail::recurrent_step_kernel<decltype(cell)::value, T, C>,
             detail::RecurrentStep<T, C>{
                 Divider(args.hidden), count, Plane<C, C>(args.inputs, first),
                 Plane<C, C>(products), static_cast<const T*>(args.bias.data),
                 Plane<T, C>(args.output, first), Plane<T, C>(args.h), Plane<T, C>(args.c),
                 Plane<T, C>(args.gates, first), Plane<T, C>(args.cells, first)});
    });
  });
}

inline void recurrent_backward(const RecurrentBackwardArgs& args) {
  using detail::Plane;
  const std::int64_t width = gates_of(args.cell) * args.hidden;
  const Device device = args.grad_h0.device;
  const bool is_gru = args.cell == RecurrentCell::kGru;
  const Operand& states = args.cell == RecurrentCell::kLstm ? args.cells
                          : is_gru                          ? args.previous
                                                            : args.output;
  const Operand weight =
      detail::array(device, args.weight.dtype, args.weight.data, {1, width, args.hidden});
  args.for_each(true, [&](std::int64_t first, std::int64_t rows, std::int64_t) {
    detail::visit_recurrent(args.cell, args.output.dtype, [&](auto cell, auto tag) {
      using T = typename decltype(tag)::type;
      using C = ComputeOf<T>;
      const std::int64_t count = rows * args.hidden;
      launch(device, grid_for(count), kThreads,
             detail::recurrent_gradients_kernel<decltype(cell)::value, T, C>,
             detail::RecurrentGradients<T, C>{
                 Divider(args.hidden), count, Plane<T, C>(args.grad_output, first),
                 Plane<T, C>(args.gates, first), Plane<T, C>(states, first),
                 Plane<T, C>(args.grad_inputs, first), Plane<T, C>(args.grad_products, first),
                 Plane<C, C>(args.grad_h0), Plane<C, C>(args.grad_c0)});
    });
    const Operand grad_h = detail::rows_of(args.grad_h0, 0, rows);
    detail::gemm(detail::rows_of(args.grad_products, first, rows), weight,
                 is_gru ? grad_h : Operand(), grad_h);
  });
}

}  // namespace amp::inline v0::kernels::cuda
