// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// norm() and norm_backward() on CUDA devices: each row is read once, and stays in registers if a
// team holds it. The formulas are in formula.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/kernels/norm/args.hpp"
#include "amp/kernels/norm/cuda/moments.cuh"
#include "amp/kernels/norm/cuda/parameter_sums.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    norm_kernel(Sweep sweep, NormShape shape, Input x, Input weight, Input bias, Output y, C* means,
                C* rstds, double eps, bool centered) {
  const double per_element = 1 / static_cast<double>(shape.length);
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    Moments moments;
    const double origin = centered ? origin_of(tile, x) : 0;
    const auto load = [&](const auto& part) { tile.load(part, x, values); };
    tile.forwards([&](const auto& part) {
      load(part);
      moments.add(tile, part, values, origin);
    });
    moments.combine([&](double& sum) { tile.add_up(sum); });
    const double shifted = centered ? moments.mean(per_element) : 0;
    const C mean = static_cast<C>(origin + shifted);
    const C rstd =
        1 / functions::sqrt(static_cast<C>(moments.variance(per_element, shifted) + eps));
    tile.for_own_lines([&](int) {
      if (means != nullptr) means[tile.line(0)] = mean;
      rstds[tile.line(0)] = rstd;
    });
    const std::int64_t first = shape.first_parameter(tile.line(0));
    tile.backwards(load, [&](const auto& part) {
      tile.for_each_access(part, [&](int k) {
        C affine[Sweep::kWidth];
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l) Norm::to_normal(values[k][l], mean, rstd);
        if (weight.data != nullptr) {
          load_parameters(tile, part, k, shape, weight, first, affine);
          AMP_UNROLL
          for (int l = 0; l < Sweep::kWidth; ++l) values[k][l] *= affine[l];
        }
        if (bias.data != nullptr) {
          load_parameters(tile, part, k, shape, bias, first, affine);
          AMP_UNROLL
          for (int l = 0; l < Sweep::kWidth; ++l) values[k][l] += affine[l];
        }
      });
      tile.store(part, y, values);
    });
  });
}

template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    norm_backward_kernel(Sweep sweep, NormShape shape, NormSaved<C> saved, Output grad_x,
                         bool centered) {
  const double per_element = 1 / static_cast<double>(shape.length);
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> g, normal;
    const std::int64_t first = shape.first_parameter(tile.line(0));
    const C mean = saved.mean(tile.line(0)), rstd = saved.rstds[tile.line(0)];
    const auto load = [&](const auto& part) {
      tile.load(part, saved.grad, g, saved.x, normal);
      tile.for_each(part, normal, [&](int, C& x) { Norm::to_normal(x, mean, rstd); });
      if (saved.weight.data == nullptr) return;
      tile.for_each_access(part, [&](int k) {
        C weights[Sweep::kWidth];
        load_parameters(tile, part, k, shape, saved.weight, first, weights);
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l) g[k][l] *= weights[l];
      });
    };
    GradientSums sums;
    tile.forwards([&](const auto& part) {
      load(part);
      sums.add(tile, part, g, normal);
    });
    sums.combine([&](double& sum) { tile.add_up(sum); });
    const C mean_g = centered ? static_cast<C>(sums.g * per_element) : C{0};
    const C mean_dot = static_cast<C>(sums.dot * per_element);
    tile.backwards(load, [&](const auto& part) {
      tile.for_each_access(part, [&](int k) {
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l)
          Norm::to_gradient(g[k][l], normal[k][l], mean_g, mean_dot, rstd);
      });
      tile.store(part, grad_x, g);
    });
  });
}

/// The same, with the sums over rows for the gradients of the parameters, one for each column, if a
/// team holds a row: the same threads always have the same columns, so they add to these sums as
/// they go. `Ahead` rows are loaded in advance. grad_x may be null.
template <int Ahead, class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads)
    norm_backward_sums_kernel(Sweep sweep, NormSaved<float> saved, Output grad_x, bool centered,
                              NormSums<float> sums) {
  const double per_element = 1 / static_cast<double>(sums.parameters);
  Fragment<Sweep> weight_sums = {}, bias_sums = {};
  sweep.template stream_rows<Ahead>(
      saved.grad, saved.x, [&](const auto& tile, const auto& part, auto& g, auto& normal) {
        const float mean = saved.mean(tile.line(0)), rstd = saved.rstds[tile.line(0)];
        tile.for_each_access(part, [&](int k) {
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l) {
            Norm::to_normal(normal[k][l], mean, rstd);
            weight_sums[k][l] += g[k][l] * normal[k][l];
            bias_sums[k][l] += g[k][l];
          }
          if (saved.weight.data == nullptr) return;
          float weights[kVector];
          tile.load_along(part, k, saved.weight, 0, weights);
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l) g[k][l] *= weights[l];
        });
        if (grad_x.data == nullptr) return;
        GradientSums of_row;
        of_row.add(tile, part, g, normal);
        tile.add_up(of_row.dot);
        if (centered) tile.add_up(of_row.g);
        const float mean_g = centered ? static_cast<float>(of_row.g * per_element) : 0;
        const float mean_dot = static_cast<float>(of_row.dot * per_element);
        tile.for_each_access(part, [&](int k) {
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l)
            Norm::to_gradient(g[k][l], normal[k][l], mean_g, mean_dot, rstd);
        });
        tile.store(part, grad_x, g);
      });
  store_sums(sweep, weight_sums, sums.weight, sums.parameters);
  store_sums(sweep, bias_sums, sums.bias, sums.parameters);
}

