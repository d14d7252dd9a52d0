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

/// Dense matrices behind each other, whose rows are reduced: each column has an output.
struct Matrices {
  std::int64_t count, rows, columns;

  explicit Matrices(const Loop<2>& loop) : count(1), rows(0), columns(loop.inner_size()) {
    const int d = loop.dims - 2;
    if (d != 0 && d != 1) return;
    if (d == 1) count = loop.sizes[0];
    const std::int64_t of_rows = loop.sizes[d];
    const bool dense =
        loop.strides[0][d] == columns && (d == 0 || loop.strides[0][0] == of_rows * columns);
    const bool by_columns = loop.strides[1][d] == 0 && loop.inner_stride(1) == 1 &&
                            (d == 0 || loop.strides[1][0] == columns);
    if (loop.inner_stride(0) == 1 && dense && by_columns) rows = of_rows;
  }
  /// Whether the loop is one over such matrices.
  explicit operator bool() const { return rows != 0 && columns != 0; }
};

/// accumulate() for one matrix, whose first element is at `at`. add(at, rows, width, n, states)
/// adds n elements of each row to n states; rows begin `width` apart. Short rows are joined into
/// wider ones, whose columns are joined at the end.
template <class State, class None, class Add, class Join>
void accumulate_columns(std::int64_t at, std::int64_t rows, std::int64_t columns, State* states,
                        const None& none, const Add& add, const Join& join) {
  const std::int64_t together = (std::max)(std::int64_t{1}, kBlock / columns);
  const std::int64_t width = together * columns, lines = rows / together;
  const std::int64_t block = (std::min)(width, kBlock), blocks = ceil_div(width, block);
  // Uses parts of fixed size, as accumulate() does.
  const std::int64_t part = (std::max)(ceil_div(lines, 32), (std::int64_t{1} << 16) / block);
  const std::int64_t parts = ceil_div(lines, part), rest = rows - lines * together;
  const std::int64_t count = parts * width + rest * columns;
  const HostBuffer<State> partial(count);
  std::fill_n(partial.data(), count, none());
  parallel_for(parts * blocks, [&](std::int64_t task) {
    const std::int64_t p = task / blocks, from = task % blocks * block, line = p * part;
    add(at + line * width + from, (std::min)(part, lines - line), width,
        (std::min)(block, width - from), partial.data() + p * width + from);
  });
  if (rest != 0) {  // too few for a wide row
    const std::int64_t n = rest * columns;
    add(at + lines * width, 1, n, n, partial.data() + parts * width);
  }
  std::fill_n(states, columns, none());
  for (std::int64_t i = 0; i < count; i += columns) {
    for (std::int64_t c = 0; c < columns; ++c) join(states[c], partial[i + c]);
  }
}
/// For all matrices.
template <class State, class None, class Add, class Join>
void accumulate_columns(const Matrices& of, State* states, const None& none, const Add& add,
                        const Join& join) {
  const std::int64_t size = of.rows * of.columns;
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      accumulate_columns(i * size, of.rows, of.columns, states + i * of.columns, none, add, join);
  };
  if (of.count == 1 || size > std::int64_t{1} << 18) return run(0, of.count);
  parallel_ranges(of.count, ceil_div(16 * kBlock, size), run);
}

}  // namespace amp::inline v0::kernels::host::detail
