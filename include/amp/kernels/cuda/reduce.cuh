// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums. Kept in double (integers modulo 2^64), so that a 16-bit sum is rounded once; in a fixed
// tree, which the shapes and strides decide, so that a sum has the same bits every time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/cuda/lines.cuh"
#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/signatures.hpp"
#include "amp/kernels/strided.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// What is summed, as a matrix: `outputs` lines of `length` elements, each line in `parts`.
struct Sums {
  Strided<1> kept, reduced;
  std::int64_t outputs, length, parts, part_length;
  bool side_by_side;

  explicit Sums(const ReduceArgs& args) {
    Operand lines = args.input, elements = args.input;
    for (int d = 0; d < args.input.dims; ++d)
      (args.output.sizes[d] == 1 ? lines : elements).sizes[d] = 1;
    kept = Strided<1>::over(lines, {&lines});
    reduced = Strided<1>::over(elements, {&elements});
    outputs = args.output.numel();
    length = reduced.numel();
    side_by_side = outputs > 1 && kept.inner_stride(0) < reduced.inner_stride(0);
    // Few lines are cut, that all of a device may work on them.
    const std::int64_t shortest = side_by_side ? 256 : 4096, wanted = side_by_side ? 1 << 17 : 1024;
    parts = (std::min)(ceil_div(length, shortest),
                       ceil_div(wanted, (std::max)(outputs, std::int64_t{1})));
    parts = (std::max)((std::min)(parts, std::int64_t{1024}), std::int64_t{1});
    part_length = ceil_div(length, parts);
  }
};

template <class Team, class C>
AMP_KERNEL void sum_kernel(Sums sums, Input x, Output y, double scale) {
  const std::int64_t count = sums.outputs * sums.parts;
  for (std::int64_t line = Team::first_line(); line < count; line += Team::line_step()) {
    std::int64_t start[1], at[1];
    sums.kept.locate(line % sums.outputs, start);
    const std::int64_t begin = line / sums.outputs * sums.part_length;
    const std::int64_t end =
        begin + sums.part_length < sums.length ? begin + sums.part_length : sums.length;
    C sum{0};
    for (std::int64_t i = begin + Team::first(); i < end; i += Team::step()) {
      sums.reduced.locate(i, at);
      sum = functions::Add::apply(sum, load<C>(x, start[0] + at[0]));
    }
    sum = Team::template reduce<functions::Add>(sum);
    if constexpr (std::is_same_v<C, double>) sum *= scale;  // integers have no mean
    if (Team::is_leader()) store<C>(y, line, sum);
  }
}

template <class C>
void sum(const ReduceArgs& args) {
  const Sums sums(args);
  const Device device = args.output.device;
  const auto enqueue = [&](const Operand& output, double scale) {
    visit_team(sums.outputs * sums.parts, sums.part_length, sums.side_by_side,
               [&](auto team, std::int64_t blocks) {
                 launch(device, blocks, kThreads, sum_kernel<decltype(team), C>, sums, args.input,
                        output, scale);
               });
  };
  if (sums.parts == 1 || sums.outputs == 0) return enqueue(args.output, args.scale);
  // The sums of the parts [parts, outputs], then theirs.
  const Scratch<C> scratch(device, sums.parts * sums.outputs);
  Operand partial, total = args.output;
  partial.data = scratch.data();
  partial.dtype = dtype_of<C>;
  partial.device = device;
  partial.present = true;
  partial.dims = total.dims = 2;
  partial.sizes[0] = sums.parts;
  total.sizes[0] = 1;
  partial.strides[0] = total.strides[0] = sums.outputs;
  partial.sizes[1] = total.sizes[1] = sums.outputs;
  partial.strides[1] = total.strides[1] = 1;
  enqueue(partial, 1);
  sum<C>({.input = partial, .output = total, .scale = args.scale});
}

}  // namespace detail

/// The output is contiguous. A sum over nothing is 0.
inline void sum(const ReduceArgs& args) {
  if (is_floating_point(args.input.dtype)) {
    detail::sum<double>(args);
  } else {
    detail::sum<std::int64_t>(args);
  }
}

}  // namespace amp::inline v0::kernels::cuda
