// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/host.hpp"
#include "amp/kernels/matmul/host/kernels.hpp"
#include "amp/kernels/matmul/host/product.hpp"
#include "amp/kernels/recurrent/host.hpp"
#include "amp/kernels/recurrent/host/rows.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace recurrent_rows {

/// From so many steps on, it pays to pack the weight once for all of them.
inline constexpr std::int64_t kFewSteps = 4;

/// Returns the address of an element of a matrix.
inline void* at(const Operand& matrix, std::int64_t row, std::int64_t column) {
  return const_cast<void*>(element(matrix, row * matrix.strides[0] + column * matrix.strides[1]));
}
/// Elements [column, column + n) of a row in the type of sums, in place or in the buffer.
template <class C>
const C* fetch_row(const Operand& matrix, std::int64_t row, std::int64_t column, std::int64_t n,
                   C* buffer) {
  return fetch(matrix, row * matrix.strides[0] + column * matrix.strides[1], matrix.strides[1], n,
               buffer);
}
template <class C>
void store_row(const C* values, const Operand& matrix, std::int64_t row, std::int64_t column,
               std::int64_t n) {
  store(values, at(matrix, row, column), matrix.dtype, n);
}
/// Returns a matrix as a batch of one, for a matmul.
inline Operand as_batch(void* data, DType dtype, std::int64_t rows, std::int64_t columns,
                        std::int64_t row_stride, std::int64_t column_stride = 1) {
  return Operand::array(data, dtype, {1, rows, columns}, {0, row_stride, column_stride});
}

/// The units of a step as blocks, and what multiplies their weights.
template <class C>
struct Blocked {
  const RecurrentSteps& steps;
  const gemm::Kernel<C> kernel;
  std::int64_t width, count;  // of blocks

  Blocked(const RecurrentSteps& of, DType dtype)
      : steps(of), kernel(gemm::kernel_for<C>(dtype, of.batch)) {
    constexpr std::int64_t kWidth = 128, kSmall = 64 * 64 * 64;
    const std::int64_t units = of.hidden;
    const bool is_small = of.batch * units * units * gates_of(of.cell) < kSmall;
    const std::int64_t threads = is_small ? 1 : num_threads();
    count = round_up(ceil_div(units, kWidth), threads);
    width = round_up(ceil_div(units, count), std::int64_t{kernel.columns});
    count = ceil_div(units, width);
  }

  bool packs() const { return steps.steps >= kFewSteps; }
  /// Calls body(first unit, units) for all blocks, on all threads.
  template <class Body>
  void for_each(const Body& body) const {
    parallel_for(count, [&](std::int64_t block) {
      body(block * width, (std::min)(width, steps.hidden - block * width));
    });
  }
  /// Calls body(row, first unit, units, scratch) for the blocks of rows, on all threads.
  template <class Body>
  void for_rows(std::int64_t rows, std::int64_t scratch, const Body& body) const {
    const std::int64_t units = steps.hidden, grain = ceil_div(2 * kBlock, units);
    parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      const HostBuffer<C> memory(scratch * width);
      for (std::int64_t r = begin; r < end; ++r) {
        for (std::int64_t j = 0; j < units; j += width)
          body(r, j, (std::min)(width, units - j), memory.data());
      }
    });
  }
  /// c = a @ (the strips), or c += that, for `rows` rows of a, `distance` apart, and n columns.
  template <class Strips>
  void multiply(const void* a, DType dtype, std::int64_t distance, std::int64_t rows,
                std::int64_t n, std::int64_t k, const Strips& strips, C* c, std::int64_t stride,
                bool accumulate) const {
    const gemm::MatrixRuns runs(a, dtype, distance, true);
    gemm::Multiplier<C>(kernel, rows)
        .run(runs, 0, rows, n, k, strips, c, stride,
             accumulate ? gemm::Addend<C>{c, stride} : gemm::Addend<C>());
  }
};

/// Computes the steps of a layer.
template <class C>
class ForwardSteps {
 public:
  using OnRow = void (*)(Row<C>);

