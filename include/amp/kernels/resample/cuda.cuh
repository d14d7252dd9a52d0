// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Resampling on CUDA devices. The windows and weights of each dimension are computed once, into a
// table; each element then gathers its sum, also backward, in a fixed order and without atomics.
#pragma once

#include <cstdint>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/resample/args.hpp"
#include "amp/kernels/resample/formula.hpp"
#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/kernels/traversal/search.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The windows [first, end) of the outputs along a dimension, with their weights, `room` for each;
/// and, if it is transposed, for each input the outputs [low, high) that see it.
template <class C>
struct AxisTable {
  ResampleAxis axis;
  std::int32_t *first, *end, *low, *high;
  C* weights;
  std::int64_t room;
};
template <class C>
struct AxisTables {
  AxisTable<C> of[3];

  /// The table that has row i of all tables one after the other, and its number there.
  template <bool OfInputs>
  __device__ const AxisTable<C>& at(std::int64_t& i) const {
    int d = 0;
    for (; d < 2; ++d) {
      const std::int64_t rows = OfInputs ? of[d].axis.input : of[d].axis.output;
      if (i < rows) break;
      i -= rows;
    }
    return of[d];
  }
};

template <class C>
AMP_KERNEL void __launch_bounds__(kThreads)
    resample_windows_kernel(AxisTables<C> tables, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t o = i;
    const AxisTable<C>& table = tables.template at<false>(o);
    const ResampleWindow window = resample_window(table.axis, o, table.weights + o * table.room);
    table.first[o] = static_cast<std::int32_t>(window.first);
    table.end[o] = static_cast<std::int32_t>(window.first + window.count);
  }
}

template <class C>
AMP_KERNEL void __launch_bounds__(kThreads)
    resample_ranges_kernel(AxisTables<C> tables, std::int64_t n) {
  for (std::int64_t k = first_element(); k < n; k += element_step()) {
    std::int64_t i = k;
    const AxisTable<C>& table = tables.template at<true>(i);
    const auto input =
        static_cast<std::int32_t>(i);  // those that do not end before it, or begin by it
    table.low[i] =
        static_cast<std::int32_t>(search_boundaries(table.end, table.axis.output, input, true));
    table.high[i] =
        static_cast<std::int32_t>(search_boundaries(table.first, table.axis.output, input, true));
  }
}

/// The shape of the result: [outer, depth, height, width, inner].
struct ResampledShape {
  std::int64_t n, sources[3], inner;
  Divider by_targets[3], by_inner;

  ResampledShape(const ResampleArgs& args)
      : n(args.output.numel()),
        inner(lies_channels_last(args.input) && lies_channels_last(args.output)
                  ? args.input.sizes[1]
                  : 1),
        by_inner(inner) {
    for (int d = 0; d < 3; ++d) {
      const ResampleAxis& axis = args.axes[d];
      sources[d] = args.transposed ? axis.output : axis.input;
      by_targets[d] = Divider(args.transposed ? axis.input : axis.output);
    }
  }
};

/// The place of element i of the result.
struct ResampledPlace {
  std::int64_t outer, inside, at[3];

  __device__ ResampledPlace(std::int64_t i, const ResampledShape& shape)
      : outer(i), inside(shape.by_inner.take_remainder(outer)) {
    for (int d = 2; d >= 0; --d) at[d] = shape.by_targets[d].take_remainder(outer);
  }
};

/// What element `at` of the result is a sum of along a dimension.
template <bool Transposed, class C>
struct Sources {
  const AxisTable<C>& table;
  std::int64_t at, begin, end;

  __device__ Sources(const AxisTable<C>& of, std::int64_t target)
      : table(of),
        at(target),
        begin((Transposed ? of.low : of.first)[target]),
        end((Transposed ? of.high : of.end)[target]) {}
  __device__ C weight(std::int64_t source) const {
    const std::int64_t output = Transposed ? source : at, input = Transposed ? at : source;
    return table.weights[output * table.room + input - table.first[output]];
  }
};