/// Calls visitor(sweep) for the rows of these arrays. Wide are the Rows that the kernel wants.
template <class Wide, class Visitor, class... Arrays>
void visit_norm_sweep(const NormShape& shape, DType dtype, Visitor&& visitor,
                      const Arrays&... arrays) {
  if (has_vectors(shape, arrays...)) return visitor(Wide({shape.rows, shape.length}));
  const Lines rows(shape.rows, shape.length);
  visit_float_type(dtype, [&](auto tag) {
    visit_team(rows, [&](auto team) {
      visitor(Singles<decltype(team), typename decltype(tag)::type>(rows));
    });
  });
}

inline NormShape shape_of(const Operand& input, std::int64_t groups, std::int64_t inner) {
  return {input.sizes[0], input.sizes[1], groups, inner};
}

/// Computes both in two launches, if a team holds a row and each column has a parameter; else
/// returns false.
template <int Ahead, class Sweep>
bool norm_backward_with_sums(const NormBackwardArgs& args, const NormShape& shape,
                             const NormSaved<float>& saved) {
  const Sweep rows({shape.rows, shape.length});
  if (!rows.holds_rows()) return false;
  const Device device = args.input.device;
  // About as many blocks as a large device runs at once, with some rows each.
  const std::int64_t blocks =
      (std::min)(ceil_div(rows.count, 4 * rows.rows_per_block()), std::int64_t{256});
  const Scratch<float> memory(device, 2 * blocks * shape.length);
  const NormSums<float> sums{memory.data(), memory.data() + blocks * shape.length, blocks,
                             shape.length};
  launch(device, blocks, rows.block_threads(), norm_backward_sums_kernel<Ahead, Sweep>, rows, saved,
         args.grad_input, args.centered, sums);
  add_parts(device, sums, args.grad_weight, args.grad_bias);
  return true;
}

}  // namespace detail

inline void norm(const NormArgs& args) {
  const NormShape shape = detail::shape_of(args.input, args.groups, args.inner);
  detail::visit_norm_sweep<Rows<4, 768>>(
      shape, args.input.dtype,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        using C = typename Sweep::Compute;
        launch(args.input.device, sweep.blocks(), sweep.block_threads(), detail::norm_kernel<Sweep>,
               sweep, shape, args.input, args.weight, args.bias, args.output, args.mean.as<C>(),
               args.rstd.as<C>(), args.eps, args.centered);
      },
      args.input, args.output, args.weight, args.bias);
}

inline void norm_backward(const NormBackwardArgs& args) {
  const NormShape shape = detail::shape_of(args.input, args.groups, args.inner);
  const bool sums = args.grad_weight.present || args.grad_bias.present;
  detail::visit_norm_sweep<Rows<2, 512>>(
      shape, args.input.dtype,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        using C = typename Sweep::Compute;
        const NormSaved<C> saved{args.grad_output, args.input, args.weight, args.mean.as<const C>(),
                                 args.rstd.as<const C>()};
        if constexpr (Sweep::kWidth == kVector) {
          if (sums && shape.groups == 1 && shape.inner == 1 &&
              (detail::norm_backward_with_sums<2, Rows<1, 512>>(args, shape, saved) ||
               detail::norm_backward_with_sums<0, Rows<2, 512>>(args, shape, saved)))
            return;
        }
        if (args.grad_input.present) {
          launch(args.input.device, sweep.blocks(), sweep.block_threads(),
                 detail::norm_backward_kernel<Sweep>, sweep, shape, saved, args.grad_input,
                 args.centered);
        }
        if (sums)
          detail::norm_parameter_grads<C>(args.input.device, shape, saved, Sweep::kWidth == kVector,
                                          args.grad_weight, args.grad_bias);
      },
      args.grad_output, args.input, args.weight, args.grad_input);
}

}  // namespace amp::inline v0::kernels::cuda