  ForwardSteps(const RecurrentArgs& args, OnRow on_row)
      : a_(args), on_row_(on_row), blocked_(args, args.weight.dtype) {
    const std::int64_t n = gates_ * units_;
    if (!a_.bias.present) std::fill_n(bias_memory_.data(), n, C{0});
    if (a_.bias.present) bias_ = fetch(a_.bias, 0, 1, n, bias_memory_.data());
    if (blocked_.packs()) {
      for (int g = 0; g < gates_; ++g) {
        const gemm::MatrixRuns columns(at(a_.weight, g * units_, 0), a_.weight.dtype, units_, true);
        packed_[g].emplace(blocked_.kernel, columns, units_, units_);
      }
    }
  }

  void run() {
    for (const Operand& state : states_) copy({a_.h0, state});
    if (a_.cell == RecurrentCell::kLstm) copy({a_.c0, a_.c});
    int from = 0;
    a_.for_each(false, [&](std::int64_t first, std::int64_t rows, std::int64_t next) {
      const Step step{first, rows, next, states_[from], states_[1 - from]};
      blocked_.packs() ? packed_step(step) : matmul_step(step);
      from = 1 - from;
    });
  }

 private:
  static constexpr std::int64_t kScratch = 8;  // buffers of a row

  /// The rows of a step; those from `next` on end with it. Threads read the states `before`, and
  /// write those `after` it.
  struct Step {
    std::int64_t first, rows, next;
    const Operand &before, &after;
  };

  void packed_step(const Step& step) const {
    const std::int64_t block = round_up(blocked_.width, std::int64_t{blocked_.kernel.columns}),
                       stride = gates_ * block;
    blocked_.for_each([&](std::int64_t first, std::int64_t units) {
      const HostBuffer<C> products(step.rows * stride), scratch(kScratch * blocked_.width);
      for (int g = 0; g < gates_; ++g) {
        blocked_.multiply(
            step.before.data, step.before.dtype, step.before.strides[0], step.rows, units, units_,
            [&](std::int64_t j, std::int64_t k, std::int64_t count) {
              return packed_[g]->strip(first + j, k, count);
            },
            products.data() + g * block, stride, false);
      }
      for (std::int64_t r = 0; r < step.rows; ++r)
        compute(step, r, first, units, {products.data() + r * stride, block}, scratch.data());
    });
  }
  void matmul_step(const Step& step) const {
    const std::int64_t n = gates_ * units_;
    const HostBuffer<C> products(step.rows * n);
    host::matmul(
        {as_batch(step.before.data, step.before.dtype, step.rows, units_, step.before.strides[0]),
         as_batch(a_.weight.data, a_.weight.dtype, units_, n, 1, units_),
         {},
         as_batch(products.data(), dtype_of<C>, step.rows, n, n)});
    blocked_.for_rows(
        step.rows, kScratch,
        [&](std::int64_t r, std::int64_t first, std::int64_t units, C* scratch) {
          compute(step, r, first, units, {products.data() + r * n + first, units_}, scratch);
        });
  }

  /// Computes units [first, first + n) of a row, whose products are given.
  void compute(const Step& step, std::int64_t r, std::int64_t first, std::int64_t n,
               Blocks<const C> products, C* scratch) const {
    const bool is_lstm = a_.cell == RecurrentCell::kLstm;
    const std::int64_t i = step.first + r, space = blocked_.width;
    const bool saves_in_place = a_.gates.present && a_.gates.dtype == dtype_of<C>;
    C *const h = scratch, *const c = scratch + space, *const state = scratch + 2 * space,
             *const gates = scratch + 4 * space;
    Row<C> row{n,        {a_.inputs.template as<const C>() + i * gates_ * units_ + first, units_},
               products, {bias_ + first, units_},
               {},       {gates, space},
               {h},      {c}};
    if (saves_in_place) row.gates = {static_cast<C*>(at(a_.gates, i, first)), units_};
    if (!a_.gates.present) row.gates = {nullptr};
    if (is_lstm) row.state = {fetch_row(a_.c, r, first, n, state)};
    if (a_.cell == RecurrentCell::kGru) row.state = {fetch_row(step.before, r, first, n, state)};
    if (a_.cells.present) store_row(row.state.data, a_.cells, i, first, n);
    on_row_(row);
    store_row(h, a_.output, i, first, n);
    store_row(h, step.after, r, first, n);
    if (r >= step.next) store_row(h, a_.h, r, first, n);
    if (is_lstm) store_row(c, a_.c, r, first, n);
    for (int g = 0; g < saved_gates_of(a_.cell) && a_.gates.present && !saves_in_place; ++g)
      store_row(gates + g * space, a_.gates, i, g * units_ + first, n);
  }

