// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loop of a reduction over the dimensions in which its output has extent 1: elements are taken
// in the order in which they lie in memory, whatever dimensions are reduced.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Returns the loop over the input, and over dense results: their stride is 0 along the reduced
/// dimensions.
inline Loop<2> loop_of_reduction(const Operand& input, const Operand& output) {
  Operand results = output;
  std::int64_t stride = 1;
  for (int d = results.dims - 1; d >= 0; --d) {
    results.strides[d] = results.sizes[d] == 1 ? 0 : stride;
    stride *= results.sizes[d];
  }
  return Loop<2>::in_memory_order(input, {&input, &results});
}

/// Whether the outermost dimension is not reduced, so that each index of it has outputs of its own,
/// and few enough elements that no thread waits long for the one that has them.
inline bool has_lines_of_outputs(const Loop<2>& loop, const Operand& input, std::int64_t outputs) {
  return loop.dims > 1 && input.numel() != 0 && loop.strides[1][0] * loop.sizes[0] == outputs &&
         input.numel() / loop.sizes[0] <= std::int64_t{1} << 18;
}

/// Sets the states, one for each output. none() is that of no elements; join(a, b) adds state b to
/// a. add(at, stride, n, output, states, states_stride) adds n elements of the input, which are
/// `stride` apart, to the states from that of an output on, which are `states_stride` apart: all to
/// one state if that is 0.
template <class State, class None, class Add, class Join>
void accumulate(const Loop<2>& loop, const Operand& input, std::int64_t outputs, State* states,
                const None& none, const Add& add, const Join& join) {
  if (has_lines_of_outputs(loop, input, outputs)) {
    Loop<2> line = loop;
    --line.dims;
    for (int d = 0; d < line.dims; ++d) {
      line.sizes[d] = loop.sizes[d + 1];
      for (int k = 0; k < 2; ++k) line.strides[k][d] = loop.strides[k][d + 1];
    }
    const std::int64_t of_line = outputs / loop.sizes[0];
    const std::int64_t grain = ceil_div(16 * kBlock, input.numel() / loop.sizes[0]);
    parallel_ranges(loop.sizes[0], grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        State* const own = states + i * of_line;
        std::fill_n(own, of_line, none());
        line.run(0, line.blocks(), [&](const std::int64_t* at, std::int64_t n) {
          add(i * loop.strides[0][0] + at[0], loop.inner_stride(0), n, i * of_line + at[1],
              own + at[1], loop.inner_stride(1));
        });
      }
    });
    return;
  }
  const std::int64_t blocks = input.numel() == 0 ? 0 : loop.blocks();
  // Uses parts of fixed size, each with its own states, joined in order: the result does not depend
  // on the number of threads.
  const std::int64_t rows_per_block = (std::max)(
      std::int64_t{1},
      (std::int64_t{1} << 16) / (std::min)(kBlock, (std::max)(loop.inner_size(), std::int64_t{1})));
  const std::int64_t part =
      (std::max)(rows_per_block, ceil_div(blocks * outputs, std::int64_t{1} << 22));
  const std::int64_t parts = ceil_div(blocks, part);
  const HostBuffer<State> partial(parts * outputs);
  parallel_for(parts, [&](std::int64_t p) {
    State* const own = partial.data() + p * outputs;
    std::fill_n(own, outputs, none());
    loop.run(p * part, (std::min)(blocks, (p + 1) * part),
             [&](const std::int64_t* at, std::int64_t n) {
               add(at[0], loop.inner_stride(0), n, at[1], own + at[1], loop.inner_stride(1));
             });
  });
  std::fill_n(states, outputs, none());
  const State* own = partial.data();
  for (std::int64_t p = 0; p < parts; ++p, own += outputs) {
    for (std::int64_t i = 0; i < outputs; ++i) join(states[i], own[i]);
  }
}

}  // namespace amp::inline v0::kernels::host::detail