/// A thread has one element of the result.
template <bool Transposed, class T, class C>
AMP_KERNEL void __launch_bounds__(kThreads)
    resample_kernel(AxisTables<C> tables, ResampledShape shape, const T* x, Output y) {
  for (std::int64_t i = first_element(); i < shape.n; i += element_step()) {
    const ResampledPlace place(i, shape);
    const Sources<Transposed, C> depth(tables.of[0], place.at[0]),
        height(tables.of[1], place.at[1]), width(tables.of[2], place.at[2]);
    C sum = 0;
    for (std::int64_t d = depth.begin; d < depth.end; ++d) {
      const std::int64_t slice = place.outer * shape.sources[0] + d;
      C of_plane = 0;
      for (std::int64_t h = height.begin; h < height.end; ++h) {
        const std::int64_t row = (slice * shape.sources[1] + h) * shape.sources[2];
        C of_row = 0;
        for (std::int64_t w = width.begin; w < width.end; ++w) {
          of_row += width.weight(w) * convert_to<C>(x[(row + w) * shape.inner + place.inside]);
        }
        of_plane += height.weight(h) * of_row;
      }
      sum += depth.weight(d) * of_plane;
    }
    store(y, i, sum);
  }
}

/// The three dimensions, as they are.
struct ResampleAxes {
  ResampleAxis of[3];
};
template <class T>
AMP_KERNEL void __launch_bounds__(kThreads)
    copy_nearest_kernel(ResampleAxes axes, ResampledShape shape, const T* x, T* y) {
  for (std::int64_t i = first_element(); i < shape.n; i += element_step()) {
    const ResampledPlace place(i, shape);
    std::int64_t from = place.outer;
    for (int d = 0; d < 3; ++d)
      from = from * shape.sources[d] + nearest_input(axes.of[d], place.at[d]);
    y[i] = x[from * shape.inner + place.inside];
  }
}

/// Memory for the tables, filled.
template <class C>
class FilledTables {
 public:
  explicit FilledTables(const ResampleArgs& args)
      : numbers_(args.output.device, count(args, false)),
        weights_(args.output.device, count(args, true)) {
    std::int32_t* number = numbers_.data();
    C* weight = weights_.data();
    std::int64_t outputs = 0, inputs = 0;
    for (int d = 0; d < 3; ++d) {
      const ResampleAxis& axis = args.axes[d];
      AxisTable<C>& table = tables_.of[d];
      table.axis = axis;
      table.room = most_inputs(axis);
      table.weights = weight;
      table.first = number;
      table.end = table.first + axis.output;
      table.low = table.end + axis.output;
      table.high = table.low + axis.input;
      number = table.high + axis.input;
      weight += axis.output * table.room;
      outputs += axis.output;
      inputs += axis.input;
    }
    launch(args.output.device, grid_for(outputs), kThreads, resample_windows_kernel<C>, tables_,
           outputs);
    if (args.transposed) {
      launch(args.output.device, grid_for(inputs), kThreads, resample_ranges_kernel<C>, tables_,
             inputs);
    }
  }
  const AxisTables<C>& tables() const { return tables_; }

 private:
  static std::int64_t count(const ResampleArgs& args, bool weights) {
    std::int64_t n = 0;
    for (const ResampleAxis& axis : args.axes)
      n += weights ? axis.output * most_inputs(axis) : 2 * (axis.output + axis.input);
    return n;
  }

  AxisTables<C> tables_{};
  Scratch<std::int32_t> numbers_;
  Scratch<C> weights_;
};

}  // namespace detail

inline void resample(const ResampleArgs& args) {
  const detail::ResampledShape shape(args);
  const Device device = args.output.device;
  if (copies_elements(args)) {
    const detail::ResampleAxes axes{{args.axes[0], args.axes[1], args.axes[2]}};
    return visit_bits(args.input.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      launch(device, grid_for(shape.n), kThreads, detail::copy_nearest_kernel<T>, axes, shape,
             args.input.as<const T>(), args.output.as<T>());
    });
  }
  visit_floating(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = ComputeOf<T>;
    const detail::FilledTables<C> filled(args);
    launch(device, grid_for(shape.n), kThreads,
           args.transposed ? detail::resample_kernel<true, T, C>
                           : detail::resample_kernel<false, T, C>,
           filled.tables(), shape, args.input.as<const T>(), args.output);
  });
}

}  // namespace amp::inline v0::kernels::cuda