  const RecurrentArgs& a_;
  const OnRow on_row_;
  const std::int64_t units_ = a_.hidden;
  const int gates_ = gates_of(a_.cell);
  const Blocked<C> blocked_;
  std::optional<gemm::PackedMatrix<C>> packed_[4];  // the weight of each gate
  const HostBuffer<C> bias_memory_{gates_ * units_};
  const C* bias_ = bias_memory_.data();
  // Rows of states lie apart by no power of two, so that the kernel reads them in place.
  const std::int64_t stride_ = round_up(units_, 32) + 32;
  const HostBuffer<std::byte> state_memory_{2 * a_.batch * stride_ * item_size(a_.h0.dtype)};
  const Operand states_[2] = {state(0), state(1)};

  Operand state(std::int64_t i) const {
    return Operand::array(state_memory_.data() + i * a_.batch * stride_ * item_size(a_.h0.dtype),
                          a_.h0.dtype, {a_.batch, units_}, {stride_, 1});
  }
};

/// Computes the gradients of the steps, the last one first. The gradient of a unit's state before a
/// step, and then the gates of the unit in that step, take all gates of the step after it.
template <class C>
class BackwardSteps {
 public:
  using OnRow = void (*)(GradRow<C>);

  BackwardSteps(const RecurrentBackwardArgs& args, OnRow on_row)
      : a_(args), on_row_(on_row), blocked_(args, args.weight.dtype) {
    const gemm::MatrixRuns columns(a_.weight.data, a_.weight.dtype, units_, false);
    if (blocked_.packs()) packed_.emplace(blocked_.kernel, columns, units_, width_);
  }

  void run() {
    std::int64_t first_after = 0, rows_after = 0;
    a_.for_each(true, [&](std::int64_t first, std::int64_t rows, std::int64_t) {
      if (!blocked_.packs()) {
        blocked_.for_rows(rows, kScratch,
                          [&](std::int64_t r, std::int64_t unit, std::int64_t n, C* scratch) {
                            compute(first, r, unit, n, scratch);
                          });
        return multiply_rows(first, rows);
      }
      blocked_.for_each([&](std::int64_t unit, std::int64_t n) {
        multiply(first_after, rows_after, unit, n);
        const HostBuffer<C> scratch(kScratch * blocked_.width);
        for (std::int64_t r = 0; r < rows; ++r) compute(first, r, unit, n, scratch.data());
      });
      first_after = first;
      rows_after = rows;
    });
    if (blocked_.packs()) {
      blocked_.for_each(
          [&](std::int64_t unit, std::int64_t n) { multiply(first_after, rows_after, unit, n); });
    }
  }

 private:
  static constexpr std::int64_t kScratch = 13;  // buffers of a row

  C* grad_h(std::int64_t row) const { return a_.grad_h0.template as<C>() + row * units_; }

  /// grad_h += grad_products @ weight, for some units of a step's rows; only the GRU has other
  /// terms of it.
  void multiply(std::int64_t first, std::int64_t rows, std::int64_t unit, std::int64_t n) const {
    if (rows == 0) return;
    blocked_.multiply(
        at(a_.grad_products, first, 0), a_.grad_products.dtype, width_, rows, n, width_,
        [&](std::int64_t j, std::int64_t k, std::int64_t count) {
          return packed_->strip(unit + j, k, count);
        },
        grad_h(0) + unit, units_, is_gru_);
  }
  void multiply_rows(std::int64_t first, std::int64_t rows) const {
    const HostBuffer<C> products(is_gru_ ? rows * units_ : 0);
    C* const to = is_gru_ ? products.data() : grad_h(0);
    host::matmul(
        {as_batch(at(a_.grad_products, first, 0), a_.grad_products.dtype, rows, width_, width_),
         as_batch(a_.weight.data, a_.weight.dtype, width_, units_, units_),
         {},
         as_batch(to, dtype_of<C>, rows, units_, units_)});
    for (std::int64_t i = 0; i < rows * units_ && is_gru_; ++i) grad_h(0)[i] += products[i];
  }

