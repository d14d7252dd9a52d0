// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Folds on CUDA devices, and their derivatives. Lines are those of a sum: strided arrays are read
// in place, and few long lines are cut into parts, whose states a second launch joins. The tree is
// fixed, so a result has the same bits every time.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/fold/args.hpp"
#include "amp/kernels/fold/formula.hpp"
#include "amp/kernels/reduce/cuda.cuh"

namespace amp::inline v0::kernels {

// Found by reductions through the namespace of their argument.
__device__ __forceinline__ Cofactor::Factors from_lane(Cofactor::Factors factors, unsigned mask) {
  return {cuda::from_lane(factors.product, mask), cuda::from_lane(factors.zeros, mask)};
}
__device__ __forceinline__ LogSumExp::State<float> from_lane(LogSumExp::State<float> state,
                                                             unsigned mask) {
  return {cuda::from_lane(state.maximum, mask), cuda::from_lane(state.sum, mask)};
}
__device__ __forceinline__ LogSumExp::State<double> from_lane(LogSumExp::State<double> state,
                                                              unsigned mask) {
  return {cuda::from_lane(state.maximum, mask), cuda::from_lane(state.sum, mask)};
}

}  // namespace amp::inline v0::kernels

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class Fold>
struct Join {
  template <class State>
  __device__ static State apply(State a, State b) {
    return Fold::join(a, b);
  }
};

/// Stores the results of lines; their states, if `states` is not null.
template <class Fold, class Sweep, class C = typename Sweep::Compute,
          class State = typename Fold::template State<C>>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    fold_kernel(Sweep sweep, Fold fold, Input x, Output y, State* states) {
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    State of_line[Sweep::kLines];
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) of_line[l] = fold.template none<C>();
    tile.forwards([&](const auto& part) {
      tile.load(part, x, values);
      tile.for_each(part, values, [&](int l, C& value) { fold.add(of_line[l], value); });
    });
    tile.for_each_rest([&](std::int64_t at) { fold.add(of_line[0], load<C>(x, at)); });
    tile.template reduce<Join<Fold>>(of_line);
    tile.for_own_lines([&](int l) {
      if (states != nullptr) {
        states[tile.line(l)] = of_line[l];
      } else {
        const auto result = fold.finish(of_line[l]);
        store(y, tile.line(l), result);
      }
    });
  });
}

/// Joins the states of the parts of lines: [parts, lines].
template <class Fold, class C, class State = typename Fold::template State<C>>
AMP_KERNEL void join_kernel(Fold fold, const State* states, std::int64_t parts, std::int64_t lines,
                            Output y) {
  for (std::int64_t line = blockIdx.x; line < lines; line += gridDim.x) {
    State of_line = fold.template none<C>();
    for (std::int64_t p = threadIdx.x; p < parts; p += blockDim.x)
      of_line = Fold::join(of_line, states[p * lines + line]);
    of_line = block_reduce<Join<Fold>>(of_line);
    if (threadIdx.x == 0) {
      const auto result = fold.finish(of_line);
      store(y, line, result);
    }
  }
}

template <class C, class Fold>
void fold_as(const Fold& fold, const FoldArgs& args) {
  const SumLines lines(args.input, args.output);
  const Device device = args.output.device;
  const auto run = [&](const auto& sweep) {
    using Sweep = std::remove_cvref_t<decltype(sweep)>;
    using State = typename Fold::template State<C>;
    std::optional<Scratch<State>> states;  // of parts
    if (lines.parts > 1) states.emplace(device, lines.count);
    launch(device, sweep.blocks(), sweep.block_threads(), fold_kernel<Fold, Sweep>, sweep, fold,
           args.input, args.output, states ? states->data() : nullptr);
    if (!states) return;
    launch(device, grid_for(lines.stride, 1), kThreads, join_kernel<Fold, C>, fold, states->data(),
           lines.parts, lines.stride, args.output);
  };
  if constexpr (std::is_same_v<C, float>) {
    if (lines.access == SumLines::Access::kAlong) return run(Rows<4, kThreads, SumLines>(lines));
    if (lines.access == SumLines::Access::kAcross) return run(Columns<4, SumLines>(lines));
  }
  visit_team(lines.count, lines.length, lines.side_by_side,
             [&](auto team) { run(Singles<decltype(team), C, SumLines>(lines)); });
}

}  // namespace detail

template <class Op>
void fold(const FoldArgs& args) {
  visit_fold<Op>(args, [&](const auto& fold, auto tag) {
    detail::fold_as<typename decltype(tag)::type>(fold, args);
  });
}

template <class Op>
void fold_backward(const FoldBackwardArgs& args) {
  visit_derivative<Op>(args, [&](auto derivative) {
    visit_float_type(args.grad_input.dtype, [&](auto tag) {
      using C = typename decltype(tag)::type;
      detail::elementwise<C>(detail::Types<C, C, C, C>{},
                             functions::Bound<decltype(derivative), C>{}, args.grad_input,
                             args.grad_output, args.input, args.output, args.more);
    });
  });
}

}  // namespace amp::inline v0::kernels::cuda
