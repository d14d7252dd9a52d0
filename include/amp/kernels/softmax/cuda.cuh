// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax(), log_softmax() and their gradients on CUDA devices.
#pragma once

#include <type_traits>

#include "amp/kernels/softmax/args.hpp"
#include "amp/kernels/softmax/formula.hpp"
#include "amp/kernels/traversal/cuda/sweep.cuh"

namespace amp::inline v0::kernels::cuda {

/// ExpSum for each line of a tile.
template <class Sweep>
struct ExpSums {
  using C = typename Sweep::Compute;

  ExpSum<C> seen[Sweep::kLines];  // by this thread
  PerLine<Sweep> maximum, sum;    // of all elements, after finish()

  /// Adds the thread's elements of a part. If `Keep`, values become exp(x - origin).
  template <bool Keep, class Tile, class Part>
  __device__ __forceinline__ void add(const Tile& tile, const Part& part, Fragment<Sweep>& values) {
    PerLine<Sweep> largest;
    PerLine<Sweep, double> sums = {};
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) largest[l] = seen[l].maximum;
    tile.for_each(part, values, [&](int l, C& x) { largest[l] = functions::fmax(largest[l], x); });
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) seen[l].raise(largest[l]);
    tile.add(part, sums, [&](int k, int l) {
      const C term = functions::exp(values[k][l] - seen[tile.line_of(l)].origin());
      if constexpr (Keep) values[k][l] = term;
      return term;
    });
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) seen[l].sum += sums[l];
  }
  /// Combines all threads of the tile. An infinite maximum makes a sum NaN.
  template <class Tile>
  __device__ __forceinline__ void finish(const Tile& tile) {
    PerLine<Sweep, double> sums;
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) maximum[l] = seen[l].maximum;
    tile.template reduce<functions::Maximum>(maximum);
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l)
      sums[l] = seen[l].sum * static_cast<double>(seen[l].weight_in(maximum[l]));
    tile.template reduce<functions::Add>(sums);
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l)
      sum[l] = static_cast<C>(sums[l] + static_cast<double>(maximum[l] - maximum[l]));
  }
};

namespace detail {

template <bool Log, class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    softmax_kernel(Sweep sweep, Input x, Output y) {
  using C = typename Sweep::Compute;
  constexpr Softmax softmax{Log};
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;  // exp(x - origin), or x
    ExpSums<Sweep> sums;
    const auto load = [&](const auto& part) {
      tile.load(part, x, values);
      sums.template add<!Log>(tile, part, values);  // after the first time, this raises no maximum
    };
    tile.forwards(load);
    sums.finish(tile);
    PerLine<Sweep> finished;
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) {
      finished[l] = softmax.finish(sums.sum[l]);
      if constexpr (!Log) finished[l] *= sums.seen[l].weight_in(sums.maximum[l]);
    }
    tile.backwards(load, [&](const auto& part) {
      tile.for_each(part, values,
                    [&](int l, C& value) { softmax.apply(value, sums.maximum[l], finished[l]); });
      tile.store(part, y, values);
    });
  });
}

template <bool Log, class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    softmax_backward_kernel(Sweep sweep, Input grad_output, Input output, Output grad_input) {
  using C = typename Sweep::Compute;
  constexpr Softmax softmax{Log};
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> grad, y;
    PerLine<Sweep, double> sums = {};
    const auto load = [&](const auto& part) { tile.load(part, grad_output, grad, output, y); };
    tile.forwards([&](const auto& part) {
      load(part);
      tile.add(part, sums, [&](int k, int l) {
        C term = grad[k][l];
        softmax.to_term(term, y[k][l]);
        return term;
      });
    });
    tile.template reduce<functions::Add>(sums);
    tile.backwards(load, [&](const auto& part) {
      tile.for_each_access(part, [&](int k) {
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l) {
          if constexpr (Log) y[k][l] = functions::exp(y[k][l]);
          softmax.to_gradient(grad[k][l], y[k][l], static_cast<C>(sums[tile.line_of(l)]));
        }
      });
      tile.store(part, grad_input, grad);
    });
  });
}

template <bool Log>
void softmax(const SoftmaxArgs& args) {
  visit_sweep<Rows<4, 1024>, Columns<4>>(
      Lines(args.input, args.dim), args.output.dtype,
      [&](const auto& sweep) {
        launch(args.output.device, sweep.blocks(), sweep.block_threads(),
               softmax_kernel<Log, std::remove_cvref_t<decltype(sweep)>>, sweep, args.input,
               args.output);
      },
      args.input, args.output);
}
template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  visit_sweep<Rows<2, 1024>, Columns<2>>(
      Lines(args.output, args.dim), args.grad_input.dtype,
      [&](const auto& sweep) {
        launch(args.grad_input.device, sweep.blocks(), sweep.block_threads(),
               softmax_backward_kernel<Log, std::remove_cvref_t<decltype(sweep)>>, sweep,
               args.grad_output, args.output, args.grad_input);
      },
      args.grad_output, args.output, args.grad_input);
}

}  // namespace detail

inline void softmax(const SoftmaxArgs& args) { detail::softmax<false>(args); }
inline void log_softmax(const SoftmaxArgs& args) { detail::softmax<true>(args); }
inline void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<false>(args);
}
inline void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::cuda