  void compute(std::int64_t first, std::int64_t r, std::int64_t unit, std::int64_t n,
               C* scratch) const {
    const std::int64_t i = first + r, space = blocked_.width;
    const bool in_place = a_.grad_inputs.dtype == dtype_of<C>;
    const int saved = saved_gates_of(a_.cell), blocks = gates_of(a_.cell);
    const Operand& states = a_.cell == RecurrentCell::kLstm ? a_.cells
                            : is_gru_                       ? a_.previous
                                                            : a_.output;
    C *const gates = scratch, *const inputs = scratch + 4 * space,
             *const products = scratch + 8 * space;
    GradRow<C> row{n,
                   {fetch_row(a_.grad_output, i, unit, n, scratch + 11 * space)},
                   {gates, space},
                   {},
                   {grad_h(r) + unit},
                   {},
                   {inputs, space},
                   {products, space}};
    row.state = {fetch_row(states, i, unit, n, scratch + 12 * space)};
    if (a_.cell == RecurrentCell::kLstm)
      row.grad_c = {a_.grad_c0.template as<C>() + r * units_ + unit};
    for (int g = 0; g < saved && !in_place; ++g)
      fetch_row(a_.gates, i, g * units_ + unit, n, gates + g * space);
    if (in_place) {
      if (saved > 0) row.gates = {static_cast<const C*>(at(a_.gates, i, unit)), units_};
      row.grad_inputs = {static_cast<C*>(at(a_.grad_inputs, i, unit)), units_};
      row.grad_products = {static_cast<C*>(at(a_.grad_products, i, unit)), units_};
    }
    on_row_(row);
    for (int g = 0; g < blocks && !in_place; ++g) {
      store_row(inputs + g * space, a_.grad_inputs, i, g * units_ + unit, n);
      if (is_gru_) store_row(products + g * space, a_.grad_products, i, g * units_ + unit, n);
    }
  }

  const RecurrentBackwardArgs& a_;
  const OnRow on_row_;
  const bool is_gru_ = a_.cell == RecurrentCell::kGru;
  const std::int64_t units_ = a_.hidden, width_ = gates_of(a_.cell) * units_;
  const Blocked<C> blocked_;
  std::optional<gemm::PackedMatrix<C>> packed_;
};

/// The function of rows of a cell.
template <template <RecurrentCell> class Body, class C, class Argument>
auto function_of(RecurrentCell cell) {
  using Function = void (*)(Argument);
  const auto of = []<RecurrentCell kCell>() -> Function {
    return [](Argument row) { detail::on_rows<Body<kCell>, C>(row); };
  };
  switch (cell) {
    case RecurrentCell::kLstm:
      return of.template operator()<RecurrentCell::kLstm>();
    case RecurrentCell::kGru:
      return of.template operator()<RecurrentCell::kGru>();
    case RecurrentCell::kTanh:
      return of.template operator()<RecurrentCell::kTanh>();
    default:
      return of.template operator()<RecurrentCell::kRelu>();
  }
}

}  // namespace recurrent_rows

AMP_LAZY_DEFINITION void recurrent(const RecurrentArgs& args) {
  using namespace recurrent_rows;
  visit_float_type(args.inputs.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    ForwardSteps<C>(args, function_of<Forward, C, Row<C>>(args.cell)).run();
  });
}
AMP_LAZY_DEFINITION void recurrent_backward(const RecurrentBackwardArgs& args) {
  using namespace recurrent_rows;
  visit_float_type(args.grad_h0.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    BackwardSteps<C>(args, function_of<Backward, C, GradRow<C>>(args.cell)).run();
  });
}

}  // namespace amp::inline v0::kernels::host
