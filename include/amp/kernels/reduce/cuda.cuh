// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums. Kept in double (integers modulo 2^64), so that a 16-bit sum is rounded once; in a fixed
// tree, which the shapes, strides and addresses decide, so that a sum has the same bits every time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/reduce/args.hpp"
#include "amp/kernels/traversal/cuda/lines.cuh"
#include "amp/kernels/traversal/cuda/rows.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline constexpr int kSumAhead = 4;  // vectors of a thread under way

/// What is summed, as a matrix: `outputs` lines of `length` elements, each line in `parts`.
struct Sums {
  /// How a thread reads: element by element; vectors of one line; vectors across eight lines that
  /// lie side by side.
  enum class Access : std::uint8_t { kElements, kAlong, kAcross };

  Strided<1> kept, reduced;
  std::int64_t outputs, length, parts = 1, part_length;
  Access access = Access::kElements;
  bool side_by_side;
  unsigned team = 1;  // kAlong: threads that have a line; kAcross: those that have a row of lines

  explicit Sums(const ReduceArgs& args) {
    Operand lines = args.input, elements = args.input;
    for (int d = 0; d < args.input.dims; ++d)
      (args.output.sizes[d] == 1 ? lines : elements).sizes[d] = 1;
    kept = Strided<1>::over(lines, {&lines});
    reduced = Strided<1>::over(elements, {&elements});
    outputs = args.output.numel();
    length = reduced.numel();
    side_by_side = outputs > 1 && kept.inner_stride(0) < reduced.inner_stride(0);
    if (is_plain(args.input) && is_aligned_for_vectors(args.input.data, args.input.dtype))
      choose_access();
    // Few lines are cut, that all of a device may work on them.
    switch (access) {
      case Access::kElements:
        cut(side_by_side ? 256 : 4096, (side_by_side ? 1 << 17 : 1024), outputs);
        break;
      case Access::kAlong:
        cut(4096, 1024, outputs);
        break;
      case Access::kAcross:
        cut(8 * kThreads / team, 1024, tiles());
        break;
    }
  }

  /// What the blocks of kAcross share: as many lines as a row of threads has.
  AMP_HOST_DEVICE std::int64_t tiles() const { return (outputs / kVector + team - 1) / team; }
  AMP_HOST_DEVICE std::int64_t end_of(std::int64_t begin) const {
    return begin + part_length < length ? begin + part_length : length;
  }

 private:
  static bool in_vectors(const Strided<1>& x, int dims) {
    for (int d = 0; d < dims; ++d) {
      if (x.strides[0][d] % kVector != 0) return false;
    }
    return true;
  }
  void choose_access() {
    if (reduced.inner_stride(0) == 1 && length >= kVector &&
        (reduced.dims == 1 || reduced.inner_size() % kVector == 0) &&
        in_vectors(reduced, reduced.dims - 1) && in_vectors(kept, kept.dims)) {
      access = Access::kAlong;
    } else if (kept.dims == 1 && kept.inner_stride(0) == 1 && outputs > 0 &&
               outputs % kVector == 0 && length > 1 && in_vectors(reduced, reduced.dims)) {
      access = Access::kAcross;
      while (team < 32 && team * kVector < outputs) team *= 2;
    }
  }
  void cut(std::int64_t shortest, std::int64_t wanted, std::int64_t apart) {
    parts = (std::min)(ceil_div(length, shortest),
                       ceil_div(wanted, (std::max)(apart, std::int64_t{1})));
    parts = (std::max)((std::min)(parts, std::int64_t{1024}), std::int64_t{1});
    part_length = ceil_div(length, parts);
    if (access != Access::kAlong) return;
    part_length = round_up(part_length, kVector);
    parts = ceil_div(length, part_length);
    while (team < 32 && team * kSumAhead * kVector < part_length) team *= 2;
    if (part_length > 32 * kSumAhead * kSumAhead * kVector) team = kThreads;
    reduced.sizes[reduced.dims - 1] /= kVector;  // now counts vectors
    reduced.strides[0][reduced.dims - 1] *= kVector;
    reduced.dividers[reduced.dims - 1] = Divider(reduced.inner_size());
  }
};

