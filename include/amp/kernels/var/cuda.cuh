// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// var() and var_backward() on CUDA devices: each line is read once if its threads hold it, else
// twice.
#pragma once

#include <type_traits>

#include "amp/kernels/traversal/cuda/sweep.cuh"
#include "amp/kernels/var/args.hpp"
#include "amp/kernels/var/formula.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    var_kernel(Sweep sweep, Variance variance, Input x, Output y, C* means) {
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    PerLine<Sweep, double> mean = {}, squares = {}, first = {};
    constexpr bool kFromFirst = std::is_same_v<C, double>;  // Singles
    if constexpr (kFromFirst) first[0] = tile.load_one(x, tile.at(0, tile.first()));
    const auto load = [&](const auto& part) { tile.load(part, x, values); };
    tile.forwards([&](const auto& part) {
      load(part);
      tile.add(part, mean, [&](int k, int l) {
        const double value = static_cast<double>(values[k][l]);
        return kFromFirst ? value - first[0] : value;
      });
    });
    tile.template reduce<functions::Add>(mean);
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) mean[l] = first[l] + variance.mean(mean[l]);
    tile.backwards(load, [&](const auto& part) {
      tile.add(part, squares, [&](int k, int l) {
        return Variance::square(static_cast<double>(values[k][l]), mean[tile.line_of(l)]);
      });
    });
    tile.template reduce<functions::Add>(squares);
    tile.for_own_lines([&](int l) {
      means[tile.line(l)] = static_cast<C>(mean[l]);
      store<double>(y, tile.line(l), variance.result(squares[l]));
    });
  });
}

template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    var_backward_kernel(Sweep sweep, Variance variance, Input grad_output, Input x, const C* means,
                        const C* roots, Output grad_x) {
  sweep.for_each_tile([&](const auto& tile) {
    if (!tile.has_line()) return;
    PerLine<Sweep> factor, mean;
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) {
      factor[l] = variance.factor(tile.load_one(grad_output, tile.line(l)),
                                  variance.root ? roots[tile.line(l)] : C{0});
      mean[l] = means[tile.line(l)];
    }
    tile.forwards([&](const auto& part) {
      Fragment<Sweep> values;
      tile.load(part, x, values);
      tile.for_each(part, values,
                    [&](int l, C& value) { Variance::to_gradient(value, mean[l], factor[l]); });
      tile.store(part, grad_x, values);
    });
  });
}

}  // namespace detail

inline void var(const VarArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_sweep<Rows<4, 1024>, Columns<4>>(
      lines, args.input.dtype,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        launch(args.input.device, sweep.blocks(), sweep.block_threads(), detail::var_kernel<Sweep>,
               sweep, Variance(lines.length, args.correction, args.root), args.input, args.output,
               args.mean.as<typename Sweep::Compute>());
      },
      args.input);
}
inline void var_backward(const VarBackwardArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_sweep<Rows<2, 1024>, Columns<4>>(
      lines, args.input.dtype,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        launch(args.input.device, sweep.blocks(), sweep.block_threads(),
               detail::var_backward_kernel<Sweep>, sweep,
               Variance(lines.length, args.correction, args.root.present), args.grad_output,
               args.input, args.mean.as<const typename Sweep::Compute>(),
               args.root.as<const typename Sweep::Compute>(), args.grad_input);
      },
      args.grad_output, args.input, args.grad_input);
}

}  // namespace amp::inline v0::kernels::cuda
