// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A step of a recurrent layer for some units of one row, in vectors of the widest instruction set;
// float64 by numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/kernels/recurrent/args.hpp"
#include "amp/kernels/recurrent/formula.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host::recurrent_rows {

/// The blocks of a row that belong to the gates, `distance` elements apart; or one block.
template <class C>
struct Blocks {
  C* data;
  std::int64_t distance = 0;
};

/// A vector of elements of a row of which `left` are left; a number for float64.
template <class Isa, class C>
struct Lanes {
  using V = std::conditional_t<std::is_same_v<C, double>, double, simd::Vec<float, Isa>>;
  static constexpr std::int64_t kStep = std::is_same_v<C, double> ? 1 : simd::kLanes<Isa>;

  std::int64_t at, left;

  AMP_ALWAYS_INLINE V load(Blocks<const C> from, int block = 0) const {
    const C* const x = from.data + block * from.distance + at;
    if constexpr (std::is_same_v<C, double>)
      return *x;
    else
      return detail::load_channels<Isa>(x, left);
  }
  AMP_ALWAYS_INLINE void store(const V& v, Blocks<C> to, int block = 0) const {
    C* const y = to.data + block * to.distance + at;
    if constexpr (std::is_same_v<C, double>)
      *y = v;
    else
      detail::store_channels(v, y, left);
  }
};

/// What a step reads and writes of a row; `gates` may be null. `state` is c of the LSTM, h of the
/// GRU.
template <class C>
struct Row {
  std::int64_t units;
  Blocks<const C> x, p, bias, state;
  Blocks<C> gates, h, c;
};

template <RecurrentCell kCell>
struct Forward {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(Row<C> row) {
    using L = Lanes<Isa, C>;
    for (std::int64_t i = 0; i < row.units; i += L::kStep) step<L>(row, {i, row.units - i});
  }

 private:
  template <class L, class C>
  AMP_ALWAYS_INLINE static typename L::V product(const Row<C>& row, const L& at, int gate) {
    return at.load(row.p, gate) + at.load(row.bias, gate);
  }
  template <class L, class C>
  AMP_ALWAYS_INLINE static typename L::V sum(const Row<C>& row, const L& at, int gate) {
    return at.load(row.x, gate) + product(row, at, gate);
  }
  template <class L, class C>
  AMP_ALWAYS_INLINE static void save(const Row<C>& row, const L& at, int block,
                                     const typename L::V& v) {
    if (row.gates.data != nullptr) at.store(v, row.gates, block);
  }

  template <class L, class C>
  AMP_ALWAYS_INLINE static void step(const Row<C>& row, L at) {
    using recurrent_cells::Gru, recurrent_cells::Lstm, recurrent_cells::Sigmoid;
    if constexpr (kCell == RecurrentCell::kLstm) {
      const auto i = Sigmoid::apply(sum(row, at, 0)), f = Sigmoid::apply(sum(row, at, 1)),
                 g = recurrent_cells::Tanh::apply(sum(row, at, 2)),
                 o = Sigmoid::apply(sum(row, at, 3));
      const auto c = Lstm::cell(i, f, g, at.load(row.state));
      at.store(Lstm::hidden(o, c), row.h);
      at.store(c, row.c);
      save(row, at, 0, i);
      save(row, at, 1, f);
      save(row, at, 2, g);
      save(row, at, 3, o);
    } else if constexpr (kCell == RecurrentCell::kGru) {
      const auto r = Sigmoid::apply(sum(row, at, 0)), z = Sigmoid::apply(sum(row, at, 1)),
                 p = product(row, at, 2), n = Gru::candidate(at.load(row.x, 2), r, p);
      at.store(Gru::hidden(z, n, at.load(row.state)), row.h);
      save(row, at, 0, r);
      save(row, at, 1, z);
      save(row, at, 2, n);
      save(row, at, 3, p);
    } else if constexpr (kCell == RecurrentCell::kTanh) {
      at.store(recurrent_cells::Tanh::apply(sum(row, at, 0)), row.h);
    } else {
      at.store(recurrent_cells::Relu::apply(sum(row, at, 0)), row.h);
    }
  }
};

/// The same of its gradient: `grad_h` and `grad_c` hold the gradients of h' and c', and then those
/// of h and c, as far as they do not come from the product. `grad` is that of the output, to be
/// added to grad_h. `state` is c of the LSTM, h of the GRU, and h' of others. grad_products is that
/// of the GRU.
template <class C>
struct GradRow {
  std::int64_t units;
  Blocks<const C> grad, gates, state;
  Blocks<C> grad_h, grad_c, grad_inputs, grad_products;
};

template <RecurrentCell kCell>
struct Backward {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(GradRow<C> row) {
    using L = Lanes<Isa, C>;
    for (std::int64_t i = 0; i < row.units; i += L::kStep) step<L>(row, {i, row.units - i});
  }

 private:
  template <class C>
  AMP_ALWAYS_INLINE static Blocks<const C> as_input(Blocks<C> blocks) {
    return {blocks.data, blocks.distance};
  }

  template <class L, class C>
  AMP_ALWAYS_INLINE static void step(const GradRow<C>& row, L at) {
    using recurrent_cells::Gru, recurrent_cells::Lstm, recurrent_cells::Sigmoid,
        recurrent_cells::Tanh;
    const auto grad = at.load(row.grad) + at.load(as_input(row.grad_h)), state = at.load(row.state);
    if constexpr (kCell == RecurrentCell::kLstm) {
      const auto i = at.load(row.gates, 0), f = at.load(row.gates, 1), g = at.load(row.gates, 2),
                 o = at.load(row.gates, 3), t = Tanh::apply(Lstm::cell(i, f, g, state));
      const auto grad_c = Lstm::grad_cell(grad, at.load(as_input(row.grad_c)), o, t);
      at.store(Sigmoid::derivative(grad_c * g, i), row.grad_inputs, 0);
      at.store(Sigmoid::derivative(grad_c * state, f), row.grad_inputs, 1);
      at.store(Tanh::derivative(grad_c * i, g), row.grad_inputs, 2);
      at.store(Sigmoid::derivative(grad * t, o), row.grad_inputs, 3);
      at.store(grad_c * f, row.grad_c);
    } else if constexpr (kCell == RecurrentCell::kGru) {
      const auto r = at.load(row.gates, 0), z = at.load(row.gates, 1), n = at.load(row.gates, 2),
                 p = at.load(row.gates, 3);
      const auto grad_n = Gru::grad_candidate(grad, z, n),
                 grad_r = Sigmoid::derivative(grad_n * p, r),
                 grad_z = Gru::grad_update(grad, z, n, state);
      at.store(grad_r, row.grad_inputs, 0);
      at.store(grad_z, row.grad_inputs, 1);
      at.store(grad_n, row.grad_inputs, 2);
      at.store(grad_r, row.grad_products, 0);
      at.store(grad_z, row.grad_products, 1);
      at.store(grad_n * r, row.grad_products, 2);
      at.store(grad * z, row.grad_h);
    } else if constexpr (kCell == RecurrentCell::kTanh) {
      at.store(Tanh::derivative(grad, state), row.grad_inputs);
    } else {
      at.store(recurrent_cells::Relu::derivative(grad, state), row.grad_inputs);
    }
  }
};

}  // namespace amp::inline v0::kernels::host::recurrent_rows