template <class Team, class C>
AMP_KERNEL void sum_kernel(Sums sums, Input x, Output y, double scale) {
  const std::int64_t count = sums.outputs * sums.parts;
  for (std::int64_t line = Team::first_line(); line < count; line += Team::line_step()) {
    std::int64_t start[1], at[1];
    sums.kept.locate(line % sums.outputs, start);
    const std::int64_t begin = line / sums.outputs * sums.part_length, end = sums.end_of(begin);
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

/// The next vectors of a thread, `step` places of `reduced` from one another.
struct SumShare {
  const Strided<1>& reduced;
  std::int64_t start, first, end, step;

  __device__ bool has(int k) const { return first + k * step < end; }
  __device__ std::int64_t at(int k) const {
    std::int64_t offset[1];
    reduced.locate(first + k * step, offset);
    return start + offset[0];
  }
};

template <int Ahead>
AMP_KERNEL void sum_along_kernel(Sums sums, Input x, Output y, double scale) {
  const std::int64_t count = sums.outputs * sums.parts, teams = blockDim.x / sums.team;
  const std::int64_t thread = threadIdx.x % sums.team;
  for (std::int64_t first = blockIdx.x * teams; first < count; first += gridDim.x * teams) {
    const std::int64_t line = first + threadIdx.x / sums.team;
    double sum = 0;
    if (line < count) {
      std::int64_t start[1];
      sums.kept.locate(line % sums.outputs, start);
      const std::int64_t begin = line / sums.outputs * sums.part_length, end = sums.end_of(begin);
      SumShare share{sums.reduced, start[0], begin / kVector + thread, end / kVector, sums.team};
      for (; share.has(0); share.first += Ahead * share.step) {
        float v[Ahead][kVector];
        RowWords<Ahead>(x, share).unpack(x.dtype, v);
        AMP_UNROLL
        for (int k = 0; k < Ahead; ++k) {
          double halves[kVector / 2];
          AMP_UNROLL
          for (int l = 0; l < kVector / 2; ++l)
            halves[l] = static_cast<double>(v[k][l]) + static_cast<double>(v[k][l + kVector / 2]);
          sum += (halves[0] + halves[2]) + (halves[1] + halves[3]);
        }
      }
      // What fills no vector: only where the elements are dense.
      for (std::int64_t i = end / kVector * kVector + thread; i < end; i += sums.team)
        sum += load<double>(x, start[0] + i);
    }
    sum = team_reduce<functions::Add>(sum, sums.team);
    if (thread == 0 && line < count) store<double>(y, line, sum * scale);
  }
}

/// A block has `team` vectors across lines, and adds up what its rows of threads found.
template <int Ahead>
AMP_KERNEL void sum_across_kernel(Sums sums, Input x, Output y, double scale) {
  __shared__ double found[kVector][kThreads / 2];
  const std::int64_t tiles = sums.tiles();
  const unsigned row = threadIdx.x / sums.team, rows = blockDim.x / sums.team;
  for (std::int64_t item = blockIdx.x; item < tiles * sums.parts; item += gridDim.x) {
    const std::int64_t line =
        (item % tiles * sums.team + threadIdx.x % sums.team) * kVector;  // the first of eight
    const std::int64_t begin = item / tiles * sums.part_length;
    double sum[kVector] = {};
    if (line < sums.outputs) {
      SumShare share{sums.reduced, line, begin + row, sums.end_of(begin), rows};
      for (; share.has(0); share.first += Ahead * share.step) {
        float v[Ahead][kVector];
        RowWords<Ahead>(x, share).unpack(x.dtype, v);
        AMP_UNROLL
        for (int k = 0; k < Ahead; ++k) {
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l) sum[l] += static_cast<double>(v[k][l]);
        }
      }
    }
    for (unsigned half = rows / 2; half > 0; half /= 2) {
      const unsigned upper = threadIdx.x - half * sums.team;
      if (row >= half && row < 2 * half) {
        for (int l = 0; l < kVector; ++l) found[l][upper] = sum[l];
      }
      __syncthreads();
      if (row < half) {
        for (int l = 0; l < kVector; ++l) sum[l] += found[l][threadIdx.x];
      }
      __syncthreads();
    }
    if (row == 0 && line < sums.outputs) {
      for (int l = 0; l < kVector; ++l)
        store<double>(y, item / tiles * sums.outputs + line + l, sum[l] * scale);
    }
  }
}

template <class C>
void launch_sum(const Sums& sums, const Operand& input, const Operand& output, double scale) {
  const std::int64_t count = sums.outputs * sums.parts;
  if constexpr (std::is_same_v<C, double>) {
    if (sums.access == Sums::Access::kAlong) {
      launch(output.device, grid_for(count * sums.team), kThreads, sum_along_kernel<kSumAhead>,
             sums, input, output, scale);
      return;
    }
    if (sums.access == Sums::Access::kAcross) {
      launch(output.device, (std::min)(sums.tiles() * sums.parts, std::int64_t{1} << 16), kThreads,
             sum_across_kernel<kSumAhead>, sums, input, output, scale);
      return;
    }
  }
  visit_team(count, sums.part_length, sums.side_by_side, [&](auto team, std::int64_t blocks) {
    launch(output.device, blocks, kThreads, sum_kernel<decltype(team), C>, sums, input, output,
           scale);
  });
}

template <class C>
void sum(const ReduceArgs& args) {
  const Sums sums(args);
  if (sums.parts == 1 || sums.outputs == 0)
    return launch_sum<C>(sums, args.input, args.output, args.scale);
  // The sums of the parts [parts, outputs], then theirs.
  const Scratch<C> scratch(args.output.device, sums.parts * sums.outputs);
  Operand partial, total = args.output;
  partial.data = scratch.data();
  partial.dtype = dtype_of<C>;
  partial.device = args.output.device;
  partial.present = true;
  partial.dims = total.dims = 2;
  partial.sizes[0] = sums.parts;
  total.sizes[0] = 1;
  partial.strides[0] = total.strides[0] = sums.outputs;
  partial.sizes[1] = total.sizes[1] = sums.outputs;
  partial.strides[1] = total.strides[1] = 1;
  launch_sum<C>(sums, args.input, partial, 1);
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
